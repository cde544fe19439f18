package kaka.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.BitSet;
import java.util.OptionalLong;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/**
 * Makes the batches that compaction leaves. A filtered batch keeps its base offset, last offset delta, producer fields and
 * leader epoch, and its records keep offsets and timestamps; it only has fewer records. Where whole batches went, an
 * empty batch without records stands for their offsets, so that the offsets of a log have no gap between batches.
 */
public final class BatchFilter {
  /** A re-encoded record's size and timestamp take so many bytes more than before, at most. */
  private static final int MAX_GROWTH_BYTES = 15;

  /** A record's size, attributes, timestamp and offset. */
  private static final int MAX_RECORD_PREFIX_BYTES = 5 + 1 + 10 + 5;

  private BatchFilter() {}

  /** Decides about the record that the cursor stands on. */
  @FunctionalInterface
  public interface Keep {
    boolean keeps(RecordCursor record);
  }

  /**
   * The batch with only the records that {@code keep} keeps, compressed as it was; it may have none then. Of a compressed
   * batch one record is held at a time, and the compressed bytes before and after.
   *
   * @param batch valid
   * @param deleteHorizonMs put into the batch, if present, in place of its base timestamp
   * @return {@code batch} itself if nothing changes
   */
  public static RecordBatch filter(RecordBatch batch, Keep keep, OptionalLong deleteHorizonMs)
      throws InvalidBatchException {
    return batch.isCompressed() ? filterCompressed(batch, keep, deleteHorizonMs) : filterPlain(batch, keep, deleteHorizonMs);
  }

  private static RecordBatch filterPlain(RecordBatch batch, Keep keep, OptionalLong deleteHorizonMs)
      throws InvalidBatchException {
    long capacity = batch.sizeBytes() + (long) MAX_GROWTH_BYTES * Math.max(0, batch.recordCount());
    if (capacity > Integer.MAX_VALUE - 16) {
      throw new InvalidBatchException("too large to be filtered", 0);
    }
    byte[] out = new byte[(int) capacity];
    batch.buffer().get(out, 0, BatchHeader.SIZE);
    long baseTimestampMs = deleteHorizonMs.orElse(batch.baseTimestampMs());
    int position = BatchHeader.SIZE;
    int readCount = 0;
    int keptCount = 0;
    long maxTimestampMs = -1;
    RecordCursor cursor = batch.cursor();
    while (cursor.next()) {
      readCount++;
      if (keep.keeps(cursor)) {
        keptCount++;
        maxTimestampMs = Math.max(maxTimestampMs, cursor.timestampMs());
        position = copy(cursor, cursor.timestampMs() - baseTimestampMs, out, position);
      }
    }
    if (keptCount == readCount && deleteHorizonMs.isEmpty()) {
      return batch;
    }
    putTimes(batch, deleteHorizonMs, keptCount, maxTimestampMs, out);
    return finish(out, position, keptCount);
  }

  /** Walks it twice: whether something goes is known at the end, and {@code keep} is asked once for each record. */
  private static RecordBatch filterCompressed(RecordBatch batch, Keep keep, OptionalLong deleteHorizonMs)
      throws InvalidBatchException {
    BitSet kept = new BitSet();
    int readCount = 0;
    long maxTimestampMs = -1;
    try (RecordCursor cursor = batch.cursor()) {
      for (; cursor.next(); readCount++) {
        if (keep.keeps(cursor)) {
          kept.set(readCount);
          maxTimestampMs = Math.max(maxTimestampMs, cursor.timestampMs());
        }
      }
    }
    int keptCount = kept.cardinality();
    if (keptCount == readCount && deleteHorizonMs.isEmpty()) {
      return batch;
    }
    ByteBufferOutputStream compressed = new ByteBufferOutputStream(batch.sizeBytes() + 512);
    compressed.position(BatchHeader.SIZE);
    if (keptCount > 0) {
      long baseTimestampMs = deleteHorizonMs.orElse(batch.baseTimestampMs());
      try (RecordCursor cursor = batch.cursor();
          OutputStream to = batch.codec().compress(compressed)) {
        byte[] copy = new byte[256];
        for (int i = 0; cursor.next(); i++) {
          if (kept.get(i)) {
            int capacity = cursor.position() - cursor.tailPosition() + MAX_RECORD_PREFIX_BYTES;
            copy = copy.length < capacity ? new byte[capacity] : copy;
            to.write(copy, 0, copy(cursor, cursor.timestampMs() - baseTimestampMs, copy, 0));
          }
        }
      } catch (IOException e) {
        throw new InvalidBatchException("cannot be compressed again (" + e + ")", BatchHeader.SIZE);
      }
    }
    byte[] out = compressed.buffer().array();
    batch.buffer().get(out, 0, BatchHeader.SIZE);
    if (keptCount == 0) { // nothing is compressed any more
      BatchHeader.int16(out, BatchHeader.ATTRIBUTES, (short) (batch.attributes() & ~BatchHeader.COMPRESSION_MASK));
    }
    putTimes(batch, deleteHorizonMs, keptCount, maxTimestampMs, out);
    return finish(out, compressed.position(), keptCount);
  }

  private static void putTimes(
      RecordBatch batch, OptionalLong deleteHorizonMs, int keptCount, long maxTimestampMs, byte[] out) {
    if (deleteHorizonMs.isPresent()) {
      int attributes = BatchHeader.int16(out, BatchHeader.ATTRIBUTES) | BatchHeader.DELETE_HORIZON;
      BatchHeader.int16(out, BatchHeader.ATTRIBUTES, (short) attributes);
      BatchHeader.int64(out, BatchHeader.BASE_TIMESTAMP, deleteHorizonMs.getAsLong());
    }
    BatchHeader.int64(
        out, BatchHeader.MAX_TIMESTAMP, batch.isLogAppendTime() && keptCount > 0 ? batch.maxTimestampMs() : maxTimestampMs);
  }

  /**
   * A batch without records that stands for the offsets from {@code baseOffset} to {@code lastOffset}, both included.
   *
   * @throws IllegalArgumentException if these are more than a batch can have
   */
  public static RecordBatch gap(long baseOffset, long lastOffset, int leaderEpoch) {
    if (lastOffset < baseOffset || lastOffset - baseOffset > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("offsets " + baseOffset + " to " + lastOffset);
    }
    byte[] out = new byte[BatchHeader.SIZE];
    BatchHeader.int64(out, BatchHeader.BASE_OFFSET, baseOffset);
    BatchHeader.int32(out, BatchHeader.LEADER_EPOCH, leaderEpoch);
    out[BatchHeader.MAGIC] = BatchHeader.MAGIC_V2;
    BatchHeader.int32(out, BatchHeader.LAST_OFFSET_DELTA, (int) (lastOffset - baseOffset));
    BatchHeader.int64(out, BatchHeader.BASE_TIMESTAMP, -1);
    BatchHeader.int64(out, BatchHeader.MAX_TIMESTAMP, -1);
    BatchHeader.int64(out, BatchHeader.PRODUCER_ID, -1);
    BatchHeader.int16(out, BatchHeader.PRODUCER_EPOCH, (short) -1);
    BatchHeader.int32(out, BatchHeader.BASE_SEQUENCE, -1);
    return finish(out, BatchHeader.SIZE, 0);
  }

  /** Copies the record, re-encoded with another timestamp delta; returns the position after it. */
  private static int copy(RecordCursor cursor, long timestampDelta, byte[] out, int position) {
    int tailSize = cursor.position() - cursor.tailPosition();
    int size = 1 + Varint.sizeOf(timestampDelta) + Varint.sizeOf(cursor.offsetDelta()) + tailSize;
    int at = Varint.put(out, position, size);
    out[at++] = 0; // the record's attributes: unused by the format
    at = Varint.put(out, at, timestampDelta);
    at = Varint.put(out, at, cursor.offsetDelta());
    System.arraycopy(cursor.array(), cursor.tailPosition(), out, at, tailSize);
    return at + tailSize;
  }

  private static RecordBatch finish(byte[] out, int sizeBytes, int recordCount) {
    BatchHeader.int32(out, BatchHeader.LENGTH, sizeBytes - BatchHeader.OVERHEAD);
    BatchHeader.int32(out, BatchHeader.RECORD_COUNT, recordCount);
    BatchHeader.int32(out, BatchHeader.CRC, BatchHeader.crcOf(out, 0, sizeBytes));
    return RecordBatch.owned(out.length > 2 * sizeBytes ? Arrays.copyOf(out, sizeBytes) : out, sizeBytes);
  }
}
