package kaka.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import kaka.TestSeed;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompressedBatchTest {
  /** Counts what is held; everything must be given back, whatever happened. */
  private static final class Held implements Allowance {
    private final long maxBytes;
    private long bytes;
    private long peakBytes;

    Held(long maxBytes) {
      this.maxBytes = maxBytes;
    }

    @Override
    public boolean tryReserve(long more) {
      if (more > maxBytes - bytes) {
        return false;
      }
      bytes += more;
      peakBytes = Math.max(peakBytes, bytes);
      return true;
    }

    @Override
    public void release(long less) {
      bytes -= less;
    }
  }

  private static RecordBatch plain(int records, int valueBytes) {
    RecordBatchBuilder builder = new RecordBatchBuilder(0);
    for (int i = 0; i < records; i++) {
      byte[] value = new byte[valueBytes];
      new Random(i).nextBytes(value);
      byte[] key = i % 3 == 0 ? null : ("key-" + i).getBytes(UTF_8);
      List<Header> headers = i % 2 == 0 ? List.of() : List.of(new Header("h", null), new Header("n", new byte[] {1, 2}));
      builder.append(1000 + i, key, i % 5 == 4 ? null : value, headers);
    }
    return builder.build();
  }

  private static byte[] bytesOf(RecordBatch batch) {
    byte[] bytes = new byte[batch.sizeBytes()];
    batch.buffer().get(bytes);
    return bytes;
  }

  private static void assertSameRecords(RecordBatch expected, RecordBatch actual) throws InvalidBatchException {
    List<Record> left = expected.records();
    List<Record> right = actual.records();
    assertEquals(left.size(), right.size());
    for (int i = 0; i < left.size(); i++) {
      assertEquals(left.get(i).offset(), right.get(i).offset());
      assertEquals(left.get(i).timestampMs(), right.get(i).timestampMs());
      assertArrayEquals(left.get(i).key(), right.get(i).key());
      assertArrayEquals(left.get(i).value(), right.get(i).value());
      assertEquals(left.get(i).headers().size(), right.get(i).headers().size());
    }
  }

  /** The batch of that codec whose records section is just these bytes, with a CRC that fits. */
  private static RecordBatch withSection(Codec codec, byte[] section, int recordCount) throws InvalidBatchException {
    byte[] bytes = Arrays.copyOf(bytesOf(plain(1, 1)), BatchHeader.SIZE + section.length);
    System.arraycopy(section, 0, bytes, BatchHeader.SIZE, section.length);
    BatchHeader.int32(bytes, BatchHeader.LENGTH, bytes.length - BatchHeader.OVERHEAD);
    BatchHeader.int16(bytes, BatchHeader.ATTRIBUTES, (short) codec.ordinal());
    BatchHeader.int32(bytes, BatchHeader.LAST_OFFSET_DELTA, recordCount - 1);
    BatchHeader.int32(bytes, BatchHeader.RECORD_COUNT, recordCount);
    BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, bytes.length));
    return RecordBatch.frame(bytes, 0, bytes.length);
  }

  private static InvalidBatchException assertRefused(RecordBatch batch, Held held) {
    InvalidBatchException refused =
        assertThrows(InvalidBatchException.class, () -> new BatchValidation(false, false).check(batch, held));
    assertEquals(0, held.bytes, refused.getMessage());
    return refused;
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void recordsReadBackAndWhatWasHeldIsGivenBack(Codec codec) throws InvalidBatchException {
    for (int[] shape : new int[][] {{1, 0}, {1, 300_000}, {500, 100}, {40, 20_000}}) {
      RecordBatch plain = plain(shape[0], shape[1]);

      RecordBatch compressed = BatchCompression.compress(plain, codec);

      assertEquals(codec, compressed.codec());
      assertEquals(codec != Codec.NONE, compressed.isCompressed());
      Held held = new Held(4 << 20);
      new BatchValidation(false, false).check(compressed, held);
      assertEquals(0, held.bytes);
      assertTrue(codec == Codec.NONE || held.peakBytes > 0);
      compressed.validate();
      assertSameRecords(plain, compressed);
    }
  }

  /** Kafka's own classes read what was compressed here, and what they wrote is read here. */
  @ParameterizedTest
  @EnumSource(Codec.class)
  void theFormIsKafkas(Codec codec) throws InvalidBatchException {
    RecordBatch plain = plain(300, 50);

    MemoryRecords read = MemoryRecords.readableRecords(ByteBuffer.wrap(bytesOf(BatchCompression.compress(plain, codec))));
    read.batches().forEach(org.apache.kafka.common.record.internal.RecordBatch::ensureValid);
    MemoryRecordsBuilder writing =
        MemoryRecords.builder(
            ByteBuffer.allocate(1024), Compression.of(codec.toString()).build(), TimestampType.CREATE_TIME, 0);
    read.records().forEach(writing::append);
    ByteBuffer written = writing.build().buffer();
    byte[] bytes = new byte[written.remaining()];
    written.get(bytes);

    RecordBatch batch = RecordBatch.frame(bytes, 0, bytes.length);
    new BatchValidation(false, false).check(batch, Allowance.UNLIMITED);
    assertEquals(codec, batch.codec());
    assertSameRecords(plain, batch);
  }

  /** librdkafka writes snappy as one block without xerial's frame. */
  @Test
  void snappyWithoutFrameIsRead() throws InvalidBatchException, IOException {
    RecordBatch plain = plain(200, 30);
    byte[] section = Arrays.copyOfRange(bytesOf(plain), BatchHeader.SIZE, plain.sizeBytes());

    RecordBatch batch = withSection(Codec.SNAPPY, org.xerial.snappy.Snappy.compress(section), 200);

    assertEquals(200, batch.records().size());
  }

  @ParameterizedTest
  @EnumSource(value = Codec.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void everyFlippedByteUnderAFittingChecksumIsRefusedOrHarmless(Codec codec) {
    byte[] bytes = bytesOf(BatchCompression.compress(plain(20, 10), codec));
    for (int at = BatchHeader.SIZE; at < bytes.length; at++) {
      for (int mask : new int[] {0x01, 0x10, 0x80, 0xff}) {
        byte[] flipped = bytes.clone();
        flipped[at] ^= (byte) mask;
        assertRefusedOrRead(flipped, 20);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = Codec.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void everyTruncationIsRefused(Codec codec) throws InvalidBatchException {
    byte[] bytes = bytesOf(BatchCompression.compress(plain(20, 10), codec));
    for (int size = BatchHeader.SIZE; size < bytes.length; size++) {
      RecordBatch cut = withSection(codec, Arrays.copyOfRange(bytes, BatchHeader.SIZE, size), 20);
      assertRefused(cut, new Held(64 << 20));
    }
  }

  @ParameterizedTest
  @EnumSource(value = Codec.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void randomBytesGiveNothingButInvalidBatch(Codec codec) {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    byte[] good = bytesOf(BatchCompression.compress(plain(20, 10), codec));
    for (int i = 0; i < 2_000; i++) {
      byte[] bytes = good.clone();
      int from = BatchHeader.SIZE + random.nextInt(bytes.length - BatchHeader.SIZE);
      for (int at = from; at < Math.min(bytes.length, from + 1 + random.nextInt(30)); at++) {
        bytes[at] = (byte) random.nextInt();
      }
      assertRefusedOrRead(bytes, 20);
    }
  }

  private static void assertRefusedOrRead(byte[] bytes, int recordCount) {
    BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, bytes.length));
    Held held = new Held(5 << 20); // a small batch asks for no more, whatever it claims: an LZ4 block can be 4 MiB
    try {
      RecordBatch batch = RecordBatch.frame(bytes, 0, bytes.length);
      new BatchValidation(false, false).check(batch, held);
      assertEquals(recordCount, batch.records().size());
    } catch (InvalidBatchException e) {
      assertNotNull(e.getMessage());
    }
    assertEquals(0, held.bytes);
  }

  @ParameterizedTest
  @EnumSource(value = Codec.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void theRecordCountMustBeTheHeaders(Codec codec) throws InvalidBatchException {
    RecordBatch batch = BatchCompression.compress(plain(20, 10), codec);
    byte[] section = Arrays.copyOfRange(bytesOf(batch), BatchHeader.SIZE, batch.sizeBytes());

    for (int count : new int[] {1, 19, 21, Integer.MAX_VALUE}) {
      RecordBatch lying = withSection(codec, section, count);
      assertRefused(lying, new Held(4 << 20));
      assertThrows(InvalidBatchException.class, lying::records, "a reader looks, too");
    }
  }

  // ---------------------------------------------------------------- bombs

  private static byte[] compressed(Codec codec, byte[]... parts) throws IOException {
    ByteBufferOutputStream out = new ByteBufferOutputStream(1024);
    try (OutputStream compressing = codec.compress(out)) {
      for (byte[] part : parts) {
        compressing.write(part);
      }
    }
    return Arrays.copyOf(out.buffer().array(), out.position());
  }

  private static byte[] record(int offsetDelta, int valueBytes) {
    RecordBatchBuilder builder = new RecordBatchBuilder(valueBytes + 100);
    builder.append(0, null, new byte[valueBytes], List.of());
    byte[] whole = bytesOf(builder.build());
    byte[] record = Arrays.copyOfRange(whole, BatchHeader.SIZE, whole.length);
    record[Varint.sizeOf(valueBytes) + 2] = (byte) (offsetDelta << 1); // below 64: one byte
    return record;
  }

  /** 300 MB of records in some hundred KiB: told at the bound, with one record's bytes held. */
  @ParameterizedTest
  @EnumSource(value = Codec.class, names = {"GZIP", "ZSTD", "LZ4"})
  void moreThanTheBoundIsRefused(Codec codec) throws Exception {
    byte[][] records = new byte[60][];
    for (int i = 0; i < records.length; i++) {
      records[i] = record(i, 5_000_000);
    }
    RecordBatch bomb = withSection(codec, compressed(codec, records), records.length);
    Held held = new Held(32 << 20);

    InvalidBatchException refused = assertRefused(bomb, held);

    assertTrue(refused.getMessage().contains("more than 268435456 bytes"), refused.getMessage());
    assertTrue(held.peakBytes < 24 << 20, held.peakBytes + " held");
  }

  @ParameterizedTest
  @EnumSource(value = Codec.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aRecordThatClaimsToBeLongTakesNoMemoryForWhatDoesNotCome(Codec codec) throws Exception {
    byte[] claim = new byte[100];
    Varint.put(claim, 0, 60 << 20);
    Held held = new Held(1 << 20);

    InvalidBatchException refused = assertRefused(withSection(codec, compressed(codec, claim), 1), held);

    assertTrue(refused.getMessage().contains("record of " + (60 << 20)), refused.getMessage());
    Varint.put(claim, 0, RecordCursor.MAX_RECORD_BYTES + 1);
    refused = assertRefused(withSection(codec, compressed(codec, claim), 1), held);
    assertTrue(refused.getMessage().contains("at most " + RecordCursor.MAX_RECORD_BYTES), refused.getMessage());
  }

  /** What a frame claims is compared with what is there before the library sees it: these would make it allocate. */
  @Test
  void framesThatClaimTooMuchAreRefusedBeforeADecoderSeesThem() throws InvalidBatchException {
    String xerial = "82534e415050590000000001" + "00000001";
    assertClaim("snappy block of 2147483647", Codec.SNAPPY, xerial + "7fffffff" + "ffffffff07");
    assertClaim("snappy block of -1", Codec.SNAPPY, xerial + "ffffffff" + "00");
    assertClaim("claims to become 268435455", Codec.SNAPPY, xerial + "00000006" + "ffffff7f" + "0000");
    assertClaim("claims to become 268435455", Codec.SNAPPY, "ffffff7f" + "0000");
    assertClaim("snappy block without size", Codec.SNAPPY, "ffffffffffff");
    assertClaim("zstd window of", Codec.ZSTD, "28b52ffd" + "00" + "f8" + "010000");
    assertClaim("zstd window of", Codec.ZSTD, "28b52ffd" + "e0" + "ffffffffffffffff" + "010000");
    assertClaim("cut short", Codec.ZSTD, "28b52ffd" + "00" + "58" + "f1ffff" + "00");
    assertClaim("no zstd frame", Codec.ZSTD, "27b52ffd" + "00");
    assertClaim("without block size", Codec.LZ4, "04224d18" + "60" + "30" + "00");
  }

  private static void assertClaim(String what, Codec codec, String hex) throws InvalidBatchException {
    InvalidBatchException refused =
        assertRefused(withSection(codec, HexFormat.of().parseHex(hex), 1), new Held(1 << 20));
    assertTrue(refused.getMessage().contains(what), refused.getMessage());
  }

  /** A window of 128 MiB, as zstd's highest levels announce it even for a little data, is not charged for the little. */
  @Test
  void aWindowIsChargedForWhatCanBeInIt() throws Exception {
    ByteBufferOutputStream buffer = new ByteBufferOutputStream(1024);
    byte[] record = record(0, 1000);
    try (OutputStream zstd = Compression.zstd().level(22).build().wrapForOutput(buffer, (byte) 2)) {
      zstd.write(record);
    }
    byte[] section = Arrays.copyOf(buffer.buffer().array(), buffer.position());
    Held held = new Held(2 << 20);

    RecordBatch batch = withSection(Codec.ZSTD, section, 1);
    try (RecordCursor cursor = batch.cursor(held)) {
      assertTrue(cursor.next());
      assertEquals(1000, cursor.valueSize());
    }
    assertEquals(0, held.bytes);
  }

  @ParameterizedTest
  @EnumSource(value = Codec.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void withoutRoomNothingIsHeld(Codec codec) {
    RecordBatch batch = BatchCompression.compress(plain(3, 200_000), codec);
    for (long room = 0; ; room += 8 << 10) {
      Held held = new Held(room);
      try {
        new BatchValidation(false, false).check(batch, held);
        assertEquals(0, held.bytes);
        break;
      } catch (NoAllowanceException e) {
        assertEquals(0, held.bytes, "room for " + room);
      } catch (InvalidBatchException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void aClosedCursorHoldsNothingAndGivesNothing() throws InvalidBatchException {
    Held held = new Held(1 << 20);
    RecordCursor cursor = BatchCompression.compress(plain(20, 10), Codec.LZ4).cursor(held);
    assertTrue(cursor.next());

    cursor.close();
    cursor.close();

    assertEquals(0, held.bytes);
    assertThrows(IllegalStateException.class, cursor::next);
  }

  // ---------------------------------------------------------------- validation

  @Test
  void bitsThatNobodyKnowsAreRefused() throws InvalidBatchException {
    for (int bit = 0; bit < 16; bit++) {
      byte[] bytes = bytesOf(plain(3, 5));
      BatchHeader.int16(bytes, BatchHeader.ATTRIBUTES, (short) (1 << bit));
      BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, bytes.length));
      RecordBatch batch = RecordBatch.frame(bytes, 0, bytes.length);
      if (bit == 3) { // stamped by the broker's clock: every record then has the greatest timestamp
        new BatchValidation(false, false).check(batch, Allowance.UNLIMITED);
        continue;
      }
      InvalidBatchException refused = assertRefused(batch, new Held(1 << 20));
      boolean isUnsupported = refused.kind() == InvalidBatchException.Kind.UNSUPPORTED;
      assertEquals(bit > 3, isUnsupported, bit + ": " + refused.getMessage());
    }
    for (int codec = 5; codec < 8; codec++) {
      byte[] bytes = bytesOf(plain(3, 5));
      BatchHeader.int16(bytes, BatchHeader.ATTRIBUTES, (short) codec);
      BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, bytes.length));
      InvalidBatchException refused = assertRefused(RecordBatch.frame(bytes, 0, bytes.length), new Held(1 << 20));
      assertEquals(InvalidBatchException.Kind.UNSUPPORTED, refused.kind());
    }
  }

  @Test
  void aTransactionalBatchIsTakenWhereItMayBeAndHasAProducer() throws InvalidBatchException {
    RecordBatch plain = transactional(plain(3, 5));
    RecordBatch ofProducer = transactional(plain(3, 5).withProducer(7, (short) 0, 0));

    assertRefused(ofProducer, new Held(0));
    new BatchValidation(true, false).check(ofProducer, Allowance.UNLIMITED);
    assertThrows(InvalidBatchException.class, () -> new BatchValidation(true, false).check(plain, Allowance.UNLIMITED));
  }

  private static RecordBatch transactional(RecordBatch batch) throws InvalidBatchException {
    byte[] bytes = bytesOf(batch);
    bytes[BatchHeader.ATTRIBUTES + 1] |= BatchHeader.TRANSACTIONAL;
    BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, bytes.length));
    return RecordBatch.frame(bytes, 0, bytes.length);
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void whereKeysAreNeededOneWithoutIsRefused(Codec codec) throws InvalidBatchException {
    RecordBatch batch = BatchCompression.compress(plain(3, 5), codec); // the first has none

    InvalidBatchException refused =
        assertThrows(
            InvalidBatchException.class, () -> new BatchValidation(false, true).check(batch, Allowance.UNLIMITED));

    assertEquals(InvalidBatchException.Kind.NO_KEY, refused.kind());
    assertTrue(refused.getMessage().contains("every record needs a key: record 0 of the batch has none"), refused.getMessage());
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void theGreatestTimestampMustBeTheRecords(Codec codec) throws InvalidBatchException {
    byte[] bytes = bytesOf(BatchCompression.compress(plain(3, 5), codec));
    BatchHeader.int64(bytes, BatchHeader.MAX_TIMESTAMP, 1003);
    BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, bytes.length));

    InvalidBatchException refused = assertRefused(RecordBatch.frame(bytes, 0, bytes.length), new Held(4 << 20));

    assertEquals(InvalidBatchException.Kind.TIMESTAMP, refused.kind());
  }

  @Test
  void namesAreKafkas() {
    for (Codec codec : Codec.values()) {
      assertEquals(codec, Codec.named(codec.toString()).orElseThrow());
    }
    assertEquals("zstd", Codec.ZSTD.toString());
    assertFalse(Codec.named("GZIP").isPresent());
    RecordBatch plain = plain(1, 1);
    assertSame(plain, BatchCompression.compress(plain, Codec.NONE));
  }

  // ---------------------------------------------------------------- what compaction leaves

  @ParameterizedTest
  @EnumSource(Codec.class)
  void filteringKeepsTheCodecAndWhatIsKept(Codec codec) throws InvalidBatchException {
    RecordBatch batch = BatchCompression.compress(plain(50, 30), codec).numbered(700, 0);
    List<Record> all = batch.records();

    assertSame(batch, BatchFilter.filter(batch, record -> true, OptionalLong.empty()), "nothing went");
    RecordBatch even = BatchFilter.filter(batch, record -> record.offset() % 2 == 0, OptionalLong.empty());
    RecordBatch later = BatchFilter.filter(even, record -> true, OptionalLong.of(123_456));
    RecordBatch none = BatchFilter.filter(batch, record -> false, OptionalLong.empty());

    for (RecordBatch left : List.of(even, later)) {
      assertTrue(left.isCrcValid());
      assertEquals(codec, left.codec());
      assertEquals(List.of(700L, 749L, 25L), List.of(left.baseOffset(), left.lastOffset(), (long) left.recordCount()));
      assertEquals(1048, left.maxTimestampMs());
      List<Record> records = left.records();
      for (int i = 0; i < 25; i++) {
        assertEquals(all.get(2 * i).offset(), records.get(i).offset());
        assertEquals(all.get(2 * i).timestampMs(), records.get(i).timestampMs());
        assertArrayEquals(all.get(2 * i).key(), records.get(i).key());
        assertArrayEquals(all.get(2 * i).value(), records.get(i).value());
        assertEquals(all.get(2 * i).headers().size(), records.get(i).headers().size());
      }
    }
    assertEquals(OptionalLong.of(123_456), later.deleteHorizonMs());
    assertEquals(BatchHeader.SIZE, none.sizeBytes());
    assertTrue(none.isCrcValid() && !none.isCompressed());
    assertEquals(List.of(), none.records());
  }
}
