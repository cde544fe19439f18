package kaka.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;

class RecordBatchTest {
  /** Two records, written out by hand from the Kafka protocol guide; the checksum was computed apart from this code. */
  private static final String GOLDEN =
      "0000000000000000" // base offset
          + "00000049" // length: 85 - 12
          + "ffffffff" // leader epoch: not set yet
          + "02" // magic
          + "68b3e58c" // CRC32C of what follows
          + "0000" // attributes
          + "00000001" // last offset delta
          + "00000000000003e8" // base timestamp 1000
          + "00000000000003ed" // max timestamp 1005
          + "ffffffffffffffff" // producer id: none
          + "ffff" // producer epoch
          + "ffffffff" // base sequence
          + "00000002" // two records
          + "18" // 12 bytes
          + "00" // attributes
          + "00" // timestamp delta 0
          + "00" // offset delta 0
          + "02" + "6b" // key "k"
          + "04" + "7631" // value "v1"
          + "02" // one header
          + "02" + "68" // "h"
          + "01" // null
          + "14" // 10 bytes
          + "00" // attributes
          + "0a" // timestamp delta 5
          + "02" // offset delta 1
          + "01" // null key
          + "08" + "74776f21" // value "two!"
          + "00"; // no headers

  private static byte[] bytesOf(RecordBatch batch) {
    byte[] bytes = new byte[batch.sizeBytes()];
    batch.buffer().get(bytes);
    return bytes;
  }

  private static RecordBatch two() {
    return new RecordBatchBuilder(0)
        .append(1000, "k".getBytes(UTF_8), "v1".getBytes(UTF_8), List.of(new Header("h", null)))
        .append(1005, null, "two!".getBytes(UTF_8), List.of())
        .build();
  }

  @Test
  void theEncodingIsKafkas() {
    assertEquals(GOLDEN, HexFormat.of().formatHex(bytesOf(two())));
  }

  @Test
  void fieldsAndRecordsReadBack() throws InvalidBatchException {
    byte[] bytes = bytesOf(two());
    byte[] within = new byte[bytes.length + 20];
    System.arraycopy(bytes, 0, within, 7, bytes.length);

    RecordBatch batch = RecordBatch.frame(within, 7, within.length);

    batch.validate();
    assertEquals(bytes.length, batch.sizeBytes());
    assertEquals(2, batch.recordCount());
    assertEquals(1, batch.lastOffset());
    assertEquals(1000, batch.baseTimestampMs());
    assertEquals(1005, batch.maxTimestampMs());
    assertEquals(-1, batch.producerId());
    assertEquals(-1, batch.leaderEpoch());
    assertFalse(batch.isCompressed() || batch.isControl() || batch.isTransactional() || batch.isLogAppendTime());
    List<Record> records = batch.records();
    assertEquals(List.of(0L, 1L), records.stream().map(Record::offset).toList());
    assertEquals(List.of(1000L, 1005L), records.stream().map(Record::timestampMs).toList());
    assertArrayEquals("k".getBytes(UTF_8), records.get(0).key());
    assertArrayEquals("v1".getBytes(UTF_8), records.get(0).value());
    assertEquals(List.of(new Header("h", null)), records.get(0).headers());
    assertEquals(null, records.get(1).key());
    assertArrayEquals("two!".getBytes(UTF_8), records.get(1).value());
    assertEquals(List.of(), records.get(1).headers());
  }

  @Test
  void randomRecordsReadBack() throws InvalidBatchException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      RecordBatchBuilder builder = new RecordBatchBuilder(random.nextInt(100));
      List<Record> expected = new ArrayList<>();
      int count = 1 + random.nextInt(30);
      for (int i = 0; i < count; i++) {
        List<Header> headers = new ArrayList<>();
        for (int j = random.nextInt(4); j > 0; j--) {
          headers.add(new Header("näme" + j, bytes(random)));
        }
        Record record = new Record(i, random.nextLong() >> random.nextInt(64), bytes(random), bytes(random), headers);
        builder.append(record.timestampMs(), record.key(), record.value(), record.headers());
        expected.add(record);
        assertEquals(i + 1, builder.recordCount());
      }
      int sizeBytes = builder.sizeBytes();

      RecordBatch batch = builder.build();

      batch.validate();
      assertEquals(sizeBytes, batch.sizeBytes());
      assertSame(expected, batch.records(), "seed " + seed);
      assertEquals(
          expected.stream().mapToLong(Record::timestampMs).max().getAsLong(), batch.maxTimestampMs(), "seed " + seed);
    }
  }

  private static byte[] bytes(Random random) {
    if (random.nextInt(5) == 0) {
      return null;
    }
    byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? 5000 : 100)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static void assertSame(List<Record> expected, List<Record> actual, String when) {
    assertEquals(expected.size(), actual.size(), when);
    for (int i = 0; i < expected.size(); i++) {
      Record wanted = expected.get(i);
      Record found = actual.get(i);
      assertEquals(wanted.offset(), found.offset(), when);
      assertEquals(wanted.timestampMs(), found.timestampMs(), when);
      assertArrayEquals(wanted.key(), found.key(), when);
      assertArrayEquals(wanted.value(), found.value(), when);
      assertEquals(wanted.headers().size(), found.headers().size(), when);
      for (int j = 0; j < wanted.headers().size(); j++) {
        assertEquals(wanted.headers().get(j).key(), found.headers().get(j).key(), when);
        assertArrayEquals(wanted.headers().get(j).value(), found.headers().get(j).value(), when);
      }
    }
  }

  @Test
  void everyTruncationIsRefused() {
    byte[] bytes = bytesOf(two());

    for (int limit = 0; limit < bytes.length; limit++) {
      byte[] cut = Arrays.copyOf(bytes, limit);
      InvalidBatchException e =
          assertThrows(InvalidBatchException.class, () -> RecordBatch.frame(cut, 0, cut.length), "cut to " + limit);
      assertTrue(e.position() <= cut.length);
    }
  }

  /** All but base offset and leader epoch, which are the partition's and outside the checksum. */
  @Test
  void everyFlippedBitIsRefused() throws InvalidBatchException {
    byte[] bytes = bytesOf(two());

    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] flipped = Arrays.copyOf(bytes, bytes.length + 200); // a longer length must not run out of bytes
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      int at = bit / 8;
      if (at < BatchHeader.LENGTH || at >= BatchHeader.LEADER_EPOCH && at < BatchHeader.MAGIC) {
        RecordBatch.frame(flipped, 0, flipped.length).validate();
      } else {
        assertThrows(
            InvalidBatchException.class,
            () -> RecordBatch.frame(flipped, 0, flipped.length).validate(),
            "bit " + bit);
      }
    }
  }

  @Test
  void zerosAreNoBatch() {
    byte[] zeros = new byte[1000];

    for (int limit = 0; limit <= zeros.length; limit++) {
      int size = limit;
      assertThrows(InvalidBatchException.class, () -> RecordBatch.frame(zeros, 0, size));
    }
  }

  /** The checksum fits, what it covers does not: a wrong field must be found by itself, and never by another exception. */
  @Test
  void everyFlippedBitUnderAFittingChecksumIsRefusedOrHarmless() {
    byte[] bytes = bytesOf(two());

    for (int bit = BatchHeader.ATTRIBUTES * 8; bit < bytes.length * 8; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      BatchHeader.int32(flipped, BatchHeader.CRC, BatchHeader.crcOf(flipped, 0, flipped.length));
      try {
        RecordBatch batch = RecordBatch.frame(flipped, 0, flipped.length);
        batch.validate();
        assertEquals(2, batch.records().size(), "bit " + bit);
        assertEquals(2, batch.recordCount(), "bit " + bit);
      } catch (InvalidBatchException e) {
        assertTrue(e.position() >= 0 && e.position() <= flipped.length, e.getMessage());
      }
    }
  }

  /** Cut to 32 bits, 2^32 is 0: such a batch would be taken, and its first record come back under another offset. */
  @Test
  void numbersThatDoNotFitAreRefused() throws InvalidBatchException {
    String small = "00";
    String twoToThe32 = "8080808020"; // zig-zag of 2^32 is 2^33
    String longest = "ffffffffffffffffff01"; // Long.MIN_VALUE, all 64 bits
    withNumbers("00", "00", "01", "01").validate();
    withNumbers(longest, small, "01", "01").validate();
    withNumbers("80808080808080808000", "8080808000", "8180808000", "01").validate(); // longer than need be
    for (String tooLarge : List.of(twoToThe32, "8080808010", "808080808000", longest)) {
      assertThrows(InvalidBatchException.class, () -> withNumbers(small, tooLarge, "01", "01").validate(), tooLarge);
      assertThrows(InvalidBatchException.class, () -> withNumbers(small, small, tooLarge, "01").validate(), tooLarge);
      assertThrows(InvalidBatchException.class, () -> withNumbers(small, small, "01", tooLarge).validate(), tooLarge);
    }
    for (String tooLarge : List.of("ffffffffffffffffff02", "ffffffffffffffffff03", "8080808080808080808000")) {
      assertThrows(InvalidBatchException.class, () -> withNumbers(tooLarge, small, "01", "01").validate(), tooLarge);
    }
  }

  /** A batch of one record of these numbers, in hex, without key, value and headers; its checksum fits. */
  private static RecordBatch withNumbers(String timestampDelta, String offsetDelta, String keySize, String valueSize)
      throws InvalidBatchException {
    byte[] record = HexFormat.of().parseHex("00" + timestampDelta + offsetDelta + keySize + valueSize + "00");
    byte[] header = bytesOf(new RecordBatchBuilder(0).append(1000, null, null, List.of()).build());
    byte[] bytes = Arrays.copyOf(header, BatchHeader.SIZE + 1 + record.length);
    bytes[BatchHeader.SIZE] = (byte) (record.length << 1);
    System.arraycopy(record, 0, bytes, BatchHeader.SIZE + 1, record.length);
    BatchHeader.int32(bytes, BatchHeader.LENGTH, bytes.length - BatchHeader.OVERHEAD);
    BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, bytes.length));
    return RecordBatch.frame(bytes, 0, bytes.length);
  }

  @Test
  void randomBytesGiveNothingButInvalidBatch() {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = bytesOf(two());
      for (int j = random.nextInt(20); j >= 0; j--) {
        bytes[BatchHeader.ATTRIBUTES + random.nextInt(bytes.length - BatchHeader.ATTRIBUTES)] = (byte) random.nextInt();
      }
      BatchHeader.int32(bytes, BatchHeader.CRC, BatchHeader.crcOf(bytes, 0, bytes.length));
      try {
        RecordBatch batch = RecordBatch.frame(bytes, 0, bytes.length);
        batch.validate();
        assertNotNull(batch.records());
      } catch (InvalidBatchException e) {
        assertNotNull(e.getMessage(), "seed " + seed);
      }
    }
  }

  /** What is kept of a large buffer is a copy; where there is little else, not even that is made. */
  @Test
  void detachedKeepsLittleBesidesItself() throws InvalidBatchException {
    RecordBatch batch = new RecordBatchBuilder(64).append(1000, null, new byte[] {1, 2, 3}, List.of()).build();
    for (int slack : new int[] {0, 128, 129, 4096}) {
      byte[] array = new byte[slack + batch.sizeBytes()];
      int start = slack / 2;
      batch.copyTo(0, batch.sizeBytes(), ByteBuffer.wrap(array, start, batch.sizeBytes()));

      RecordBatch detached = RecordBatch.frame(array, start, start + batch.sizeBytes()).detached();
      Arrays.fill(array, (byte) 0);

      boolean isCopied = detached.sizeBytes() == batch.sizeBytes() && detached.recordCount() == 1;
      assertEquals(slack > 128, isCopied, "slack " + slack);
      if (isCopied) {
        assertEquals(batch.buffer(), detached.buffer());
      }
    }
  }

  @Test
  void numberingChangesOnlyOffsetAndEpoch() throws InvalidBatchException {
    RecordBatch batch = two();

    RecordBatch numbered = batch.numbered(1L << 40, 3);

    numbered.validate();
    assertEquals(1L << 40, numbered.baseOffset());
    assertEquals((1L << 40) + 1, numbered.lastOffset());
    assertEquals(3, numbered.leaderEpoch());
    assertEquals((1L << 40) + 1, numbered.records().get(1).offset());
    assertEquals(0, batch.baseOffset(), "the batch it came from is as it was");
    byte[] before = bytesOf(batch);
    byte[] after = bytesOf(numbered);
    assertArrayEquals(
        Arrays.copyOfRange(before, BatchHeader.MAGIC, before.length), Arrays.copyOfRange(after, BatchHeader.MAGIC, after.length));
  }

  @Test
  void partsAreCopiedOut() {
    RecordBatch batch = two();
    byte[] bytes = bytesOf(batch);
    ByteBuffer target = ByteBuffer.allocateDirect(bytes.length);

    batch.copyTo(0, 10, target);
    batch.copyTo(10, bytes.length - 10, target);

    assertEquals(ByteBuffer.wrap(bytes), target.flip());
  }

  @Test
  void anIdempotentProducersFieldsAreKept() throws InvalidBatchException {
    RecordBatch batch =
        new RecordBatchBuilder(10).producer(77, (short) 5, 123).append(1, null, null, List.of()).build();

    batch.validate();
    assertEquals(77, batch.producerId());
    assertEquals(5, batch.producerEpoch());
    assertEquals(123, batch.baseSequence());
  }

  @Test
  void partsOfArraysAreAppended() throws InvalidBatchException {
    byte[] source = "xxkeyvaluexx".getBytes(UTF_8);
    RecordBatch batch =
        new RecordBatchBuilder(0)
            .append(1, source, 2, 3, source, 5, 5)
            .append(2, source, 0, 0, source, 0, -1)
            .append(3, null, 0, -1, source, 0, 0)
            .build();

    batch.validate();
    List<Record> records = batch.records();
    assertEquals("key", new String(records.get(0).key(), UTF_8));
    assertEquals("value", new String(records.get(0).value(), UTF_8));
    assertEquals(0, records.get(1).key().length);
    assertEquals(null, records.get(1).value());
    assertEquals(null, records.get(2).key());
    assertEquals(0, records.get(2).value().length);
  }

  @Test
  void theBuilderGrowsAndGivesItsBytesUp() throws InvalidBatchException {
    RecordBatchBuilder builder = new RecordBatchBuilder(0);
    assertThrows(IllegalStateException.class, builder::build);
    byte[] value = new byte[1000];
    for (int i = 0; i < 1000; i++) {
      Arrays.fill(value, (byte) i);
      builder.append(i, null, value, List.of());
    }

    RecordBatch batch = builder.build();

    batch.validate();
    assertEquals(1000, batch.records().size());
    assertEquals((byte) 999, batch.records().get(999).value()[500]);
    assertThrows(NullPointerException.class, () -> builder.append(0, null, value, List.of()));
  }
}
