package kaka.log;

import java.nio.ByteBuffer;
import kaka.record.BatchHeader;
import kaka.record.RecordBatch;

/**
 * One log's batches on their way to the disk, side by side in one direct buffer, so that a commit is one write (one copy and one
 * write beat gathering, which for small batches costs three times as much). The buffer is the {@link StagingPool}'s, from the
 * first batch to {@link #release}. If none was free then, it is the thread's small one: {@link #mustWriteNow}.
 */
final class StagingBuffer {
  private final StagingPool pool;
  private ByteBuffer buffer; // null while nothing is staged
  private boolean isSmall;

  StagingBuffer(StagingPool pool) {
    this.pool = pool;
  }

  /** Bytes that still fit, at least 1 after {@link #clear}. */
  int room() {
    if (buffer == null) {
      buffer = pool.take();
      isSmall = buffer == null;
      if (isSmall) {
        buffer = pool.small();
      }
    }
    return buffer.remaining();
  }

  boolean isEmpty() {
    return buffer == null || buffer.position() == 0;
  }

  /** Whether what is staged must be written before the append ends: the buffer is only lent for so long. */
  boolean mustWriteNow() {
    return isSmall && !isEmpty();
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

  /** What was staged is written; a small buffer is gone with that. */
  void clear() {
    buffer.clear();
    if (isSmall) {
      buffer = null;
      isSmall = false;
    }
  }

  /** The commit is over, or failed: whatever is staged is dropped, the buffer is somebody else's. */
  void release() {
    if (buffer != null && !isSmall) {
      pool.giveBack(buffer);
    }
    buffer = null;
    isSmall = false;
  }
}
