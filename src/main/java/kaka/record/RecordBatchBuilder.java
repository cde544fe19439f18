package kaka.record;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Builds one uncompressed batch, record by record, in one growing array. Offsets count from 0 until a partition numbers the
 * batch. Not for sharing between threads.
 */
public final class RecordBatchBuilder {
  /** What a record takes besides its key, value and headers, at most: seven numbers and the attributes. */
  public static final int MAX_RECORD_OVERHEAD = 5 + 1 + 10 + 5 + 5 + 5 + 5;

  private byte[] bytes;
  private int position = BatchHeader.SIZE;
  private int recordCount;
  private long baseTimestampMs;
  private long maxTimestampMs;
  private long producerId = -1;
  private short producerEpoch = -1;
  private int baseSequence = -1;
  private int attributes;

  /** @param expectedBytes what the batch will take, about; it grows as it must */
  public RecordBatchBuilder(int expectedBytes) {
    this.bytes = new byte[BatchHeader.SIZE + Math.max(16, expectedBytes)];
  }

  /** An idempotent producer's id, epoch and the sequence number of the first record (KIP-98). */
  public RecordBatchBuilder producer(long producerId, short producerEpoch, int baseSequence) {
    this.producerId = producerId;
    this.producerEpoch = producerEpoch;
    this.baseSequence = baseSequence;
    return this;
  }

  /** The batch is part of its producer's transaction. */
  public RecordBatchBuilder transactional() {
    return attributes(attributes | BatchHeader.TRANSACTIONAL);
  }

  /** Bits of {@link BatchHeader}; without compression. */
  RecordBatchBuilder attributes(int bits) {
    this.attributes = bits;
    return this;
  }

  /** Adds a record; key, value and a header's value may be null. */
  public RecordBatchBuilder append(long timestampMs, byte[] key, byte[] value, List<Header> headers) {
    int keySize = key == null ? -1 : key.length;
    int valueSize = value == null ? -1 : value.length;
    if (headers.isEmpty()) {
      return append(timestampMs, key, 0, keySize, value, 0, valueSize);
    }
    byte[] encoded = encode(headers);
    return append(timestampMs, key, 0, keySize, value, 0, valueSize, encoded);
  }

  /** Adds a record whose key and value are parts of arrays; a size of -1 is a null. */
  public RecordBatchBuilder append(
      long timestampMs, byte[] key, int keyPosition, int keySize, byte[] value, int valuePosition, int valueSize) {
    return append(timestampMs, key, keyPosition, keySize, value, valuePosition, valueSize, NO_HEADERS);
  }

  private static final byte[] NO_HEADERS = {0};

  private RecordBatchBuilder append(
      long timestampMs,
      byte[] key,
      int keyPosition,
      int keySize,
      byte[] value,
      int valuePosition,
      int valueSize,
      byte[] headers) {
    if (recordCount == 0) {
      baseTimestampMs = timestampMs;
      maxTimestampMs = timestampMs;
    }
    maxTimestampMs = Math.max(maxTimestampMs, timestampMs);
    long timestampDelta = timestampMs - baseTimestampMs;
    long body =
        1L
            + Varint.sizeOf(timestampDelta)
            + Varint.sizeOf(recordCount)
            + Varint.sizeOf(keySize)
            + Math.max(0, keySize)
            + Varint.sizeOf(valueSize)
            + Math.max(0, valueSize)
            + headers.length;
    ensure(body + 5);
    int at = Varint.put(bytes, position, body);
    bytes[at++] = 0;
    at = Varint.put(bytes, at, timestampDelta);
    at = Varint.put(bytes, at, recordCount);
    at = Varint.put(bytes, at, keySize);
    if (keySize > 0) {
      System.arraycopy(key, keyPosition, bytes, at, keySize);
      at += keySize;
    }
    at = Varint.put(bytes, at, valueSize);
    if (valueSize > 0) {
      System.arraycopy(value, valuePosition, bytes, at, valueSize);
      at += valueSize;
    }
    System.arraycopy(headers, 0, bytes, at, headers.length);
    position = at + headers.length;
    recordCount++;
    return this;
  }

  public int recordCount() {
    return recordCount;
  }

  /** Bytes of the batch so far, header included. */
  public int sizeBytes() {
    return position;
  }

  /**
   * The finished batch, which takes this builder's bytes with it.
   *
   * @throws IllegalStateException if it is empty: there is no batch without records
   */
  public RecordBatch build() {
    if (recordCount == 0) {
      throw new IllegalStateException("a batch has at least one record");
    }
    BatchHeader.int32(bytes, BatchHeader.LENGTH, position - BatchHeader.OVERHEAD);
    BatchHeader.int32(bytes, BatchHeader.LEADER_EPOCH, -1);
    bytes[BatchHeader.MAGIC] = BatchHeader.MAGIC_V2;
    BatchHeader.int16(bytes, BatchHeader.ATTRIBUTES, (short) attributes);
    BatchHeader.int32(bytes, BatchHeader.LAST_OFFSET_DELTA, recordCount - 1);
    BatchHeader.int64(bytes, BatchHeader.BASE_TIMESTAMP, baseTimestampMs);
    BatchHeader.int64(bytes, BatchHeader.MAX_TIMESTAMP, maxTimestampMs);
    BatchHeader.int64(bytes, BatchHeader.PRODUCER_ID, producerId);
    BatchHeader.int16(bytes, BatchHeader.PRODUCER_EPOCH, producerEpoch);
    BatchHeader.int32(bytes, BatchHeader.BASE_SEQUENCE, baseSequence);
    BatchHeader.int32(bytes, BatchHeader.RECORD_COUNT, recordCount);
    BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, position));
    RecordBatch batch = RecordBatch.owned(bytes, position);
    bytes = null; // given up: a later append must not change what was built
    return batch;
  }

  private void ensure(long more) {
    long needed = position + more;
    if (needed > Integer.MAX_VALUE - 16) {
      throw new IllegalArgumentException("a batch of " + needed + " bytes");
    }
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(needed, bytes.length * 2L)));
    }
  }

  private static byte[] encode(List<Header> headers) {
    byte[][] names = new byte[headers.size()][];
    int size = Varint.sizeOf(headers.size());
    for (int i = 0; i < names.length; i++) {
      names[i] = headers.get(i).key().getBytes(StandardCharsets.UTF_8);
      byte[] value = headers.get(i).value();
      size += Varint.sizeOf(names[i].length) + names[i].length;
      size += value == null ? Varint.sizeOf(-1) : Varint.sizeOf(value.length) + value.length;
    }
    byte[] into = new byte[size];
    int at = Varint.put(into, 0, names.length);
    for (int i = 0; i < names.length; i++) {
      at = Varint.put(into, at, names[i].length);
      System.arraycopy(names[i], 0, into, at, names[i].length);
      at += names[i].length;
      byte[] value = headers.get(i).value();
      at = Varint.put(into, at, value == null ? -1 : value.length);
      if (value != null) {
        System.arraycopy(value, 0, into, at, value.length);
        at += value.length;
      }
    }
    return into;
  }
}
