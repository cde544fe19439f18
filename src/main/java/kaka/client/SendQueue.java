package kaka.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;

/** The frames that a socket has still to take. Not for sharing between threads. */
final class SendQueue {
  private final ArrayDeque<ByteBuffer> frames = new ArrayDeque<>();
  private long addedBytes;
  private long writtenBytes;

  /**
   * Adds a frame, {@code array[0, size)}, which must not change any more.
   *
   * @return what {@link #writtenBytes} is at least once the socket has taken all of it
   */
  long add(byte[] array, int size) {
    frames.add(ByteBuffer.wrap(array, 0, size));
    addedBytes += size;
    return addedBytes;
  }

  /** Bytes that the socket has taken so far. */
  long writtenBytes() {
    return writtenBytes;
  }

  boolean isEmpty() {
    return frames.isEmpty();
  }

  /**
   * Writes until the queue is empty or the socket full; many small frames take one system call together.
   *
   * @param buffer direct, with any content
   */
  void writeTo(SocketChannel channel, ByteBuffer buffer) throws IOException {
    while (!frames.isEmpty()) {
      fill(buffer.clear());
      int size = buffer.flip().remaining();
      int taken = channel.write(buffer);
      advance(taken);
      if (taken < size) {
        return;
      }
    }
  }

  private void fill(ByteBuffer buffer) {
    for (ByteBuffer frame : frames) {
      int size = Math.min(frame.remaining(), buffer.remaining());
      buffer.put(buffer.position(), frame, frame.position(), size);
      buffer.position(buffer.position() + size);
      if (!buffer.hasRemaining()) {
        return;
      }
    }
  }

  private void advance(int taken) {
    writtenBytes += taken;
    int left = taken;
    while (left > 0) {
      ByteBuffer frame = frames.element();
      int size = Math.min(left, frame.remaining());
      frame.position(frame.position() + size);
      left -= size;
      if (!frame.hasRemaining()) {
        frames.remove();
      }
    }
  }
}
