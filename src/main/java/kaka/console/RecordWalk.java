package kaka.console;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import kaka.connection.HiddenBatches;
import kaka.connection.ReadWindow;
import kaka.connection.StoredBatches;
import kaka.log.LogReader;
import kaka.log.LogSnapshot;
import kaka.record.Allowance;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;

/**
 * Walks the committed records of a partition, checked batch by checked batch. One batch is held at a time, and what a compressed one
 * becomes record by record; an allowance is asked for both. Transaction markers and what was aborted are passed over. For one
 * thread; close it.
 */
final class RecordWalk implements AutoCloseable {
  private static final int WINDOW_BYTES = 64 << 10;

  /** A reader opens the segments that it covers. */
  private static final int READER_BYTES = 1 << 20;

  private final LogSnapshot snapshot;
  private final Allowance memory;
  private final HiddenBatches hidden;
  private LogReader reader;
  private ReadWindow window;
  private StoredBatches batches;
  private byte[] bytes = {}; // what of it is charged: all
  private RecordBatch batch;
  private RecordCursor cursor; // null between batches
  private boolean isAtEnd;
  private long position;
  private long scannedBytes;
  private long scannedRecords;

  /**
   * @param snapshot what is {@link LogSnapshot#committed} of a partition
   * @param from where to start, from its log start to its end
   */
  RecordWalk(LogSnapshot snapshot, long from, Allowance memory) throws IOException {
    this.snapshot = snapshot;
    this.memory = memory;
    this.hidden = new HiddenBatches(snapshot);
    this.position = from;
    open();
  }

  private void open() throws IOException {
    reader = snapshot.reader(position, READER_BYTES);
    window = new ReadWindow(reader, WINDOW_BYTES);
    batches = new StoredBatches(window, 0, position);
  }

  /**
   * Steps to the next record.
   *
   * @return false {@link #isAtEnd at the end} of what is committed, or after having passed over a lot: then call it again
   * @throws kaka.record.NoAllowanceException if there is no room for the next batch
   */
  boolean next() throws IOException {
    long scannedBefore = scannedBytes;
    while (true) {
      while (cursor == null) {
        if (isAtEnd || scannedBytes - scannedBefore > READER_BYTES) {
          return false;
        }
        enter();
      }
      if (!step()) {
        cursor.close();
        cursor = null;
        position = Math.max(position, batches.nextOffset());
      } else if (cursor.offset() >= position) {
        position = cursor.offset() + 1;
        scannedRecords++;
        return true;
      }
    }
  }

  private boolean step() throws IOException {
    try {
      boolean isRecord = cursor.next();
      if (isRecord && batch.isCompressed()) { // a few stored bytes may be many
        scannedBytes += Math.max(0, cursor.keySize()) + Math.max(0, cursor.valueSize());
      }
      return isRecord;
    } catch (InvalidBatchException e) {
      throw window.damagedAt(batches.start(), e.getMessage());
    }
  }

  /** Goes to the next batch, and into it unless it is to be passed over. */
  private void enter() throws IOException {
    window.startTask(WINDOW_BYTES);
    if (!batches.next()) {
      isAtEnd = position >= snapshot.highWatermark();
      if (isAtEnd) {
        return;
      }
      reader.close();
      open();
      isAtEnd = !batches.next();
      if (isAtEnd) {
        return;
      }
    }
    scannedBytes += batches.end() - batches.start();
    if (batches.isControl() || hidden.contains(batches)) {
      position = Math.max(position, batches.nextOffset());
    } else {
      load();
    }
  }

  private void load() throws IOException {
    int size = (int) (batches.end() - batches.start()); // its length field has 32 bits, and a segment 2 GiB
    if (bytes.length < size) {
      memory.release(bytes.length);
      bytes = new byte[0];
      memory.reserve(size);
      bytes = new byte[size];
    }
    if (window.holds(batches.start(), size)) {
      window.copy(batches.start(), size, ByteBuffer.wrap(bytes));
    } else if (reader.read(ByteBuffer.wrap(bytes, 0, size), batches.start()) < size) {
      throw window.damagedAt(batches.start(), "batch cut short");
    }
    try {
      batch = RecordBatch.frame(bytes, 0, size);
      if (!batch.isCrcValid()) {
        throw window.damagedAt(batches.start(), "CRC32C does not fit");
      }
      cursor = batch.cursor(memory);
    } catch (InvalidBatchException e) {
      throw window.damagedAt(batches.start(), e.getMessage());
    }
  }

  /** Whether there is no more. */
  boolean isAtEnd() {
    return isAtEnd;
  }

  /** The record that {@link #next} stepped to. */
  RecordCursor record() {
    return cursor;
  }

  /** The batch that it is in. */
  RecordBatch batch() {
    return batch;
  }

  /** The record's first headers, at most so many. */
  List<RecordCursor.HeaderView> headers(int maxCount) throws IOException {
    try {
      return cursor.headerViews(maxCount);
    } catch (InvalidBatchException e) {
      throw window.damagedAt(batches.start(), e.getMessage());
    }
  }

  /** How the batch is compressed. */
  String compression() throws IOException {
    try {
      return batch.codec().toString();
    } catch (InvalidBatchException e) {
      throw window.damagedAt(batches.start(), e.getMessage());
    }
  }

  /** Where to go on: one past the record, or the batch, that was seen last. */
  long position() {
    return position;
  }

  /** Of batches, and of what came out of compressed ones. */
  long scannedBytes() {
    return scannedBytes;
  }

  long scannedRecords() {
    return scannedRecords;
  }

  @Override
  public void close() throws IOException {
    if (cursor != null) {
      cursor.close();
      cursor = null;
    }
    memory.release(bytes.length);
    bytes = new byte[0];
    reader.close();
  }
}
