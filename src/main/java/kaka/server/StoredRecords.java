package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import kaka.connection.HiddenBatches;
import kaka.connection.ReadWindow;
import kaka.connection.StoredBatches;
import kaka.record.Allowance;
import kaka.record.BatchHeader;
import kaka.record.RecordCursor;
import kaka.record.Varint;

/**
 * Walks the records of stored batches through a bounded window, whatever the size of a batch or a record: after
 * {@link #next} the accessors say where key and value stand. A batch is checked before its first record is given. Only a
 * compressed batch is held, and what it becomes record by record, see {@link CompressedRecords}. Transaction markers are
 * passed over.
 */
final class StoredRecords implements AutoCloseable {
  /** A number takes so many bytes at most, even one that a client wrote longer than it had to. */
  private static final int MAX_NUMBER_BYTES = 10;

  /** What stands before a record's key at most: its size, attributes, timestamp, offset and key size. */
  private static final int MAX_PREFIX_BYTES = 4 * MAX_NUMBER_BYTES + 1;

  private final ReadWindow window;
  private final long fetchOffset;
  private final StoredBatches batches;
  private final Allowance allowance;

  /** The batch, if it is a compressed one; else null. */
  private final HiddenBatches hidden;
  private CompressedRecords compressed;

  private long position;
  private long leastOffsetDelta; // of the next record

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
   * @param allowance asked for what a compressed batch takes
   * @param hidden batches whose records are passed over
   */
  StoredRecords(
      ReadWindow window, long position, long fetchOffset, Allowance allowance, HiddenBatches hidden) {
    this.hidden = hidden;
    this.allowance = allowance;
    this.window = window;
    this.fetchOffset = fetchOffset;
    this.batches = new StoredBatches(window, position, fetchOffset);
    this.position = position;
  }

  /**
   * Steps to the next record at or above the fetch offset. At the end it can be called again if the window was extended.
   *
   * @throws kaka.log.LogDamagedException if a batch is not what was written
   * @throws kaka.record.NoAllowanceException if a compressed batch is next, and there is no room for it
   */
  Step next() throws IOException {
    while (true) {
      while (entering || position == batches.end()) {
        Step step = enterBatch();
        if (step != Step.RECORD) {
          return step;
        }
      }
      if (window.isTaskOver()) {
        return Step.PAUSE;
      }
      if (compressed == null) {
        readRecord();
      } else if (!readCompressed()) {
        position = batches.end();
        continue;
      }
      if (offset >= fetchOffset) {
        return Step.RECORD;
      }
    }
  }

  private Step enterBatch() throws IOException {
    if (!entering) {
      close();
      if (!batches.next()) {
        return Step.END;
      }
      entering = true;
    }
    if (!batches.checkCrc()) {
      return Step.PAUSE;
    }
    if (batches.isControl() || hidden.contains(batches)) {
      position = batches.end();
    } else {
      if (batches.isCompressed()) {
        if (compressed == null) {
          compressed = new CompressedRecords(window, batches, allowance);
        }
        if (!compressed.load()) {
          return Step.PAUSE;
        }
      }
      position = batches.start() + BatchHeader.SIZE;
    }
    entering = false;
    leastOffsetDelta = 0;
    return Step.RECORD;
  }

  /** Returns false after the last record. */
  private boolean readCompressed() throws IOException {
    if (!compressed.next()) {
      return false;
    }
    RecordCursor record = compressed.cursor();
    setOffset(record.offset() - batches.baseOffset(), batches.start());
    keySize = record.keySize();
    keyPosition = record.keyPosition();
    valueSize = record.valueSize();
    valuePosition = record.valuePosition();
    return true;
  }

  private void setOffset(long offsetDelta, long recordStart) throws IOException {
    if (offsetDelta < leastOffsetDelta || offsetDelta >= batches.nextOffset() - batches.baseOffset()) { // compaction leaves gaps
      throw window.damagedAt(recordStart, "offset delta " + offsetDelta + " where " + leastOffsetDelta + " may be next");
    }
    leastOffsetDelta = offsetDelta + 1;
    offset = batches.baseOffset() + offsetDelta;
  }

  /** The CRC has vouched for the bytes, so what does not fit here was stored so, and is as bad. */
  private void readRecord() throws IOException {
    long recordStart = position;
    ensureNumbers(MAX_PREFIX_BYTES);
    int size = varint();
    long recordEnd = position + size;
    if (size < 1 || recordEnd > batches.end()) {
      throw window.damagedAt(recordStart, "record of " + size + " bytes");
    }
    position++; // attributes
    number(Long.SIZE); // timestamp delta
    setOffset(varint(), recordStart);
    keySize = size(recordEnd);
    keyPosition = position;
    position += Math.max(0, keySize);
    ensureNumbers(MAX_NUMBER_BYTES);
    valueSize = size(recordEnd);
    valuePosition = position;
    position = recordEnd;
  }

  /** As many bytes as there are in the batch. */
  private void ensureNumbers(int maxBytes) throws IOException {
    window.ensure(position, (int) Math.min(maxBytes, batches.end() - position));
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
    ByteBuffer bytes = window.buffer();
    int at = window.index(position);
    long raw = 0;
    for (int shift = 0; shift < bits && position < batches.end(); shift += 7) {
      byte b = bytes.get(at++);
      position++;
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

  /** Makes a byte of the current record's key or value readable; returns how many from it on are, at least. */
  int ensure(long at) throws IOException {
    return compressed == null ? window.ensure(at, 1) : Integer.MAX_VALUE;
  }

  /** Copies {@code count} readable bytes from {@code at} on to {@code target}. */
  void copy(long at, int count, ByteBuffer target) {
    if (compressed == null) {
      window.copy(at, count, target);
    } else {
      target.put(compressed.cursor().array(), (int) at, count);
    }
  }

  /** Lets go of a compressed batch. */
  @Override
  public void close() {
    if (compressed != null) {
      compressed.close();
      compressed = null;
    }
  }
}
