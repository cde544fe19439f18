package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import kaka.connection.ReadWindow;
import kaka.connection.StoredBatches;
import kaka.record.Allowance;
import kaka.record.BatchHeader;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;

/**
 * The records of one stored, compressed batch. It holds the batch as it is stored, since a decoder wants all of it, and of
 * what comes out one record; it asks for both.
 */
final class CompressedRecords implements AutoCloseable {
  private final ReadWindow window;
  private final long start;
  private final int sizeBytes;
  private final Allowance allowance;
  private final byte[] bytes;
  private int loadedBytes;
  private RecordCursor cursor;

  /** @throws kaka.record.NoAllowanceException if there is no room for it */
  CompressedRecords(ReadWindow window, StoredBatches batch, Allowance allowance) throws IOException {
    this.window = window;
    this.start = batch.start();
    this.sizeBytes = (int) (batch.end() - batch.start()); // its length field has 32 bits, and a segment 2 GiB
    allowance.reserve(sizeBytes);
    this.allowance = allowance;
    this.bytes = new byte[sizeBytes];
  }

  /**
   * Reads on; returns false if the window's task was over before the batch was there.
   *
   * @throws kaka.record.NoAllowanceException if there is no room to decompress it
   */
  boolean load() throws IOException {
    while (loadedBytes < sizeBytes) {
      if (window.isTaskOver()) {
        return false;
      }
      int available = Math.min(window.ensure(start + loadedBytes, 1), sizeBytes - loadedBytes);
      if (available <= 0) {
        throw window.damagedAt(start, "batch cut short");
      }
      window.copy(start + loadedBytes, available, ByteBuffer.wrap(bytes, loadedBytes, available));
      loadedBytes += available;
    }
    if (cursor == null) {
      try {
        cursor = RecordBatch.frame(bytes, 0, sizeBytes).cursor(allowance);
      } catch (InvalidBatchException e) {
        throw window.damagedAt(start, e.getMessage());
      }
    }
    return true;
  }

  /** Steps to the next record; its bytes count as work of the window's task. */
  boolean next() throws IOException {
    try {
      if (!cursor.next()) {
        return false;
      }
    } catch (InvalidBatchException e) {
      throw window.damagedAt(start, e.getMessage());
    }
    window.work(BatchHeader.SIZE + Math.max(0, cursor.keySize()) + Math.max(0, cursor.valueSize()));
    return true;
  }

  /** Stands on the current record. */
  RecordCursor cursor() {
    return cursor;
  }

  @Override
  public void close() {
    if (cursor != null) {
      cursor.close();
    }
    allowance.release(sizeBytes);
  }
}
