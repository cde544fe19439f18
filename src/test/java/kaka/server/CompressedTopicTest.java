package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import kaka.broker.TestBroker;
import kaka.protocol.CreateTopic;
import kaka.protocol.ErrorCode;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.RecordBatches;
import kaka.protocol.Records;
import kaka.record.BatchCompression;
import kaka.record.Codec;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compressed batches through the broker: checked, stored as they came, and given out as records or as they are. */
class CompressedTopicTest {
  private static final int MEMORY_BYTES = 32 << 20;

  private TestBroker broker;
  private RawConnection connection;
  private final List<RecordBatch> sent = new ArrayList<>();
  private final List<Records.Entry> expected = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.log.segment-bytes = 1MiB, kaka.memory.max-bytes = " + MEMORY_BYTES);
    connection = new RawConnection(broker.address());
  }

  @AfterEach
  void stop() throws Exception {
    connection.close();
    broker.awaitBudgetEmpty();
    broker.close();
  }

  private void produce(Codec codec, int records, int keyBytes, int valueBytes) throws Exception {
    Random random = new Random(sent.size());
    RecordBatchBuilder builder = new RecordBatchBuilder(64);
    for (int i = 0; i < records; i++) {
      byte[] key = i % 4 == 3 ? null : bytes(random, keyBytes);
      byte[] value = i % 5 == 4 ? null : bytes(random, valueBytes);
      builder.append(1_000L * expected.size(), key, value, List.of());
      expected.add(new Records.Entry(expected.size(), key, value));
    }
    RecordBatch batch = BatchCompression.compress(builder.build(), codec);
    long baseOffset = expected.size() - records;
    assertEquals(new ProduceAck(baseOffset), connection.ask(new ProduceBatch(ORDERS, batch)));
    sent.add(batch.numbered(baseOffset, 0));
  }

  /** Half of them random, half zeros: it compresses, and not away. */
  private static byte[] bytes(Random random, int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i += 2) {
      bytes[i] = (byte) random.nextInt();
    }
    return bytes;
  }

  private void assertFetched(long offset, int maxBytes) throws Exception {
    Records records = (Records) connection.ask(new Fetch(ORDERS, offset, maxBytes, 0, 0));
    assertTrue(!records.entries().isEmpty(), "nothing from " + offset);
    for (int i = 0; i < records.entries().size(); i++) {
      Records.Entry want = expected.get((int) offset + i);
      Records.Entry got = records.entries().get(i);
      assertEquals(want.offset(), got.offset());
      assertArrayEquals(want.key(), got.key());
      assertArrayEquals(want.value(), got.value());
    }
    int size = records.toFrame().length;
    assertTrue(size <= maxBytes || records.entries().size() == 1, size + " bytes");
  }

  @Test
  void everyCodecsRecordsComeFromEveryOffsetWithinEveryBound() throws Exception {
    for (Codec codec : Codec.values()) {
      produce(codec, 9, 10, 40);
      produce(codec, 1, 0, 0);
      produce(Codec.NONE, 2, 5, 5);
    }
    for (int offset = 0; offset < expected.size(); offset++) {
      for (int maxBytes : new int[] {1, 100, 200, 1000, 1 << 20}) {
        assertFetched(offset, maxBytes);
      }
    }
    Records all = (Records) connection.ask(new Fetch(ORDERS, 0, 1 << 20, 0, 0));
    assertEquals(expected.size(), all.entries().size());
  }

  /** More than the slices hold, so that the answer is walked twice, and records larger than a slice. */
  @Test
  void largeRecordsComeWhole() throws Exception {
    for (Codec codec : Codec.values()) {
      produce(codec, 20, 1000, 50_000);
      produce(codec, 2, 300_000, 400_000);
    }
    for (int maxBytes : new int[] {1, 50_000, 1 << 20, 20 << 20}) {
      for (int offset = 0; offset < expected.size(); offset += 11) {
        assertFetched(offset, maxBytes);
      }
    }
  }

  @Test
  void whatIsStoredIsWhatCame() throws Exception {
    for (Codec codec : Codec.values()) {
      produce(codec, 20, 10, 40);
    }

    RecordBatches got = (RecordBatches) connection.ask(new FetchBatches(new Fetch(ORDERS, 0, 1 << 20, 0, 0)));

    assertEquals(sent.size(), got.batches().size());
    for (int i = 0; i < sent.size(); i++) {
      assertEquals(sent.get(i).buffer(), got.batches().get(i).buffer());
    }
  }

  @Test
  void aTimeIsFoundInsideABatch() throws Exception {
    for (Codec codec : Codec.values()) {
      produce(codec, 20, 10, 40);
    }
    for (int offset = 0; offset < expected.size(); offset++) {
      OffsetForTimeReply reply = (OffsetForTimeReply) connection.ask(new OffsetForTime(ORDERS, Math.max(0, 1000L * offset - 999)));
      assertEquals(offset, reply.offset());
    }
  }

  @Test
  void aCompactedTopicNeedsKeysInCompressedBatches() throws Exception {
    connection.ask(new CreateTopic("orders", 1, Map.of("cleanup.policy", "compact")));
    RecordBatchBuilder without = new RecordBatchBuilder(64).append(0, new byte[1], null, List.of());
    RecordBatchBuilder with = new RecordBatchBuilder(64).append(0, new byte[1], null, List.of());
    RecordBatch keyless = without.append(0, null, new byte[1], List.of()).build();
    RecordBatch keyed = with.append(0, new byte[1], null, List.of()).build();
    for (Codec codec : Codec.values()) {
      assertError(
          ErrorCode.BAD_REQUEST, connection.ask(new ProduceBatch(ORDERS, BatchCompression.compress(keyless, codec))));
    }
    assertEquals(
        new ProduceAck(0), connection.ask(new ProduceBatch(ORDERS, BatchCompression.compress(keyed, Codec.ZSTD))));
  }

  /** A record of 30 MB takes more than this broker may hold: MEMORY, for the produce and for a fetch, and it lives on. */
  @Test
  void withoutRoomToDecompressNothingIsStoredOrSentAndTheConnectionLivesOn() throws Exception {
    produce(Codec.NONE, 1, 1, 1);
    RecordBatch large =
        BatchCompression.compress(
            new RecordBatchBuilder(64).append(0, null, new byte[30_000_000], List.of()).build(), Codec.ZSTD);
    assertError(ErrorCode.MEMORY, connection.ask(new ProduceBatch(ORDERS, large)));

    produce(Codec.LZ4, 3, 1, 4_000_000);
    long taken = MEMORY_BYTES - (6 << 20) - broker.memory().usedBytes();
    assertTrue(broker.memory().tryReserve(taken));
    assertError(ErrorCode.MEMORY, connection.ask(new Fetch(ORDERS, 1, 1 << 20, 0, 0)));
    assertEquals(1, ((Records) connection.ask(new Fetch(ORDERS, 0, 20 << 20, 0, 0))).entries().size(), "what stands before");
    broker.memory().release(taken);

    assertFetched(1, 20 << 20);
  }
}
