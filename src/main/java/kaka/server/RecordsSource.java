package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import kaka.log.LogReader;
import kaka.log.LogSnapshot;
import kaka.protocol.Fetch;
import kaka.protocol.Records;

/**
 * The RECORDS answer to a native FETCH: stored batches turned into native records on the way. The frame starts with its
 * length and the number of records, so they are walked twice: once to count, once to send; the window in between is all that
 * is held.
 */
final class RecordsSource implements AnswerSource {
  private final LogSnapshot snapshot;
  private final long fetchOffset;
  private long readOffset;
  private long walkedTo; // offset after the last batch that was walked
  private final int maxBytes;
  private final int sliceBytes;
  private LogReader reader;
  private ReadWindow window;
  private StoredRecords records;
  private int recordCount;
  private long remainingBytes;
  private int remainingRecords;

  private long partAt;
  private int partRemaining;
  private boolean valueNext;

  /**
   * @param fetch whose offset the answer repeats
   * @param readOffset first record wanted, {@code logStartOffset <= readOffset < highWatermark}
   * @param maxBytes bound on the whole frame; one record is sent even if it is larger (KIP-74)
   */
  RecordsSource(LogSnapshot snapshot, Fetch fetch, long readOffset, int maxBytes) throws IOException {
    this.snapshot = snapshot;
    this.fetchOffset = fetch.fetchOffset();
    this.readOffset = readOffset;
    this.maxBytes = maxBytes;
    this.sliceBytes = AnswerSource.sliceBytes(maxBytes);
    this.reader = snapshot.reader(readOffset, Math.max(maxBytes, fetch.minBytes()));
    this.window = new ReadWindow(reader, sliceBytes);
  }

  /**
   * How much of the log is needed is not known before it was walked: a batch's header may take more than its records, and
   * the first batch may begin well before the first record wanted. So if the reader ends too early, a longer one is opened;
   * and if it has no record at all, because compaction took them, one that starts where it ends.
   */
  private void plan() throws IOException {
    long coveredBytes = 0;
    while (!walk()) {
      if (recordCount == 0) {
        readOffset = walkedTo;
        coveredBytes = 0;
      } else if (reader.sizeBytes() > coveredBytes) {
        coveredBytes = reader.sizeBytes();
      } else {
        break;
      }
      reader.close();
      reader = snapshot.reader(readOffset, 2 * coveredBytes + maxBytes);
      window = new ReadWindow(reader, sliceBytes);
    }
    remainingRecords = recordCount;
  }

  /** Counts what fits; returns false if there was room for more than the reader has, and there is more. */
  private boolean walk() throws IOException {
    recordCount = 0;
    remainingBytes = Records.FRAME_HEADER_BYTES;
    StoredRecords walk = new StoredRecords(window, readOffset);
    try {
      while (recordCount == 0 || remainingBytes < maxBytes) {
        if (!walk.next()) {
          walkedTo = walk.nextOffset();
          return walkedTo >= snapshot.highWatermark();
        }
        long recordBytes = Records.RECORD_HEADER_BYTES + Math.max(0L, walk.keySize()) + Math.max(0L, walk.valueSize());
        if (recordCount > 0 && remainingBytes + recordBytes > maxBytes) {
          break;
        }
        remainingBytes += recordBytes;
        recordCount++;
      }
    } catch (IOException e) {
      if (recordCount == 0) {
        throw e; // what stands before it is whole; the next fetch, which starts at it, gets the error
      }
    }
    return true;
  }

  @Override
  public byte[] next() throws IOException {
    boolean isFirst = records == null;
    if (isFirst) {
      plan();
      records = new StoredRecords(window, readOffset);
    }
    ByteBuffer out = ByteBuffer.allocate((int) Math.min(sliceBytes, remainingBytes));
    if (isFirst) {
      int recordsBytes = Math.toIntExact(remainingBytes - Records.FRAME_HEADER_BYTES);
      out.position(Records.encodeFrameHeader(out.array(), 0, recordsBytes, fetchOffset, recordCount));
    }
    while (out.hasRemaining()) {
      if (partRemaining > 0) {
        copyPart(out);
      } else if (valueNext) {
        valueNext = false;
        partAt = records.valuePosition();
        partRemaining = Math.max(0, records.valueSize());
      } else if (remainingRecords == 0 || out.remaining() < Records.RECORD_HEADER_BYTES) {
        break;
      } else {
        startRecord(out);
      }
    }
    remainingBytes -= out.position();
    return out.hasRemaining() ? Arrays.copyOf(out.array(), out.position()) : out.array();
  }

  private void startRecord(ByteBuffer out) throws IOException {
    if (!records.next()) {
      throw new IOException("fewer records than were counted");
    }
    remainingRecords--;
    out.position(
        Records.encodeRecordHeader(out.array(), out.position(), records.offset(), records.keySize(), records.valueSize()));
    partAt = records.keyPosition();
    partRemaining = Math.max(0, records.keySize());
    valueNext = true;
  }

  private void copyPart(ByteBuffer out) throws IOException {
    int available = window.ensure(partAt, 1);
    int count = Math.min(Math.min(available, partRemaining), out.remaining());
    if (count <= 0) {
      throw new IOException("the log ends inside a record");
    }
    out.put(window.array(), window.index(partAt), count);
    partAt += count;
    partRemaining -= count;
  }

  @Override
  public long availableBytes() {
    return reader.sizeBytes();
  }

  @Override
  public boolean isExhausted() {
    return remainingBytes == 0;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
