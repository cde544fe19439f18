package kaka.log;

import java.nio.ByteBuffer;
import kaka.record.BatchHeader;
import kaka.record.RecordBatch;

/**
 * Batches on their way to the disk, side by side in one direct buffer, so that a commit is one write (one copy and one write
 * beat gathering, which for small batches costs three times as much). Made at the first use, grows as it must.
 */
final class StagingBuffer {
  static final int FIRST_BYTES = 64 * 1024;
  static final int MAX_BYTES = 1024 * 1024;

  private ByteBuffer buffer; // null until the first batch

  /** Whether {@code sizeBytes} more fit, after growing if that helps. */
  boolean hasRoomFor(int sizeBytes) {
    if (buffer == null) {
      buffer = ByteBuffer.allocateDirect(FIRST_BYTES);
    }
    if (sizeBytes <= buffer.remaining()) {
      return true;
    }
    int capacity = buffer.capacity();
    long needed = (long) buffer.position() + sizeBytes;
    if (capacity == MAX_BYTES) {
      return false;
    }
    while (capacity < needed && capacity < MAX_BYTES) {
      capacity *= 2;
    }
    buffer = ByteBuffer.allocateDirect(capacity).put(buffer.flip());
    return sizeBytes <= buffer.remaining();
  }

  int remaining() {
    return buffer.remaining();
  }

  boolean isEmpty() {
    return buffer == null || buffer.position() == 0;
  }

  /** Adds {@code count} of the batch's bytes from {@code from} on; the first ones bring the whole header, which is numbered. */
  void put(RecordBatch batch, int from, int count, long baseOffset, int leaderEpoch) {
    int start = buffer.position();
    batch.copyTo(from, count, buffer);
    if (from == 0) {
      buffer.putLong(start + BatchHeader.BASE_OFFSET, baseOffset);
      buffer.putInt(start + BatchHeader.LEADER_EPOCH, leaderEpoch);
    }
  }

  /** What is staged, ready to be written; {@link #clear} afterwards. */
  ByteBuffer toWrite() {
    return buffer.flip();
  }

  void clear() {
    buffer.clear();
  }

  /** Gives a grown buffer up, if nothing is in it: it was for a burst. */
  void trim() {
    if (isEmpty() && buffer != null && buffer.capacity() > FIRST_BYTES) {
      buffer = null;
    }
  }

  /** Bytes it takes now. */
  int capacityBytes() {
    return buffer == null ? 0 : buffer.capacity();
  }
}
