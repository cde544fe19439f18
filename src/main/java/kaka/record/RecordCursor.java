package kaka.record;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Walks the records of one batch: after {@link #next} its accessors describe the current record as positions in
 * {@link #array}. An uncompressed batch is walked in place, so nothing is copied until somebody asks for it; of a compressed
 * one only the current record is held, in an array that may be another one after each step. Not for sharing between threads;
 * close it, because a codec may hold memory.
 *
 * <p>Every length is checked against the batch's end before it is believed. In a compressed batch, whose end is not known, a
 * record is at most {@link #MAX_RECORD_BYTES} long, memory is taken only as bytes come, and the number of records must be what
 * the header says.
 */
public final class RecordCursor implements AutoCloseable {
  /** A record of a compressed batch, in bytes, at most. */
  public static final int MAX_RECORD_BYTES = 64 << 20;

  /** All records of a compressed batch, in bytes, at most. */
  public static final int MAX_UNPACKED_BYTES = Decompression.MAX_BYTES;

  private static final int FIRST_BUFFER_BYTES = 16 << 10;

  /** Bytes of a record's size, at most. */
  private static final int MAX_SIZE_BYTES = 5;

  private final RecordBatch batch;
  private final int batchStart;

  /** Where the bytes come from, if they are compressed; else null. */
  private final Decompression decompression;

  private final Allowance allowance;
  private byte[] bytes;

  /** End of the bytes that are there. */
  private int limit;

  private int position;
  private int recordCount;

  private int recordEnd;
  private long timestampDelta;
  private int offsetDelta;
  private int tailPosition;
  private int keyPosition;
  private int keySize;
  private int valuePosition;
  private int valueSize;
  private int headersPosition;

  RecordCursor(RecordBatch batch, byte[] bytes, int batchStart, int position, int limit) {
    this.batch = batch;
    this.bytes = bytes;
    this.batchStart = batchStart;
    this.position = position;
    this.limit = limit;
    this.decompression = null;
    this.allowance = Allowance.UNLIMITED;
  }

  private RecordCursor(RecordBatch batch, Decompression decompression, Allowance allowance) {
    this.batch = batch;
    this.bytes = new byte[FIRST_BUFFER_BYTES];
    this.batchStart = 0;
    this.decompression = decompression;
    this.allowance = allowance;
  }

  /** A cursor over the records of a compressed batch, which asks for what it holds. */
  static RecordCursor decompressing(RecordBatch batch, Codec codec, ByteBuffer compressed, Allowance allowance)
      throws InvalidBatchException {
    allowance.reserve(FIRST_BUFFER_BYTES);
    RecordCursor cursor = null;
    try {
      cursor = new RecordCursor(batch, Decompression.open(codec, compressed, allowance), allowance);
      return cursor;
    } finally {
      if (cursor == null) {
        allowance.release(FIRST_BUFFER_BYTES);
      }
    }
  }

  /**
   * Steps to the next record.
   *
   * @return false at the batch's end
   * @throws InvalidBatchException if a length does not fit
   */
  public boolean next() throws InvalidBatchException {
    if (decompression == null ? position == limit : !load()) {
      return false;
    }
    int start = position;
    int size = varint(limit);
    if (size < 1 || size > limit - position) {
      throw bad("record of " + size + " bytes", start);
    }
    recordEnd = position + size;
    position++; // the record's attributes: unused by the format
    timestampDelta = varlong(recordEnd);
    offsetDelta = varint(recordEnd);
    tailPosition = position;
    keySize = size("key");
    keyPosition = position;
    position += Math.max(0, keySize);
    valueSize = size("value");
    valuePosition = position;
    position += Math.max(0, valueSize);
    headersPosition = position;
    skipHeaders();
    if (position != recordEnd) {
      throw bad("bytes left in a record", position);
    }
    recordCount++;
    return true;
  }

  /** Makes all of the next record readable; returns false after the last. */
  private boolean load() throws InvalidBatchException {
    if (bytes == null) {
      throw new IllegalStateException("closed");
    }
    if (!fill(1)) {
      if (recordCount != batch.recordCount()) {
        throw bad("ends after " + recordCount + " of " + batch.recordCount() + " records", position);
      }
      return false;
    }
    if (recordCount == batch.recordCount()) {
      throw bad("bytes after its last record", position);
    }
    fill(MAX_SIZE_BYTES);
    int start = position;
    int size = varint(limit);
    long maxBytes = Math.min(MAX_RECORD_BYTES, allowance.maxUnpackedBytes());
    if (size < 1) {
      throw bad("record of " + size + " bytes", start);
    }
    if (size > maxBytes) {
      String what = "decompressed record " + recordCount + ": record of " + size + " bytes, at most " + maxBytes;
      throw new InvalidBatchException(InvalidBatchException.Kind.TOO_LARGE, what, BatchHeader.SIZE);
    }
    int sizeBytes = position - start;
    position = start;
    if (!fill(sizeBytes + size)) {
      throw bad("record of " + size + " bytes", start);
    }
    return true;
  }

  /** Makes {@code count} bytes readable; returns false if there are fewer. */
  private boolean fill(int count) throws InvalidBatchException {
    while (limit - position < count) {
      if (limit == bytes.length) {
        makeRoom(count);
      }
      int got = decompression.read(bytes, limit, bytes.length - limit);
      if (got < 0) {
        return false;
      }
      limit += got;
    }
    return true;
  }

  /** The array is full: what was read goes, and if that is not much, it grows, by as much as has come at most. */
  private void makeRoom(int count) {
    int kept = limit - position;
    byte[] to = bytes;
    if (count > bytes.length && kept > bytes.length / 2) {
      int capacity = (int) Math.min(count, 2L * bytes.length);
      allowance.reserve(capacity);
      to = new byte[capacity];
    }
    System.arraycopy(bytes, position, to, 0, kept);
    if (to != bytes) {
      allowance.release(bytes.length);
      bytes = to;
    }
    position = 0;
    limit = kept;
  }

  /** Lets go of what decompressing takes; the current record cannot be read any more. */
  @Override
  public void close() {
    if (decompression != null && bytes != null) {
      decompression.close();
      allowance.release(bytes.length);
      bytes = null;
    }
  }

  private InvalidBatchException bad(String what, int at) {
    return decompression == null
        ? new InvalidBatchException(what, at - batchStart)
        : new InvalidBatchException("decompressed record " + recordCount + ": " + what, BatchHeader.SIZE);
  }

  private int size(String field) throws InvalidBatchException {
    int at = position;
    int size = varint(recordEnd);
    if (size < -1 || size > recordEnd - position) {
      throw bad(field + " of " + size + " bytes", at);
    }
    return size;
  }

  private void skipHeaders() throws InvalidBatchException {
    int at = position;
    int count = varint(recordEnd);
    if (count < 0 || count > recordEnd - position) {
      throw bad(count + " headers", at);
    }
    for (int i = 0; i < count; i++) {
      int nameAt = position;
      int nameSize = size("header name");
      if (nameSize < 0) {
        throw bad("header without name", nameAt);
      }
      position += nameSize;
      int valueSize = size("header value"); // moves position, so not in the sum below
      position += Math.max(0, valueSize);
    }
  }

  /** All numbers of a record but its timestamp have 32 bits in Kafka's format; one cut to 32 would name another offset. */
  private int varint(int end) throws InvalidBatchException {
    return (int) number(end, Integer.SIZE);
  }

  private long varlong(int end) throws InvalidBatchException {
    return number(end, Long.SIZE);
  }

  private long number(int end, int bits) throws InvalidBatchException {
    long raw = 0;
    int at = position;
    for (int shift = 0; shift < bits; shift += 7) {
      if (position >= end) {
        throw bad("number cut short", at);
      }
      byte b = bytes[position++];
      int part = b & 0x7f;
      if (!Varint.fits(part, bits - shift)) {
        break;
      }
      raw |= (long) part << shift;
      if (b >= 0) {
        return Varint.unzigzag(raw);
      }
    }
    throw bad("number of more than " + bits + " bits", at);
  }

  /** The array that the positions below point into, until the next step. */
  public byte[] array() {
    return bytes;
  }

  /** Where in {@link #array} the next record starts. */
  public int position() {
    return position;
  }

  /** Where in the batch to say that something is wrong with the current record. */
  int errorPosition() {
    return decompression == null ? position - batchStart : BatchHeader.SIZE;
  }

  public long offset() {
    return batch.baseOffset() + offsetDelta;
  }

  int offsetDelta() {
    return offsetDelta;
  }

  /** Where the current record's key size, key, value and headers start; they end at {@link #position}. */
  int tailPosition() {
    return tailPosition;
  }

  public long timestampMs() {
    return batch.isLogAppendTime() ? batch.maxTimestampMs() : batch.baseTimestampMs() + timestampDelta;
  }

  public int keyPosition() {
    return keyPosition;
  }

  /** Bytes of the key, -1 for a null key, as in the format. */
  public int keySize() {
    return keySize;
  }

  public int valuePosition() {
    return valuePosition;
  }

  /** Bytes of the value, -1 for a null value, as in the format. */
  public int valueSize() {
    return valueSize;
  }

  /** The current record, copied out. */
  public Record record() throws InvalidBatchException {
    return new Record(offset(), timestampMs(), copy(keyPosition, keySize), copy(valuePosition, valueSize), headers());
  }

  private byte[] copy(int from, int size) {
    return size < 0 ? null : Arrays.copyOfRange(bytes, from, from + size);
  }

  /**
   * Where a header stands in {@link #array}, as long as the record does.
   *
   * @param valueSize -1 for a null value
   */
  public record HeaderView(int namePosition, int nameSize, int valuePosition, int valueSize) {}

  /** The current record's first headers, at most {@code maxCount}; nothing of them is copied. */
  public List<HeaderView> headerViews(int maxCount) throws InvalidBatchException {
    int resume = position;
    position = headersPosition;
    int count = Math.min(maxCount, varint(recordEnd));
    List<HeaderView> views = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int nameSize = size("header name");
      int namePosition = position;
      position += nameSize;
      int valueSize = size("header value");
      views.add(new HeaderView(namePosition, nameSize, position, valueSize));
      position += Math.max(0, valueSize);
    }
    position = resume;
    return views;
  }

  private List<Header> headers() throws InvalidBatchException {
    int resume = position;
    position = headersPosition;
    int count = varint(recordEnd);
    List<Header> headers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int nameSize = size("header name");
      String name = new String(bytes, position, nameSize, StandardCharsets.UTF_8);
      position += nameSize;
      int size = size("header value");
      headers.add(new Header(name, copy(position, size)));
      position += Math.max(0, size);
    }
    position = resume;
    return headers;
  }
}
