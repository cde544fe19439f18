package kaka.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/** Makes a compressed batch of an uncompressed one. */
public final class BatchCompression {
  private BatchCompression() {}

  /** @throws IllegalStateException if the codec's library cannot be loaded here */
  public static void require(Codec codec) {
    compress(new RecordBatchBuilder(16).append(0, null, null, List.of()).build(), codec);
  }

  /**
   * The batch with its records compressed; everything else of it stays.
   *
   * @param batch valid, not compressed
   * @return {@code batch} itself for {@link Codec#NONE}; it may be longer than {@code batch} where that is short
   * @throws IllegalStateException if the codec's library cannot be loaded here
   */
  public static RecordBatch compress(RecordBatch batch, Codec codec) {
    if (batch.isCompressed()) {
      throw new IllegalArgumentException("is compressed: " + batch);
    }
    if (codec == Codec.NONE) {
      return batch;
    }
    byte[] plain = new byte[batch.sizeBytes()];
    batch.buffer().get(plain);
    ByteBufferOutputStream out = new ByteBufferOutputStream(Math.max(512, plain.length / 2));
    out.position(BatchHeader.SIZE);
    try (OutputStream compressing = codec.compress(out)) {
      compressing.write(plain, BatchHeader.SIZE, plain.length - BatchHeader.SIZE);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw new IllegalStateException("the codec " + codec + " does not work here: " + e, e);
    }
    byte[] bytes = out.buffer().array(); // grown by the stream, and nobody else's
    int sizeBytes = out.position();
    System.arraycopy(plain, 0, bytes, 0, BatchHeader.SIZE);
    BatchHeader.int32(bytes, BatchHeader.LENGTH, sizeBytes - BatchHeader.OVERHEAD);
    BatchHeader.int16(bytes, BatchHeader.ATTRIBUTES, (short) (batch.attributes() | codec.ordinal()));
    BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, sizeBytes));
    return RecordBatch.owned(bytes, sizeBytes);
  }
}
