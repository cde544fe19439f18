package kaka.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import kaka.record.InvalidBatchException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one batch may become once decompressed, as an allowance has it. */
class UnpackBoundTest {
  /** So many bytes may come, and these have. */
  private static final class Bound implements Allowance {
    private final long maxUnpackedBytes;
    private long workedBytes;
    private long heldBytes;

    Bound(long maxUnpackedBytes) {
      this.maxUnpackedBytes = maxUnpackedBytes;
    }

    @Override
    public boolean tryReserve(long bytes) {
      heldBytes += bytes;
      return true;
    }

    @Override
    public void release(long bytes) {
      heldBytes -= bytes;
    }

    @Override
    public long maxUnpackedBytes() {
      return maxUnpackedBytes;
    }

    @Override
    public void worked(long bytes) {
      workedBytes += bytes;
    }
  }

  private static RecordBatch plain(int records, int valueBytes) {
    RecordBatchBuilder builder = new RecordBatchBuilder(64);
    for (int i = 0; i < records; i++) {
      byte[] value = new byte[valueBytes];
      new Random(i).nextBytes(value);
      builder.append(1000 + i, null, value, List.of());
    }
    return builder.build();
  }

  private static void check(RecordBatch batch, Allowance bound) throws InvalidBatchException {
    new BatchValidation(false, false).check(batch, bound);
  }

  @ParameterizedTest
  @EnumSource(value = Codec.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void boundIsKeptToTheByte(Codec codec) throws InvalidBatchException {
    for (int[] shape : new int[][] {{1, 10}, {300, 100}, {50, 20_000}}) {
      RecordBatch plain = plain(shape[0], shape[1]);
      RecordBatch batch = BatchCompression.compress(plain, codec);
      int unpackedBytes = plain.sizeBytes() - BatchHeader.SIZE;

      Bound enough = new Bound(unpackedBytes);
      check(batch, enough);
      assertEquals(unpackedBytes, enough.workedBytes);

      Bound less = new Bound(unpackedBytes - 1);
      InvalidBatchException refused = assertThrows(InvalidBatchException.class, () -> check(batch, less));
      assertEquals(Kind.TOO_LARGE, refused.kind());
      assertTrue(less.workedBytes < unpackedBytes, less.workedBytes + " bytes");
      assertEquals(0, enough.heldBytes + less.heldBytes);
    }
  }

  /** Its size says so: nothing is made of it. */
  @ParameterizedTest
  @EnumSource(value = Codec.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void recordOfMoreIsNotReadToItsEnd(Codec codec) {
    Bound bound = new Bound(1 << 20);

    InvalidBatchException refused =
        assertThrows(InvalidBatchException.class, () -> check(BatchCompression.compress(plain(1, 5_000_000), codec), bound));

    assertEquals(Kind.TOO_LARGE, refused.kind());
    assertTrue(refused.getMessage().contains("at most 1048576"), refused.getMessage());
    assertTrue(bound.workedBytes <= 64 << 10, bound.workedBytes + " bytes");
    assertEquals(0, bound.heldBytes);
  }

  /** Without a frame (librdkafka), all of it is one block, which its decoder makes at once: what it claims is looked at before. */
  @Test
  void snappyBlockOfMoreIsNotDecompressed() throws Exception {
    RecordBatch plain = plain(100, 1000);
    byte[] section = new byte[plain.sizeBytes() - BatchHeader.SIZE];
    plain.buffer().position(BatchHeader.SIZE).get(section);
    byte[] compressed = org.xerial.snappy.Snappy.compress(section);
    byte[] bytes = new byte[BatchHeader.SIZE + compressed.length];
    plain.buffer().get(bytes, 0, BatchHeader.SIZE);
    System.arraycopy(compressed, 0, bytes, BatchHeader.SIZE, compressed.length);
    BatchHeader.int32(bytes, BatchHeader.LENGTH, bytes.length - BatchHeader.OVERHEAD);
    BatchHeader.int16(bytes, BatchHeader.ATTRIBUTES, (short) Codec.SNAPPY.ordinal());
    BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, bytes.length));
    RecordBatch batch = RecordBatch.frame(bytes, 0, bytes.length);

    check(batch, new Bound(section.length));

    Bound less = new Bound(section.length - 1);
    InvalidBatchException refused = assertThrows(InvalidBatchException.class, () -> check(batch, less));
    assertEquals(Kind.TOO_LARGE, refused.kind());
    assertEquals(0, less.workedBytes + less.heldBytes);
  }
}
