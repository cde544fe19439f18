package kaka.record;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * A record batch in the storage format (see {@link BatchHeader}): appended, checked, stored and fetched as one.
 *
 * <p>It is a view of bytes that nobody changes any more, and is safe to hand between threads. {@link #frame} believes the
 * header; {@link #validate} is the check that everything from outside must pass first.
 */
public final class RecordBatch {
  /** What a {@link #detached} batch may keep besides its own bytes: the head of most requests. */
  static final int MAX_SLACK_BYTES = 128;

  private final byte[] bytes;
  private final int start;
  private final int sizeBytes;

  private RecordBatch(byte[] bytes, int start, int sizeBytes) {
    this.bytes = bytes;
    this.start = start;
    this.sizeBytes = sizeBytes;
  }

  /** The batch that is the whole of {@code bytes}, unchecked; the caller gives the array up. */
  static RecordBatch owned(byte[] bytes, int sizeBytes) {
    return new RecordBatch(bytes, 0, sizeBytes);
  }

  /**
   * The batch that starts at {@code start}: its frame is checked, not its contents; see {@link #validate}.
   *
   * @param bytes not changed from now on
   * @param limit end of the readable bytes
   * @throws InvalidBatchException if no whole batch of magic 2 stands there
   */
  public static RecordBatch frame(byte[] bytes, int start, int limit) throws InvalidBatchException {
    int available = limit - start;
    if (available < BatchHeader.SIZE) {
      throw new InvalidBatchException("batch cut short: " + available + " bytes of its header", Math.max(0, available));
    }
    int length = BatchHeader.int32(bytes, start + BatchHeader.LENGTH);
    if (length < BatchHeader.SIZE - BatchHeader.OVERHEAD) {
      throw new InvalidBatchException("batch length " + length, BatchHeader.LENGTH);
    }
    byte magic = bytes[start + BatchHeader.MAGIC];
    if (magic != BatchHeader.MAGIC_V2) {
      throw new InvalidBatchException("magic " + magic + ", not 2", BatchHeader.MAGIC);
    }
    if (length > available - BatchHeader.OVERHEAD) {
      throw new InvalidBatchException("batch of " + (length + 12L) + " bytes cut short: " + available, available);
    }
    return new RecordBatch(bytes, start, length + BatchHeader.OVERHEAD);
  }

  /** Whether what stands there would have to be decompressed if it is a batch; nothing of it is checked. */
  public static boolean claimsCompression(byte[] bytes, int start, int limit) {
    return limit - start >= BatchHeader.SIZE
        && (BatchHeader.int16(bytes, start + BatchHeader.ATTRIBUTES) & BatchHeader.COMPRESSION_MASK) != 0;
  }

  /** Offset of the first record; what it says before the partition has numbered it is without meaning. */
  public long baseOffset() {
    return BatchHeader.int64(bytes, start + BatchHeader.BASE_OFFSET);
  }

  public long lastOffset() {
    return baseOffset() + lastOffsetDelta();
  }

  public int lastOffsetDelta() {
    return BatchHeader.int32(bytes, start + BatchHeader.LAST_OFFSET_DELTA);
  }

  public int leaderEpoch() {
    return BatchHeader.int32(bytes, start + BatchHeader.LEADER_EPOCH);
  }

  /** Records in it, as its header says: fewer than its offsets where compaction took some. */
  public int recordCount() {
    return BatchHeader.int32(bytes, start + BatchHeader.RECORD_COUNT);
  }

  public long baseTimestampMs() {
    return BatchHeader.int64(bytes, start + BatchHeader.BASE_TIMESTAMP);
  }

  public long maxTimestampMs() {
    return BatchHeader.int64(bytes, start + BatchHeader.MAX_TIMESTAMP);
  }

  public long producerId() {
    return BatchHeader.int64(bytes, start + BatchHeader.PRODUCER_ID);
  }

  public short producerEpoch() {
    return BatchHeader.int16(bytes, start + BatchHeader.PRODUCER_EPOCH);
  }

  public int baseSequence() {
    return BatchHeader.int32(bytes, start + BatchHeader.BASE_SEQUENCE);
  }

  short attributes() {
    return BatchHeader.int16(bytes, start + BatchHeader.ATTRIBUTES);
  }

  /**
   * How its records are compressed.
   *
   * @throws InvalidBatchException if by nothing that the format has
   */
  public Codec codec() throws InvalidBatchException {
    int number = attributes() & BatchHeader.COMPRESSION_MASK;
    return Codec.of(number)
        .orElseThrow(
            () ->
                new InvalidBatchException(
                    InvalidBatchException.Kind.UNSUPPORTED, "compression codec " + number, BatchHeader.ATTRIBUTES));
  }

  /** Whether the records part is compressed, so that only a codec can read it. */
  public boolean isCompressed() {
    return (attributes() & BatchHeader.COMPRESSION_MASK) != 0;
  }

  public boolean isTransactional() {
    return (attributes() & BatchHeader.TRANSACTIONAL) != 0;
  }

  /** Whether it holds transaction markers instead of a user's records. */
  public boolean isControl() {
    return (attributes() & BatchHeader.CONTROL) != 0;
  }

  /** When compaction may drop its tombstones, in milliseconds since 1970, if compaction has set it (KIP-534). */
  public OptionalLong deleteHorizonMs() {
    return (attributes() & BatchHeader.DELETE_HORIZON) == 0 ? OptionalLong.empty() : OptionalLong.of(baseTimestampMs());
  }

  /** Whether the broker's clock stamped it: then every record has {@link #maxTimestampMs}. */
  public boolean isLogAppendTime() {
    return (attributes() & BatchHeader.LOG_APPEND_TIME) != 0;
  }

  /** All of it, header included. */
  public int sizeBytes() {
    return sizeBytes;
  }

  /** Whether the stored CRC32C fits the bytes. */
  public boolean isCrcValid() {
    return BatchHeader.crcOf(bytes, start, sizeBytes) == BatchHeader.int32(bytes, start + BatchHeader.CRC);
  }

  /**
   * Checks the CRC, the counts and every record's frame, decompressed if need be: that it can be stored and read back without
   * surprise. Base offset and leader epoch are the partition's to set and are not looked at. {@link BatchValidation} is the
   * check of what a client sends.
   *
   * @throws InvalidBatchException what is wrong first, and where
   */
  public void validate() throws InvalidBatchException {
    BatchValidation.checkForm(this, Allowance.UNLIMITED, record -> {});
  }

  /** A cursor before the first record; close it. */
  public RecordCursor cursor() throws InvalidBatchException {
    return cursor(Allowance.UNLIMITED);
  }

  /**
   * A cursor before the first record, which asks before it holds memory to decompress; close it.
   *
   * @throws InvalidBatchException if the codec is none, or its data is not
   * @throws NoAllowanceException if there is no room; a step of the cursor can come to that, too
   */
  public RecordCursor cursor(Allowance allowance) throws InvalidBatchException {
    Codec codec = codec();
    int from = start + BatchHeader.SIZE;
    int to = start + sizeBytes;
    return codec == Codec.NONE || from == to && recordCount() == 0
        ? new RecordCursor(this, bytes, start, from, to)
        : RecordCursor.decompressing(this, codec, ByteBuffer.wrap(bytes, from, to - from).slice(), allowance);
  }

  /**
   * Its records, copied out of a valid batch: for tests and small batches, since a compressed one can be
   * {@link Decompression#MAX_BYTES} long.
   */
  public List<Record> records() throws InvalidBatchException {
    List<Record> records = new ArrayList<>();
    try (RecordCursor cursor = cursor()) {
      while (cursor.next()) {
        records.add(cursor.record());
      }
    }
    return records;
  }

  /** Its bytes, read-only, from its first to its last. */
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes, start, sizeBytes).slice().asReadOnlyBuffer();
  }

  /** Copies {@code sizeBytes} of its bytes, from {@code from} on, to {@code target}. */
  public void copyTo(int from, int sizeBytes, ByteBuffer target) {
    target.put(bytes, start + from, sizeBytes);
  }

  /**
   * The same batch, for whoever keeps it: as it is where its array has at most {@link #MAX_SLACK_BYTES} besides, else in an array
   * of its own. So it keeps no large buffer alive for a small batch, and most batches that came alone are not copied.
   */
  public RecordBatch detached() {
    if (isDetached()) {
      return this;
    }
    return new RecordBatch(Arrays.copyOfRange(bytes, start, start + sizeBytes), 0, sizeBytes);
  }

  /** Whether {@link #detached} is this one. */
  public boolean isDetached() {
    return bytes.length - sizeBytes <= MAX_SLACK_BYTES;
  }

  /** The same batch, in bytes of its own, with its base offset and leader epoch set. */
  public RecordBatch numbered(long baseOffset, int leaderEpoch) {
    byte[] copy = new byte[sizeBytes];
    System.arraycopy(bytes, start, copy, 0, sizeBytes);
    BatchHeader.int64(copy, BatchHeader.BASE_OFFSET, baseOffset);
    BatchHeader.int32(copy, BatchHeader.LEADER_EPOCH, leaderEpoch);
    return new RecordBatch(copy, 0, sizeBytes);
  }

  /** The same batch, in bytes of its own, as another batch of an idempotent producer (KIP-98). */
  public RecordBatch withProducer(long producerId, short producerEpoch, int baseSequence) {
    byte[] copy = new byte[sizeBytes];
    System.arraycopy(bytes, start, copy, 0, sizeBytes);
    BatchHeader.int64(copy, BatchHeader.PRODUCER_ID, producerId);
    BatchHeader.int16(copy, BatchHeader.PRODUCER_EPOCH, producerEpoch);
    BatchHeader.int32(copy, BatchHeader.BASE_SEQUENCE, baseSequence);
    BatchHeader.int32(copy, BatchHeader.CRC, BatchHeader.crcOf(copy, 0, sizeBytes));
    return new RecordBatch(copy, 0, sizeBytes);
  }

  /** The same batch, in bytes of its own, with the greatest timestamp of its records set in its header. */
  public RecordBatch withMaxTimestamp(long maxTimestampMs) {
    byte[] copy = new byte[sizeBytes];
    System.arraycopy(bytes, start, copy, 0, sizeBytes);
    BatchHeader.int64(copy, BatchHeader.MAX_TIMESTAMP, maxTimestampMs);
    BatchHeader.int32(copy, BatchHeader.CRC, BatchHeader.crcOf(copy, 0, sizeBytes));
    return new RecordBatch(copy, 0, sizeBytes);
  }

  @Override
  public String toString() {
    return "RecordBatch[baseOffset=" + baseOffset() + ", recordCount=" + recordCount() + ", sizeBytes=" + sizeBytes + "]";
  }
}
