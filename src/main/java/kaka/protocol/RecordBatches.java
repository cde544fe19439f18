package kaka.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;

/**
 * RECORD_BATCHES, type 0x8c: answers FETCH_BATCHES. Body:
 *
 * <pre>log_start_offset u64 | high_watermark u64 | batches (Kafka's record batches, magic 2, back to back, to the end)</pre>
 *
 * The broker does not make this object: it writes {@link #encodeFrameHeader} and streams the stored bytes after it.
 *
 * @param logStartOffset the oldest record kept
 * @param highWatermark one past the newest that may be read
 * @param batches whole, with valid CRC, in rising order of offsets; the first can begin below the offset asked for, whose
 *     earlier records the reader skips. Their contents are for their cursors to check
 */
public record RecordBatches(long logStartOffset, long highWatermark, List<RecordBatch> batches) implements Response {
  /** Bytes of a frame before its first batch: length, type, log_start_offset, high_watermark. */
  public static final int FRAME_HEADER_BYTES = 21;

  public RecordBatches {
    if (logStartOffset < 0 || logStartOffset > highWatermark) {
      throw new IllegalArgumentException("logStartOffset " + logStartOffset + ", highWatermark " + highWatermark);
    }
    batches = List.copyOf(batches);
  }

  /**
   * Writes what stands before the first batch; returns the position after it, {@link #FRAME_HEADER_BYTES} further.
   *
   * @param batchesBytes of all the batches that will follow
   */
  public static int encodeFrameHeader(
      byte[] into, int position, int batchesBytes, long logStartOffset, long highWatermark) {
    BigEndian.int32(into, position, Math.addExact(batchesBytes, FRAME_HEADER_BYTES - 4));
    into[position + 4] = (byte) MessageType.RECORD_BATCHES;
    BigEndian.int64(into, position + 5, logStartOffset);
    BigEndian.int64(into, position + 13, highWatermark);
    return position + FRAME_HEADER_BYTES;
  }

  static RecordBatches decode(WireReader in) throws ProtocolException {
    long logStartOffset = in.uint63("log_start_offset");
    long highWatermark = in.int64(logStartOffset, "high_watermark");
    byte[] stored = Arrays.copyOfRange(in.array(), in.position(), in.position() + in.remaining());
    List<RecordBatch> batches = new ArrayList<>();
    long least = 0;
    for (int at = 0; at < stored.length; ) {
      RecordBatch batch = batch(in, stored, at, least);
      batches.add(batch);
      least = batch.lastOffset() + 1;
      in.skip(batch.sizeBytes(), "batches");
      at += batch.sizeBytes();
    }
    in.end();
    return new RecordBatches(logStartOffset, highWatermark, batches);
  }

  private static RecordBatch batch(WireReader in, byte[] stored, int at, long least) throws ProtocolException {
    RecordBatch batch;
    try {
      batch = RecordBatch.frame(stored, at, stored.length);
    } catch (InvalidBatchException e) {
      throw in.bad("batches", e.getMessage());
    }
    if (!batch.isCrcValid()) {
      throw in.bad("batches", "CRC32C does not fit " + batch);
    }
    if (batch.recordCount() < 0) {
      throw in.bad("batches", "record count " + batch.recordCount());
    }
    boolean rises = batch.baseOffset() >= least && batch.lastOffset() >= batch.baseOffset();
    if (!rises || batch.lastOffset() == Long.MAX_VALUE) {
      throw in.bad("batches", "offsets " + batch.baseOffset() + " to " + batch.lastOffset() + ", at least " + least);
    }
    return batch;
  }

  @Override
  public int type() {
    return MessageType.RECORD_BATCHES;
  }

  @Override
  public void encode(WireWriter out) {
    out.int64(logStartOffset).int64(highWatermark);
    for (RecordBatch batch : batches) {
      out.batch(batch);
    }
  }
}
