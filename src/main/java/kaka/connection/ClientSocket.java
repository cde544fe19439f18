package kaka.connection;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import kaka.socket.SelectorLoop;

/**
 * A client's socket, on its loop's thread alone. It is read only when asked to, and then one chunk at a time; a write that the
 * kernel does not take at once goes on when it can.
 */
final class ClientSocket {
  private static final byte[] NOTHING = {};

  private final SelectorLoop loop;
  private final int chunkBytes;
  private final SocketChannel channel;
  private final SelectionKey key;
  private ByteBuffer unwritten; // what the kernel has not taken of the last write, or null
  private long takenBytes;
  private boolean isInputOver;
  private boolean isOutputOver;

  /**
   * @param chunkBytes size of a chunk, which is in no budget
   * @param channel connected, and closed by this from now on
   * @param onReady told whenever the socket can be read, or written, and this waits for it
   */
  ClientSocket(SelectorLoop loop, int chunkBytes, SocketChannel channel, SelectorLoop.Handler onReady) throws IOException {
    this.loop = loop;
    this.chunkBytes = chunkBytes;
    this.channel = channel;
    channel.configureBlocking(false);
    this.key = loop.register(channel, 0, onReady);
  }

  /** Whether the socket is to be read, when it has something. */
  void wantInput(boolean wanted) {
    setInterest(SelectionKey.OP_READ, wanted && !isInputOver);
  }

  /** A change that is taken back before the loop looks at its sockets again costs nothing. */
  private void setInterest(int operation, boolean wanted) {
    if (key.isValid()) {
      int interest = key.interestOps();
      int changed = wanted ? interest | operation : interest & ~operation;
      if (changed != interest) {
        key.interestOps(changed);
      }
    }
  }

  /**
   * One read, of at most {@code size} bytes: an array of its own, empty if nothing is there. At the end of the client's bytes it is
   * empty too, and {@link #isInputOver}.
   *
   * @throws IOException if the connection is lost
   */
  byte[] read(int size) throws IOException {
    ByteBuffer buffer = readToLoop(size);
    if (!buffer.hasRemaining()) {
      return NOTHING;
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  /**
   * One read, of at most {@code size} bytes, to {@code array[from, ...)}; otherwise as {@link #read(int)}.
   *
   * @return how many bytes
   */
  int read(byte[] array, int from, int size) throws IOException {
    ByteBuffer buffer = readToLoop(size);
    int taken = buffer.remaining();
    buffer.get(array, from, taken);
    return taken;
  }

  /** What one read brought, until the loop's buffer is used again. */
  private ByteBuffer readToLoop(int size) throws IOException {
    ByteBuffer buffer = loop.directBuffer();
    buffer.limit(Math.min(size, buffer.capacity()));
    if (channel.read(buffer) < 0) {
      isInputOver = true;
      wantInput(false);
    }
    return buffer.flip();
  }

  /** Size of a chunk, which is in no budget. */
  int chunkBytes() {
    return chunkBytes;
  }

  /** Whether the client has closed its side and everything of it has been read. */
  boolean isInputOver() {
    return isInputOver;
  }

  /**
   * Writes all of it, at once or bit by bit as the kernel takes it; only when nothing {@link #isWriting}.
   *
   * @param isLent whether the array is used again by its owner: what is not taken at once is copied
   * @throws IOException if the connection is lost
   */
  void write(ByteBuffer bytes, boolean isLent) throws IOException {
    if (unwritten != null) {
      throw new IllegalStateException("the last write is not out");
    }
    if (!drain(bytes)) {
      unwritten = isLent ? ByteBuffer.allocate(bytes.remaining()).put(bytes).flip() : bytes;
      setInterest(SelectionKey.OP_WRITE, true);
    }
  }

  /**
   * Goes on with a write.
   *
   * @throws IOException if the connection is lost
   */
  void writeOn() throws IOException {
    if (unwritten != null && drain(unwritten)) {
      unwritten = null;
      setInterest(SelectionKey.OP_WRITE, false);
    }
  }

  /** What the kernel has taken so far, of all writes. */
  long takenBytes() {
    return takenBytes;
  }

  /** Whether the kernel has not taken all of the last write. */
  boolean isWriting() {
    return unwritten != null;
  }

  private boolean drain(ByteBuffer bytes) throws IOException {
    return bytes.isDirect() ? drainDirect(bytes) : drainArray(bytes);
  }

  private boolean drainDirect(ByteBuffer bytes) throws IOException {
    takenBytes += channel.write(bytes);
    return !bytes.hasRemaining();
  }

  private boolean drainArray(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      ByteBuffer direct = loop.directBuffer();
      int size = Math.min(direct.remaining(), bytes.remaining());
      direct.put(bytes.array(), bytes.arrayOffset() + bytes.position(), size).flip();
      int taken = channel.write(direct);
      takenBytes += taken;
      bytes.position(bytes.position() + taken);
      if (taken < size) {
        return false;
      }
    }
    return true;
  }

  /** Tells the client that nothing more comes. */
  void endOutput() throws IOException {
    if (!isOutputOver) {
      isOutputOver = true;
      channel.shutdownOutput();
    }
  }

  /** The connection ends; what was written goes out if the client takes it. */
  void close() {
    unwritten = null;
    SelectorLoop.closeQuietly(channel);
  }

  /** The connection ends with a reset: nobody is to take what was sent for all there was. */
  void reset() {
    try {
      channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    } catch (IOException e) {
      // the client has gone, which is all that is wanted
    }
    close();
  }
}
