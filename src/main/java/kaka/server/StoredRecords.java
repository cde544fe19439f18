package kaka.server;

import java.io.IOException;
import kaka.record.BatchHeader;
import kaka.record.Varint;

/**
 * Walks the records of stored batches through a bounded window, whatever the size of a batch or a record: after
 * {@link #next} the accessors say where key and value stand. A batch is checked before its first record is given.
 */
final class StoredRecords {
  /** A number takes so many bytes at most, even one that a client wrote longer than it had to. */
  private static final int MAX_NUMBER_BYTES = 10;

  /** What stands before a record's key at most: its size, attributes, timestamp, offset and key size. */
  private static final int MAX_PREFIX_BYTES = 4 * MAX_NUMBER_BYTES + 1;

  private final ReadWindow window;
  private final long fetchOffset;
  private final StoredBatches batches;
  private long position;
  private int leastOffsetDelta; // of the next record

  /** The batch's header is read, its CRC is not checked yet. */
  private boolean entering;

  private long offset;
  private long keyPosition;
  private int keySize;
  private long valuePosition;
  private int valueSize;

  /** What {@link #next} came to. */
  enum Step {
    RECORD,
    END,
    /** The window's task is over: call again in the next. */
    PAUSE
  }

  /**
   * @param position where the first batch starts
   * @param fetchOffset is in that batch; records below it are passed over
   */
  StoredRecords(ReadWindow window, long position, long fetchOffset) {
    this.window = window;
    this.fetchOffset = fetchOffset;
    this.batches = new StoredBatches(window, position, fetchOffset);
    this.position = position;
  }

  /**
   * Steps to the next record at or above the fetch offset. At the end it can be called again if the window was extended.
   *
   * @throws kaka.log.LogDamagedException if a batch is not what was written
   */
  Step next() throws IOException {
    do {
      while (entering || position == batches.end()) {
        Step step = enterBatch();
        if (step != Step.RECORD) {
          return step;
        }
      }
      if (window.isTaskOver()) {
        return Step.PAUSE;
      }
      readRecord();
    } while (offset < fetchOffset);
    return Step.RECORD;
  }

  private Step enterBatch() throws IOException {
    if (!entering) {
      if (!batches.next()) {
        return Step.END;
      }
      entering = true;
    }
    if (!batches.checkCrc()) {
      return Step.PAUSE;
    }
    entering = false;
    if (batches.isCompressed()) { // so it was stored: not a flipped bit
      throw new UnsupportedBatchException(batches.baseOffset());
    }
    position = batches.start() + BatchHeader.SIZE;
    leastOffsetDelta = 0;
    return Step.RECORD;
  }

  /** The CRC has vouched for the bytes, so what does not fit here was stored so, and is as bad. */
  private void readRecord() throws IOException {
    long recordStart = position;
    window.ensure(position, MAX_PREFIX_BYTES);
    int size = varint();
    long recordEnd = position + size;
    if (size < 1 || recordEnd > batches.end()) {
      throw window.damagedAt(recordStart, "record of " + size + " bytes");
    }
    position++; // attributes
    number(Long.SIZE); // timestamp delta
    int offsetDelta = varint();
    if (offsetDelta < leastOffsetDelta || offsetDelta >= batches.nextOffset() - batches.baseOffset()) { // compaction leaves gaps
      throw window.damagedAt(recordStart, "offset delta " + offsetDelta + " where " + leastOffsetDelta + " may be next");
    }
    leastOffsetDelta = offsetDelta + 1;
    offset = batches.baseOffset() + offsetDelta;
    keySize = size(recordEnd);
    keyPosition = position;
    position += Math.max(0, keySize);
    window.ensure(position, MAX_NUMBER_BYTES);
    valueSize = size(recordEnd);
    valuePosition = position;
    position = recordEnd;
  }

  private int size(long recordEnd) throws IOException {
    int size = varint();
    if (size < -1 || size > recordEnd - position) {
      throw window.damagedAt(position, "field of " + size + " bytes");
    }
    return size;
  }

  private int varint() throws IOException {
    return (int) number(Integer.SIZE);
  }

  private long number(int bits) throws IOException {
    long raw = 0;
    for (int shift = 0; shift < bits && position < batches.end(); shift += 7) {
      byte b = window.array()[window.index(position++)];
      int part = b & 0x7f;
      if (!Varint.fits(part, bits - shift)) {
        break;
      }
      raw |= (long) part << shift;
      if (b >= 0) {
        return Varint.unzigzag(raw);
      }
    }
    throw window.damagedAt(position, "no number of " + bits + " bits");
  }

  /** Where the batch of the current record starts. */
  long batchPosition() {
    return batches.start();
  }

  /** One past the last offset of the batch that was entered last. */
  long nextOffset() {
    return batches.nextOffset();
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

  /** A compressed batch: its records cannot be told apart here. */
  static final class UnsupportedBatchException extends IOException {
    private static final long serialVersionUID = 1;

    UnsupportedBatchException(long baseOffset) {
      super("the batch at offset " + baseOffset + " is compressed: FETCH_BATCHES returns it as it is");
    }
  }
}
