package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import kaka.client.KakaException.Reason;
import kaka.protocol.DeleteTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.protocol.RecordBatches;
import kaka.protocol.Request;
import kaka.record.BatchHeader;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The consumer against brokers whose answers are late, damaged or missing. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsumerTest {
  private static final TopicPartition P0 = new TopicPartition("t", 0);
  private static final TopicPartition P1 = new TopicPartition("t", 1);
  private static final Duration LONG = Duration.ofMinutes(1);

  /** A fetch as the broker got it; the test answers it. */
  private record Got(Fetch fetch, ScriptedBroker.Peer peer) {
    void answer(long highWatermark, RecordBatch... batches) throws IOException {
      peer.send(new RecordBatches(0, highWatermark, List.of(batches)));
    }
  }

  private final BlockingQueue<Got> got = new LinkedBlockingQueue<>();

  private ScriptedBroker broker() throws IOException {
    return ScriptedBroker.answering(ScriptedBroker.HELLO, this::receive);
  }

  private void receive(Request request, ScriptedBroker.Peer peer) throws IOException {
    if (request instanceof FetchBatches fetch) {
      got.add(new Got(fetch.fetch(), peer));
    } else if (request instanceof OffsetForTime time) {
      peer.send(new OffsetForTimeReply(time.timestampMs() < 0 ? 100 + time.timestampMs() : time.timestampMs() / 1000));
    } else {
      peer.send(new DeleteTopicReply());
    }
  }

  /** A batch is never cut: where records were deleted up to its middle, its first ones still come, and are no more. */
  @Test
  void recordsBelowTheLogStartAreNotGivenOut() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(0))) {
      Got first = got.take();
      first.peer.send(new RecordBatches(2, 4, List.of(batch(0, "a", "b", "c", "d"))));

      List<ConsumedRecord> records = consumer.poll(LONG);

      assertEquals(List.of(2L, 3L), records.stream().map(ConsumedRecord::offset).toList());
      assertEquals(OptionalLong.of(4), consumer.position(P0));
    }
  }

  private static Consumer consumer(KakaClient client, StartPosition start) {
    return client.consumer(ConsumerConfig.defaults(), Map.of(P0, start));
  }

  private static RecordBatch batch(long baseOffset, String... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder(64);
    for (String value : values) {
      builder.append(1000, null, value.getBytes(UTF_8), List.of());
    }
    return builder.build().numbered(baseOffset, 0);
  }

  private static byte[] bytes(RecordBatch batch) {
    byte[] bytes = new byte[batch.sizeBytes()];
    batch.buffer().get(bytes);
    return bytes;
  }

  private static List<String> values(List<ConsumedRecord> records) {
    return records.stream().map(record -> record.offset() + "=" + new String(record.value(), UTF_8)).toList();
  }

  private static KakaException failure(CompletableFuture<?> future) {
    return assertThrows(KakaException.class, () -> KakaException.await(future));
  }

  /** One fetch waits at the broker and nothing else is sent until it is answered: no polling. */
  @Test
  void fetchWaitsAtTheEndAndIsWoken() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(3))) {
      CompletableFuture<List<ConsumedRecord>> polled = consumer.poll();
      Got waiting = got.take();
      assertEquals(new Fetch(P0, 3, 1 << 20, 10_000, 1), waiting.fetch);
      KakaException.await(client.admin().deleteTopic("any"));
      assertEquals(0, waiting.peer.unread());
      assertTrue(got.isEmpty());
      assertFalse(polled.isDone());

      waiting.answer(5, batch(3, "a", "b"));

      assertEquals(List.of("3=a", "4=b"), values(KakaException.await(polled)));
      assertEquals(5, got.take().fetch.fetchOffset());
      assertEquals(OptionalLong.of(5), consumer.position(P0));
      assertEquals(OptionalLong.of(5), consumer.highWatermark(P0));
    }
  }

  /** Whoever gets records and asks for the position at once must not be told the old one: it would wait for what it has. */
  @Test
  void positionMovesBeforeTheRecordsAreGiven() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(3))) {
      CompletableFuture<OptionalLong> position = consumer.poll().thenApply(records -> consumer.position(P0));

      got.take().answer(5, batch(3, "a", "b"));

      assertEquals(OptionalLong.of(5), KakaException.await(position));
    }
  }

  /** The broker gave up waiting: the same question is asked again. */
  @Test
  void emptyAnswerIsAskedAgain() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(3))) {
      CompletableFuture<List<ConsumedRecord>> polled = consumer.poll();

      got.take().answer(3);
      got.take().answer(4, batch(3, "a"));

      assertEquals(List.of("3=a"), values(KakaException.await(polled)));
    }
  }

  @Test
  void recordsBelowTheWantedOffsetAreSkipped() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(12))) {
      got.take().answer(20, batch(10, "a", "b", "c", "d"), batch(14, "e"));

      assertEquals(List.of("12=c", "13=d", "14=e"), values(consumer.poll(LONG)));
    }
  }

  /** Each bit of a batch's checked part, flipped on the way: never a record, always a failure, and then the right ones. */
  @Test
  void damagedBatchIsDetectedAndFetchedAgain() throws Exception {
    RecordBatch whole = batch(0, "a");
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(0))) {
      for (int position = BatchHeader.CRC; position < whole.sizeBytes(); position += 3) {
        Got fetch = got.take();
        assertEquals(0, fetch.fetch.fetchOffset());
        byte[] frame = new RecordBatches(0, 1, List.of(whole)).toFrame();
        frame[RecordBatches.FRAME_HEADER_BYTES + position] ^= (byte) (1 << position % 8);

        fetch.peer.send(frame);

        KakaException failure = failure(consumer.poll());
        assertEquals(Reason.BAD_ANSWER, failure.reason(), "byte " + position);
        assertTrue(failure.getMessage().contains("CRC32C"), failure.getMessage());
        CompletableFuture<List<ConsumedRecord>> resumes = consumer.poll();
        resumes.cancel(false);
      }
      got.take().answer(1, whole);
      assertEquals(List.of("0=a"), values(consumer.poll(LONG)));
    }
  }

  @Test
  void lostConnectionFailsOnePollAndTheNextGoesOn() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(0))) {
      got.take().answer(2, batch(0, "a", "b"));
      assertEquals(List.of("0=a", "1=b"), values(consumer.poll(LONG)));
      got.take().peer.hangUp();

      KakaException failure = failure(consumer.poll());
      assertEquals(Reason.CONNECTION_LOST, failure.reason());
      assertTrue(failure.isRetriable());

      CompletableFuture<List<ConsumedRecord>> again = consumer.poll();
      Got resumed = got.take();
      assertEquals(2, resumed.fetch.fetchOffset());
      resumed.answer(3, batch(2, "c"));
      assertEquals(List.of("2=c"), values(KakaException.await(again)));
    }
  }

  @Test
  void refusedFetchFailsThePollWithTheBrokersError() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(0))) {
      got.take().peer.send(new ErrorReply(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no topic t"));

      KakaException failure = assertThrows(KakaException.class, () -> consumer.poll(LONG));

      assertTrue(failure.is(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
    }
  }

  /** A topic that was deleted and created again: going on silently would skip its first records. */
  @Test
  void offsetBeyondTheEndIsOutOfRange() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(50))) {
      got.take().answer(7);

      KakaException failure = failure(consumer.poll());

      assertTrue(failure.is(ErrorCode.OFFSET_OUT_OF_RANGE));
      assertTrue(failure.getMessage().contains("offset 50 of t-0 is beyond its end, 7"), failure.getMessage());
    }
  }

  @Test
  void recordsNoLongerKeptAreSteppedOver() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(0))) {
      got.take().peer.send(new RecordBatches(40, 40, List.of()));

      assertEquals(40, got.take().fetch.fetchOffset());
      assertEquals(OptionalLong.of(40), consumer.position(P0));
    }
  }

  /** Nobody polls: fetching stops at the bound, and goes on when a poll has made room. */
  @Test
  void prefetchIsBounded() throws Exception {
    ConsumerConfig config = new ConsumerConfig(1024, 4096, Duration.ofSeconds(10));
    String value = "x".repeat(1000);
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = client.consumer(config, Map.of(P0, StartPosition.offset(0)))) {
      Got last = null;
      for (int i = 0; i < 3; i++) {
        last = got.take();
        assertEquals(i, last.fetch.fetchOffset());
        assertEquals(1024, last.fetch.maxBytes());
        last.answer(100, batch(i, value));
      }
      // Each batch takes about 1070 bytes: with three of them a fetch of 1024 more does not fit into 4096.
      KakaException.await(client.admin().deleteTopic("any"));
      KakaException.await(client.admin().deleteTopic("any")); // the answers before this one have been seen to
      assertEquals(0, last.peer.unread());
      assertTrue(got.isEmpty());
      assertEquals(List.of("0=" + value), values(consumer.poll(LONG)));

      Got fourth = got.take();
      assertEquals(3, fourth.fetch.fetchOffset());
      assertEquals(0, fourth.peer.unread());
      assertTrue(got.isEmpty());
      assertEquals(List.of("1=" + value), values(consumer.poll(LONG)));
    }
  }

  @Test
  void cancelledPollLosesNothing() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(0))) {
      CompletableFuture<List<ConsumedRecord>> cancelled = consumer.poll();
      assertTrue(cancelled.cancel(false));
      assertEquals(List.of(), consumer.poll(Duration.ofMillis(1)));

      got.take().answer(2, batch(0, "a"), batch(1, "b"));

      assertEquals(List.of("0=a", "1=b"), values(consumer.poll(LONG)));
    }
  }

  @Test
  void startsAreResolvedByTheBroker() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config())) {
      assertFirstFetch(client, StartPosition.time(Instant.ofEpochMilli(42_000)), 42);
      assertFirstFetch(client, StartPosition.LATEST, 99);
      assertFirstFetch(client, StartPosition.EARLIEST, 98);
    }
  }

  private void assertFirstFetch(KakaClient client, StartPosition start, long offset) throws InterruptedException {
    try (Consumer consumer = consumer(client, start)) {
      assertEquals(offset, got.take().fetch.fetchOffset());
      assertEquals(OptionalLong.of(offset), consumer.position(P0));
    }
  }

  /** A batch that says it is compressed and is not: what stands before it comes, then every poll says why it stops. */
  @Test
  void unreadableBatchIsToldAndNeverSkipped() throws Exception {
    RecordBatch compressed = notCompressed(batch(1, "b"));
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = consumer(client, StartPosition.offset(0))) {
      got.take().answer(4, batch(0, "a"), compressed, batch(2, "c"));
      got.take().answer(4, batch(3, "d"));
      got.take(); // so the last answer has arrived, and waits behind the first

      assertEquals(List.of("0=a"), values(consumer.poll(LONG)));
      for (int i = 0; i < 2; i++) {
        KakaException failure = failure(consumer.poll());
        assertEquals(Reason.BAD_BATCH, failure.reason());
        assertTrue(failure.getMessage().contains("offset 1 of t-0 is damaged: no gzip data"), failure.getMessage());
        assertEquals(OptionalLong.of(1), consumer.position(P0));
      }
    }
  }

  private static RecordBatch notCompressed(RecordBatch batch) throws InvalidBatchException {
    byte[] bytes = bytes(batch);
    bytes[BatchHeader.ATTRIBUTES + 1] |= 1;
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update(bytes, BatchHeader.ATTRIBUTES, bytes.length - BatchHeader.ATTRIBUTES);
    java.nio.ByteBuffer.wrap(bytes).putInt(BatchHeader.CRC, (int) crc.getValue());
    return RecordBatch.frame(bytes, 0, bytes.length);
  }

  /** A fetch that waits at the end of one partition must not hold up another's answers. */
  @Test
  void eachPartitionWaitsOnItsOwn() throws Exception {
    Map<TopicPartition, StartPosition> both = Map.of(P0, StartPosition.offset(0), P1, StartPosition.offset(0));
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config());
        Consumer consumer = client.consumer(ConsumerConfig.defaults(), both)) {
      Got one = got.take();
      Got other = got.take();
      assertTrue(one.peer != other.peer);

      other.answer(1, batch(0, "b"));

      assertEquals(other.fetch.partition(), consumer.poll(LONG).get(0).topicPartition());
    }
  }

  @Test
  void closeEndsThePollsThatWait() throws Exception {
    try (ScriptedBroker broker = broker();
        KakaClient client = KakaClient.connect(broker.config())) {
      Consumer consumer = consumer(client, StartPosition.offset(0));
      CompletableFuture<List<ConsumedRecord>> waiting = consumer.poll();

      consumer.close();

      assertEquals(Reason.CLOSED, failure(waiting).reason());
      assertEquals(Reason.CLOSED, failure(consumer.poll()).reason());
    }
  }
}
