package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import kaka.connection.HiddenBatches;
import kaka.connection.ReadWindow;
import kaka.connection.RunBuffers;
import kaka.log.LogReader;
import kaka.log.LogSnapshot;
import kaka.protocol.Fetch;
import kaka.protocol.Records;
import kaka.record.Allowance;
import kaka.record.BatchHeader;
import kaka.record.NoAllowanceException;

/**
 * The RECORDS answer to a native FETCH: stored batches turned into native records on the way. The frame starts with its
 * length and the number of records, so they are walked to the end before the first byte goes out. What is found on this walk
 * is converted at once, as long as it finds room in the slices that may be held; only what is left then is walked again, to be
 * sent. The slices and the window are all that is held, and what a compressed batch takes, which is asked for as it is met.
 */
final class RecordsSource implements AnswerSource {
  /** A record is up to so many times as long in an answer as it is stored: 16 bytes for 7 where it is empty. */
  private static final int MAX_GROWTH = 3;

  private final LogSnapshot snapshot;
  private final long fetchOffset;
  private long readOffset;
  private final int maxBytes;
  private int sliceBytes;
  private final ReadWindow window;
  private final HeldAllowance allowance;
  private final HiddenBatches hidden;
  private final RunBuffers buffers;
  private final MadeSlices slices;
  private LogReader reader;

  /** While planning, the walk to the end; then the second one, over what was not converted. */
  private StoredRecords records;

  private boolean planned;
  private int recordCount;
  private int convertedCount;
  private boolean converting = true;
  private long unconvertedBatch;
  private long unconvertedOffset;
  private long remainingBytes = Records.FRAME_HEADER_BYTES;
  private int remainingRecords;

  private long partAt;
  private int partRemaining;
  private boolean valueNext;

  /**
   * @param fetch whose offset the answer repeats
   * @param readOffset first record wanted, {@code logStartOffset <= readOffset < highWatermark}
   * @param maxBytes bound on the whole frame; one record is sent even if it is larger (KIP-74)
   * @param budget asked for what compressed batches take
   * @param buffers to read into, and to write from
   */
  RecordsSource(LogSnapshot snapshot, Fetch fetch, long readOffset, int maxBytes, Allowance budget, RunBuffers buffers)
      throws IOException {
    this.buffers = buffers;
    this.slices = new MadeSlices(buffers);
    this.allowance = new HeldAllowance(budget);
    this.snapshot = snapshot;
    this.hidden = new HiddenBatches(snapshot);
    this.fetchOffset = fetch.fetchOffset();
    this.readOffset = readOffset;
    this.maxBytes = maxBytes;
    this.reader = snapshot.reader(readOffset, maxBytes);
    this.window = new ReadWindow(reader, 2 * BatchHeader.SIZE);
    this.window.expect(maxBytes);
    this.records = new StoredRecords(window, 0, readOffset, allowance, hidden);
  }

  // ---------------------------------------------------------------- the plan: how many records, how many bytes

  /** Goes on counting what fits; returns false if the window's task was over before. */
  private boolean plan() throws IOException {
    if (slices.isEmpty()) {
      startSlices();
    }
    try {
      while (recordCount == 0 || remainingBytes < maxBytes) {
        switch (records.next()) {
          case PAUSE -> {
            return false;
          }
          case END -> {
            if (records.nextOffset() >= snapshot.highWatermark() || !(recordCount == 0 ? moveReader() : lengthenReader())) {
              return onPlanned();
            }
          }
          case RECORD -> {
            long recordBytes = recordBytes();
            if (recordCount > 0 && remainingBytes + recordBytes > maxBytes) {
              return onPlanned();
            }
            if (converting) {
              convert(recordBytes);
            }
            remainingBytes += recordBytes;
            recordCount++;
          }
        }
      }
    } catch (IOException | NoAllowanceException e) {
      if (recordCount == 0) {
        throw e; // what stands before it is whole; the next fetch, which starts at it, gets the error
      }
    }
    return onPlanned();
  }

  private void startSlices() {
    long enough = MAX_GROWTH * reader.sizeBytes() + Records.FRAME_HEADER_BYTES;
    slices.add(sliceBytes, enough).position(Records.FRAME_HEADER_BYTES);
  }

  private long recordBytes() {
    return Records.RECORD_HEADER_BYTES + Math.max(0L, records.keySize()) + Math.max(0L, records.valueSize());
  }

  /**
   * How much of the log is needed is not known before it was walked: a batch's header may take more than its records, and
   * the first batch may begin well before the first record wanted. So where the reader ends too early, a longer one goes on.
   */
  private boolean lengthenReader() throws IOException {
    long coveredBytes = reader.sizeBytes();
    LogReader longer = snapshot.reader(readOffset, 2 * coveredBytes + maxBytes); // first: it may fail
    reader.close();
    reader = longer;
    window.extend(reader);
    return reader.sizeBytes() > coveredBytes;
  }

  /** Where the reader had no record at all, because compaction took them, one that starts where it ended goes on. */
  private boolean moveReader() throws IOException {
    if (records.nextOffset() <= readOffset) {
      return false;
    }
    readOffset = records.nextOffset();
    LogReader next = snapshot.reader(readOffset, maxBytes); // first: it may fail
    reader.close();
    reader = next;
    window.restart(reader);
    records.close();
    records = new StoredRecords(window, 0, readOffset, allowance, hidden);
    slices.drop();
    startSlices();
    return true;
  }

  /** Puts the current record into the slices, or, where it finds no room, notes where the second walk starts. */
  private void convert(long recordBytes) throws IOException {
    ByteBuffer last = slices.last();
    boolean fits = recordBytes <= last.remaining();
    if (!fits && recordBytes <= sliceBytes && slices.count() < MadeSlices.maxCount(sliceBytes)) {
      last = slices.add(sliceBytes, sliceBytes);
      fits = true;
    }
    if (!fits) {
      converting = false;
      unconvertedBatch = records.batchPosition();
      unconvertedOffset = records.offset();
      return;
    }
    int start = last.position();
    try {
      putHeader(last);
      putParts(last);
    } catch (IOException e) { // it is not counted either
      last.position(start);
      partRemaining = 0;
      valueNext = false;
      throw e;
    }
    convertedCount++;
  }

  private boolean onPlanned() {
    planned = true;
    int recordsBytes = Math.toIntExact(remainingBytes - Records.FRAME_HEADER_BYTES);
    Records.encodeFrameHeader(slices.first(), 0, recordsBytes, fetchOffset, recordCount);
    remainingRecords = recordCount - convertedCount;
    if (remainingRecords > 0) {
      records.close();
      records = new StoredRecords(window, unconvertedBatch, unconvertedOffset, allowance, hidden);
    }
    return true;
  }

  // ---------------------------------------------------------------- the slices

  @Override
  public Optional<ByteBuffer> next(int sliceBytes) throws IOException {
    this.sliceBytes = sliceBytes;
    startTask();
    if (!planned && !plan()) {
      return Optional.empty();
    }
    if (slices.isEmpty()) {
      slices.add(sliceBytes, remainingBytes);
    }
    if (slices.count() == 1 && !fill(slices.first())) {
      return Optional.empty();
    }
    if (isRead()) {
      window.drop();
    }
    ByteBuffer out = slices.take();
    remainingBytes -= out.limit();
    return Optional.of(out);
  }

  private void startTask() {
    if (!MadeSlices.areLarge(sliceBytes)) {
      window.startTask(sliceBytes);
    } else if (!isRead()) {
      window.startLargeTask(sliceBytes, buffers);
    }
  }

  /** Whether what is left to be sent is in the slices. */
  private boolean isRead() {
    return planned && remainingRecords == 0 && partRemaining == 0 && !valueNext;
  }

  /** Second walk: goes on until the slice is full or all is sent; returns false if the window's task was over before. */
  private boolean fill(ByteBuffer out) throws IOException {
    putParts(out);
    while (remainingRecords > 0 && out.remaining() >= Records.RECORD_HEADER_BYTES) {
      switch (records.next()) {
        case PAUSE -> {
          return false;
        }
        case END -> throw new IOException("fewer records than were counted");
        case RECORD -> {
          remainingRecords--;
          putHeader(out);
          putParts(out);
        }
      }
    }
    return true;
  }

  private void putHeader(ByteBuffer out) {
    out.position(
        Records.encodeRecordHeader(out, out.position(), records.offset(), records.keySize(), records.valueSize()));
    partAt = records.keyPosition();
    partRemaining = Math.max(0, records.keySize());
    valueNext = true;
  }

  /** What is left of the current record's key and value, as far as there is room. */
  private void putParts(ByteBuffer out) throws IOException {
    while (partRemaining > 0 || valueNext) {
      if (partRemaining == 0) {
        nextPart();
      } else if (out.hasRemaining()) {
        copyPart(out);
      } else {
        return;
      }
    }
  }

  private void nextPart() {
    valueNext = false;
    partAt = records.valuePosition();
    partRemaining = Math.max(0, records.valueSize());
  }

  private void copyPart(ByteBuffer out) throws IOException {
    int available = records.ensure(partAt);
    int count = Math.min(Math.min(available, partRemaining), out.remaining());
    if (count <= 0) {
      throw new IOException("the log ends inside a record");
    }
    records.copy(partAt, count, out);
    partAt += count;
    partRemaining -= count;
  }

  @Override
  public long availableBytes() {
    return reader.sizeBytes();
  }

  @Override
  public long recordCount() {
    return recordCount;
  }

  @Override
  public long madeBytes() {
    return slices.heldBytes();
  }

  @Override
  public long windowBytes() {
    return window.heldBytes();
  }

  @Override
  public long taskBytes(int sliceBytes) {
    long eachBytes = MadeSlices.maxBytes(sliceBytes);
    int more = Math.max(0, (planned ? 1 : MadeSlices.maxCount(sliceBytes)) - slices.count());
    return madeBytes() + more * eachBytes + Math.max(window.heldBytes(), isRead() ? 0 : eachBytes);
  }

  @Override
  public long leftBytes() {
    return planned ? remainingBytes : Math.min(maxBytes, MAX_GROWTH * reader.sizeBytes() + Records.FRAME_HEADER_BYTES);
  }

  @Override
  public void trim() {
    window.drop();
  }

  @Override
  public boolean isNothing() {
    return planned && recordCount == 0;
  }

  @Override
  public boolean isExhausted() {
    return planned && remainingBytes == 0;
  }

  @Override
  public void close() throws IOException {
    try {
      records.close();
      allowance.close();
    } finally {
      window.drop();
      slices.drop();
      reader.close();
    }
  }
}
