package kaka.record;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Walks the records of one uncompressed batch in place: after {@link #next} its accessors describe the current record as
 * positions in {@link #array}, so nothing is copied until somebody asks for it. Not for sharing between threads.
 *
 * <p>Every length is checked against the batch's end before it is believed.
 */
public final class RecordCursor {
  private final RecordBatch batch;
  private final byte[] bytes;
  private final int batchStart;
  private final int limit;
  private int position;

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
  }

  /**
   * Steps to the next record.
   *
   * @return false at the batch's end
   * @throws InvalidBatchException if a length does not fit
   */
  public boolean next() throws InvalidBatchException {
    if (position == limit) {
      return false;
    }
    int start = position;
    int size = varint(limit);
    if (size < 1 || size > limit - position) {
      throw new InvalidBatchException("record of " + size + " bytes", start - batchStart);
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
      throw new InvalidBatchException("bytes left in a record", position - batchStart);
    }
    return true;
  }

  private int size(String field) throws InvalidBatchException {
    int at = position;
    int size = varint(recordEnd);
    if (size < -1 || size > recordEnd - position) {
      throw new InvalidBatchException(field + " of " + size + " bytes", at - batchStart);
    }
    return size;
  }

  private void skipHeaders() throws InvalidBatchException {
    int at = position;
    int count = varint(recordEnd);
    if (count < 0 || count > recordEnd - position) {
      throw new InvalidBatchException(count + " headers", at - batchStart);
    }
    for (int i = 0; i < count; i++) {
      int nameAt = position;
      int nameSize = size("header name");
      if (nameSize < 0) {
        throw new InvalidBatchException("header without name", nameAt - batchStart);
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
        throw new InvalidBatchException("number cut short", at - batchStart);
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
    throw new InvalidBatchException("number of more than " + bits + " bits", at - batchStart);
  }

  /** The array that the positions below point into. */
  public byte[] array() {
    return bytes;
  }

  /** Where in {@link #array} the next record starts. */
  public int position() {
    return position;
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
