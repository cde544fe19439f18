package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import kaka.record.BatchHeader;

/**
 * Walks the records of stored batches through a bounded window, whatever the size of a batch or a record: after
 * {@link #next} the accessors say where key and value stand. Every batch's CRC32C is checked before its first record is
 * given, so that damage on the disk never leaves as a record.
 */
final class StoredRecords {
  /** What stands before a record's key at most: its size, attributes, timestamp, offset and key size. */
  private static final int MAX_PREFIX_BYTES = 5 + 1 + 10 + 5 + 5;

  private final ReadWindow window;
  private final long fetchOffset;
  private long position;
  private long batchEnd;
  private long baseOffset;

  private long offset;
  private long keyPosition;
  private int keySize;
  private long valuePosition;
  private int valueSize;

  /** @param fetchOffset records below it are passed over */
  StoredRecords(ReadWindow window, long fetchOffset) {
    this.window = window;
    this.fetchOffset = fetchOffset;
  }

  /**
   * Steps to the next record at or above the fetch offset.
   *
   * @return false at the end
   * @throws DamagedBatchException if a batch is not what was written
   */
  boolean next() throws IOException {
    do {
      while (position == batchEnd) {
        if (position >= window.sizeBytes()) {
          return false;
        }
        enterBatch();
      }
      readRecord();
    } while (offset < fetchOffset);
    return true;
  }

  private void enterBatch() throws IOException {
    long start = position;
    if (window.ensure(start, BatchHeader.SIZE) < BatchHeader.SIZE) {
      throw new DamagedBatchException("batch header cut short", start);
    }
    ByteBuffer header = ByteBuffer.wrap(window.array(), window.index(start), BatchHeader.SIZE).slice();
    long sizeBytes = (long) header.getInt(BatchHeader.LENGTH) + BatchHeader.OVERHEAD;
    baseOffset = header.getLong(BatchHeader.BASE_OFFSET);
    if (header.get(BatchHeader.MAGIC) != BatchHeader.MAGIC_V2
        || sizeBytes < BatchHeader.SIZE
        || sizeBytes > window.sizeBytes() - start) {
      throw new DamagedBatchException("not a batch", start);
    }
    batchEnd = start + sizeBytes;
    if (baseOffset + header.getInt(BatchHeader.LAST_OFFSET_DELTA) < fetchOffset) {
      position = batchEnd;
      return;
    }
    if ((header.getShort(BatchHeader.ATTRIBUTES) & 0x07) != 0) {
      throw new UnsupportedBatchException(baseOffset);
    }
    checkCrc(start, header.getInt(BatchHeader.CRC));
    position = start + BatchHeader.SIZE;
  }

  private void checkCrc(long start, int stored) throws IOException {
    CRC32C crc = new CRC32C();
    for (long at = start + BatchHeader.ATTRIBUTES; at < batchEnd; ) {
      int available = (int) Math.min(window.ensure(at, 1), batchEnd - at);
      if (available <= 0) {
        throw new DamagedBatchException("batch cut short", start);
      }
      crc.update(window.array(), window.index(at), available);
      at += available;
    }
    if ((int) crc.getValue() != stored) {
      throw new DamagedBatchException("CRC32C does not fit", start);
    }
  }

  /** The CRC has vouched for the bytes, so what does not fit here was stored so, and is as bad. */
  private void readRecord() throws IOException {
    long recordStart = position;
    window.ensure(position, MAX_PREFIX_BYTES);
    long size = varlong();
    long recordEnd = position + size;
    if (size < 1 || recordEnd > batchEnd) {
      throw new DamagedBatchException("record of " + size + " bytes", recordStart);
    }
    position++; // attributes
    varlong(); // timestamp delta
    offset = baseOffset + varlong();
    keySize = size(recordEnd);
    keyPosition = position;
    position += Math.max(0, keySize);
    window.ensure(position, 5);
    valueSize = size(recordEnd);
    valuePosition = position;
    position = recordEnd;
  }

  private int size(long recordEnd) throws IOException {
    long size = varlong();
    if (size < -1 || size > recordEnd - position) {
      throw new DamagedBatchException("field of " + size + " bytes", position);
    }
    return (int) size;
  }

  private long varlong() throws IOException {
    long raw = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (position >= batchEnd) {
        break;
      }
      byte b = window.array()[window.index(position++)];
      raw |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return (raw >>> 1) ^ -(raw & 1);
      }
    }
    throw new DamagedBatchException("number cut short", position);
  }

  /** Where the next record, or batch, starts. */
  long position() {
    return position;
  }

  long offset() {
    return offset;
  }

  long keyPosition() {
    return keyPosition;
  }

  /** -1 for a null key. */
  int keySize() {
    return keySize;
  }

  long valuePosition() {
    return valuePosition;
  }

  /** -1 for a null value. */
  int valueSize() {
    return valueSize;
  }

  /** What was read is not what a producer was acknowledged for. */
  static final class DamagedBatchException extends IOException {
    private static final long serialVersionUID = 1;

    DamagedBatchException(String what, long position) {
      super("damaged data: " + what + ", " + position + " bytes after the batch that was asked for");
    }
  }

  /** A compressed batch: its records cannot be told apart here. */
  static final class UnsupportedBatchException extends IOException {
    private static final long serialVersionUID = 1;

    UnsupportedBatchException(long baseOffset) {
      super("the batch at offset " + baseOffset + " is compressed: FETCH_BATCHES returns it as it is");
    }
  }
}
