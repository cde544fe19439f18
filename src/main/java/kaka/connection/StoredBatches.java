package kaka.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import kaka.record.BatchHeader;

/**
 * Walks stored batches through a bounded window, whatever their size, and looks whether each is what was written: the
 * length, the offsets, which follow each other without gap, and the CRC32C. So damage on the disk never leaves as data.
 */
public final class StoredBatches {
  private final ReadWindow window;
  private long start;
  private long end;
  private long baseOffset;
  private long nextOffset;
  private boolean isFirst = true;
  private short attributes;
  private long producerId;
  private int recordCount;
  private int crc;
  private final CRC32C computed = new CRC32C();

  /** How far {@link #computed} is. */
  private long checkedTo;

  /**
   * @param position where the first batch starts
   * @param offset that is in it
   */
  public StoredBatches(ReadWindow window, long position, long offset) {
    this.window = window;
    this.start = position;
    this.end = position;
    this.nextOffset = offset;
  }

  /**
   * Steps to the next batch; its contents are not looked at before {@link #checkCrc}.
   *
   * @return false at the end
   * @throws kaka.log.LogDamagedException if there is no batch
   */
  public boolean next() throws IOException {
    start = end;
    if (start >= window.sizeBytes()) {
      return false;
    }
    if (window.ensure(start, BatchHeader.SIZE) < BatchHeader.SIZE) {
      throw window.damagedAt(start, "batch header cut short");
    }
    ByteBuffer bytes = window.buffer();
    int at = window.index(start);
    long sizeBytes = (long) bytes.getInt(at + BatchHeader.LENGTH) + BatchHeader.OVERHEAD;
    int lastOffsetDelta = bytes.getInt(at + BatchHeader.LAST_OFFSET_DELTA);
    baseOffset = bytes.getLong(at + BatchHeader.BASE_OFFSET);
    if (bytes.get(at + BatchHeader.MAGIC) != BatchHeader.MAGIC_V2
        || sizeBytes < BatchHeader.SIZE
        || sizeBytes > window.sizeBytes() - start
        || lastOffsetDelta < 0) {
      throw window.damagedAt(start, "not a batch");
    }
    boolean follows = isFirst ? baseOffset <= nextOffset && nextOffset - baseOffset <= lastOffsetDelta : baseOffset == nextOffset;
    if (!follows) {
      throw window.damagedAt(start, "base offset " + baseOffset + " where " + nextOffset + " should be");
    }
    int leaderEpoch = bytes.getInt(at + BatchHeader.LEADER_EPOCH);
    if (leaderEpoch != 0) { // outside the CRC, as the base offset is; there is one broker
      throw window.damagedAt(start, "leader epoch " + leaderEpoch + ", not 0");
    }
    isFirst = false;
    checkedTo = start;
    end = start + sizeBytes;
    nextOffset = baseOffset + lastOffsetDelta + 1;
    attributes = bytes.getShort(at + BatchHeader.ATTRIBUTES);
    producerId = bytes.getLong(at + BatchHeader.PRODUCER_ID);
    recordCount = bytes.getInt(at + BatchHeader.RECORD_COUNT);
    crc = bytes.getInt(at + BatchHeader.CRC);
    return true;
  }

  /**
   * Reads all of the batch, unless the window's task is over before: then call it again in the next.
   *
   * @return true once it was checked
   */
  public boolean checkCrc() throws IOException {
    if (checkedTo <= start) {
      int count = (int) Math.min(end - start, window.capacity()); // whole, if it can be: its records are next
      if (!window.holds(start, count) && !window.mayRead(count)) {
        return false;
      }
      window.ensure(start, count);
      computed.reset();
      checkedTo = start + BatchHeader.ATTRIBUTES;
    }
    while (checkedTo < end) {
      if (window.isTaskOver()) {
        return false;
      }
      int available = (int) Math.min(window.ensure(checkedTo, 1), end - checkedTo);
      if (available <= 0) {
        throw window.damagedAt(start, "batch cut short");
      }
      window.update(computed, checkedTo, available);
      checkedTo += available;
    }
    if ((int) computed.getValue() != crc) {
      throw window.damagedAt(start, "CRC32C does not fit");
    }
    return true;
  }

  /** Where it starts. */
  public long start() {
    return start;
  }

  /** Where it ends, and the next starts. */
  public long end() {
    return end;
  }

  public long baseOffset() {
    return baseOffset;
  }

  /** One past its last offset. */
  public long nextOffset() {
    return nextOffset;
  }

  /** How many records it says it has. */
  public int recordCount() {
    return recordCount;
  }

  public boolean isCompressed() {
    return (attributes & 0x07) != 0;
  }

  public boolean isTransactional() {
    return (attributes & BatchHeader.TRANSACTIONAL) != 0;
  }

  /** -1 if its producer has none. */
  public long producerId() {
    return producerId;
  }

  /** Whether it holds transaction markers, which are nobody's records. */
  public boolean isControl() {
    return (attributes & 0x20) != 0;
  }
}
