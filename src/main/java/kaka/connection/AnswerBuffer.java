package kaka.connection;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Collects the answers that go to the socket in one write: many small ones, or one slice of a large one. */
public final class AnswerBuffer {
  /** Enough for a thousand acks; more would only be held longer, and nobody charges for it. */
  private static final int FULL_BYTES = 16 << 10;

  private byte[] small = new byte[512];
  private int size;
  private ByteBuffer slice;

  /** Whether what comes now must wait for the next write. */
  public boolean isFull() {
    return slice != null || size >= FULL_BYTES;
  }

  public boolean isEmpty() {
    return slice == null && size == 0;
  }

  /** Whether the next write is a slice of a large answer. */
  boolean holdsSlice() {
    return slice != null;
  }

  /** Room for {@code bytes} more in {@link #array}, at the position that is returned. */
  public int reserve(int bytes) {
    if (size + bytes > small.length) {
      small = Arrays.copyOf(small, Math.max(size + bytes, small.length * 2));
    }
    int at = size;
    size += bytes;
    return at;
  }

  /** Valid until the next {@link #reserve}. */
  public byte[] array() {
    return small;
  }

  public void add(byte[] frame) {
    int at = reserve(frame.length); // first: it may replace the array
    System.arraycopy(frame, 0, small, at, frame.length);
  }

  /**
   * Takes a slice as it is, without a copy, if nothing else was collected.
   *
   * @return false if it must wait for the next write
   */
  public boolean addSlice(byte[] bytes) {
    return addSlice(ByteBuffer.wrap(bytes));
  }

  /** The same, from its start up to its limit; its position and limit stay as they are. */
  public boolean addSlice(ByteBuffer bytes) {
    if (!isEmpty()) {
      return false;
    }
    slice = bytes.duplicate().rewind();
    return true;
  }

  /** Everything collected; this is empty afterwards. */
  ByteBuffer take() {
    ByteBuffer taken;
    if (slice != null) {
      taken = slice;
      slice = null;
    } else {
      taken = ByteBuffer.wrap(small, 0, size);
      size = 0;
      if (small.length > FULL_BYTES) {
        small = new byte[512];
      }
    }
    return taken;
  }

  /** Whether what was taken lies in an array that the next answer is written to. */
  boolean isLent(ByteBuffer taken) {
    return taken.hasArray() && taken.array() == small;
  }
}
