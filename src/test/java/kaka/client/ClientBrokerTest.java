package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import kaka.TestSeed;
import kaka.broker.Broker;
import kaka.config.KakaConfig;
import kaka.protocol.ErrorCode;
import kaka.record.Codec;
import kaka.record.Header;
import kaka.record.Partitioner;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client against a real broker, which keeps its log in memory. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ClientBrokerTest {
  private static final Duration LONG = Duration.ofSeconds(120);

  private static Broker broker;
  private static int topics;

  private KakaClient client;
  private String topic;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = Broker.start(KakaConfig.parse("kaka.admin.port = off, kaka.listen.port = 0, kaka.log.dir = \"\""));
  }

  @AfterAll
  static void stopBroker() {
    broker.stop().toCompletableFuture().join();
  }

  @BeforeEach
  void connect() {
    client = KakaClient.connect(ClientConfig.of("127.0.0.1", broker.address().getPort()));
    topic = "topic-" + topics++;
  }

  @AfterEach
  void disconnect() {
    client.close();
  }

  private TopicPartition partition(int number) {
    return new TopicPartition(topic, number);
  }

  private Consumer consumer(StartPosition start, int... partitions) {
    Map<TopicPartition, StartPosition> starts = new HashMap<>();
    for (int each : partitions) {
      starts.put(partition(each), start);
    }
    return client.consumer(ConsumerConfig.defaults(), starts);
  }

  private static List<ConsumedRecord> take(Consumer consumer, int count) {
    List<ConsumedRecord> taken = new ArrayList<>();
    while (taken.size() < count) {
      List<ConsumedRecord> polled = consumer.poll(LONG);
      assertTrue(!polled.isEmpty(), "only " + taken.size() + " of " + count + " records came");
      taken.addAll(polled);
    }
    assertEquals(count, taken.size());
    return taken;
  }

  @Test
  void recordsComeBackWithKeyTimeAndHeaders() {
    Header header = new Header("trace", new byte[] {1, 0, -1});
    try (Producer producer = client.producer(ProducerConfig.defaults())) {
      ProducerRecord full =
          ProducerRecord.of(topic, "k".getBytes(UTF_8), new byte[] {0, 10, 13, -1})
              .withTimestamp(1_234)
              .withHeaders(List.of(header, new Header("none", null)));
      assertEquals(new RecordMetadata(partition(0), 0), KakaException.await(producer.send(full)));
      assertEquals(1, KakaException.await(producer.send(ProducerRecord.of(topic, null, null))).offset());
    }

    List<ConsumedRecord> records = take(consumer(StartPosition.EARLIEST, 0), 2);

    ConsumedRecord first = records.get(0);
    assertArrayEquals("k".getBytes(UTF_8), first.key());
    assertArrayEquals(new byte[] {0, 10, 13, -1}, first.value());
    assertEquals(1_234, first.timestampMs());
    assertEquals(List.of("trace", "none"), first.headers().stream().map(Header::key).toList());
    assertArrayEquals(header.value(), first.headers().get(0).value());
    assertNull(first.headers().get(1).value());
    assertNull(records.get(1).key());
    assertNull(records.get(1).value());
  }

  /** What a producer compressed comes back as it was; what would only get longer is sent as it is. */
  @Test
  void compressedBatchesComeBack() {
    byte[] value = "the same again and again, ".repeat(40).getBytes(UTF_8);
    for (Codec codec : Codec.values()) {
      ProducerConfig config = ProducerConfig.defaults().withCompression(codec).withLinger(Duration.ofMillis(50));
      try (Producer producer = client.producer(config)) {
        for (int i = 0; i < 100; i++) {
          producer.send(ProducerRecord.of(topic, ("key-" + i).getBytes(UTF_8), value).withTimestamp(i));
        }
        KakaException.await(producer.flush());
        assertEquals(100, producer.ackedRecords());
      }
    }

    List<ConsumedRecord> records = take(consumer(StartPosition.EARLIEST, 0), 500);

    for (int i = 0; i < 500; i++) {
      assertEquals(i, records.get(i).offset());
      assertEquals(i % 100, records.get(i).timestampMs());
      assertArrayEquals(("key-" + i % 100).getBytes(UTF_8), records.get(i).key());
      assertArrayEquals(value, records.get(i).value());
    }
  }

  /** Random sizes around the batch limit, many in flight: every record once, in order, byte for byte. */
  @Test
  void manyRecordsAreStoredInOrder() {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    List<byte[]> values = new ArrayList<>();
    try (Producer producer = client.producer(ProducerConfig.defaults().withBatchBytes(2048).withBufferBytes(100_000))) {
      for (int i = 0; i < 20_000; i++) {
        byte[] value = new byte[i % 1000 == 0 ? 60_000 : random.nextInt(200)];
        random.nextBytes(value);
        values.add(value);
        producer.send(ProducerRecord.of(topic, value));
      }
      KakaException.await(producer.flush());
      assertEquals(values.size(), producer.ackedRecords());
      assertTrue(producer.peakBufferedBytes() <= 100_000);
    }

    List<ConsumedRecord> records = take(consumer(StartPosition.EARLIEST, 0), values.size());

    for (int i = 0; i < values.size(); i++) {
      assertEquals(i, records.get(i).offset());
      assertArrayEquals(values.get(i), records.get(i).value(), "record " + i + ", seed " + seed);
    }
  }

  @Test
  void waitingConsumerIsWokenByAProduce() {
    KakaException.await(client.admin().createTopic(topic, 1, Map.of()));
    CompletableFuture<List<ConsumedRecord>> polled = consumer(StartPosition.LATEST, 0).poll();
    try (Producer producer = client.producer(ProducerConfig.defaults())) {
      while (!polled.isDone()) {
        producer.send(ProducerRecord.of(topic, "wake".getBytes(UTF_8))).join();
      }
    }

    assertArrayEquals("wake".getBytes(UTF_8), KakaException.await(polled).get(0).value());
  }

  @Test
  void consumingStartsAtATime() {
    try (Producer producer = client.producer(ProducerConfig.defaults())) {
      for (int i = 0; i < 100; i++) {
        producer.send(ProducerRecord.of(topic, new byte[] {(byte) i}).withTimestamp(1000 + 10 * i));
      }
      KakaException.await(producer.flush());
    }

    assertEquals(51, consumer(StartPosition.time(Instant.ofEpochMilli(1501)), 0).poll(LONG).get(0).offset());
    assertEquals(51, KakaException.await(client.admin().offsetForTime(partition(0), Instant.ofEpochMilli(1501))));
    assertEquals(100, KakaException.await(client.admin().offsetForTime(partition(0), Instant.ofEpochMilli(9999))));
    assertEquals(0, KakaException.await(client.admin().earliestOffset(partition(0))));
    assertEquals(100, KakaException.await(client.admin().latestOffset(partition(0))));
  }

  @Test
  void keysGoToTheirPartitionAndKeylessRecordsSpread() {
    KakaException.await(client.admin().createTopic(topic, 3, Map.of()));
    try (Producer producer = client.producer(ProducerConfig.defaults().withBatchBytes(1024))) {
      for (int i = 0; i < 30; i++) {
        byte[] key = ("key " + i).getBytes(UTF_8);
        RecordMetadata stored = KakaException.await(producer.send(ProducerRecord.of(topic, key, key)));
        assertEquals(Partitioner.partitionOf(key, 3), stored.topicPartition().partition());
      }
      Set<Integer> used = new HashSet<>();
      for (int i = 0; i < 30; i++) {
        used.add(KakaException.await(producer.send(ProducerRecord.of(topic, new byte[0]))).topicPartition().partition());
      }
      assertEquals(Set.of(0, 1, 2), used, "each batch goes to the next partition");
    }

    assertEquals(60, take(consumer(StartPosition.EARLIEST, 0, 1, 2), 60).size());
  }

  @Test
  void keylessRecordsFillOnePartitionsBatchTogether() {
    KakaException.await(client.admin().createTopic(topic, 3, Map.of()));
    ProducerConfig config = ProducerConfig.defaults().withLinger(Duration.ofSeconds(60));
    try (Producer producer = client.producer(config)) {
      List<CompletableFuture<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        sent.add(producer.send(ProducerRecord.of(topic, new byte[0])));
      }
      KakaException.await(producer.flush());

      Set<TopicPartition> used = new HashSet<>();
      sent.forEach(each -> used.add(each.join().topicPartition()));
      assertEquals(1, used.size());
    }
  }

  @Test
  void topicsAreCreatedListedDescribedAndDeleted() {
    TopicInfo created = KakaException.await(client.admin().createTopic(topic, 2, Map.of()));
    assertEquals(new TopicInfo(topic, created.id(), 2), created);
    assertTrue(KakaException.await(client.admin().listTopics()).contains(created));
    try (Producer producer = client.producer(ProducerConfig.defaults())) {
      KakaException.await(producer.send(ProducerRecord.of(partition(1), null, new byte[10])));
    }

    TopicDescription description = KakaException.await(client.admin().describeTopic(topic));
    assertEquals(created.id(), description.id());
    assertEquals(2, description.partitions().size());
    assertEquals(0, description.partitions().get(0).highWatermark());
    TopicDescription.Partition second = description.partitions().get(1);
    assertEquals("writable", second.state());
    assertEquals(1, second.highWatermark());
    assertTrue(second.sizeBytes() > 0);
    assertTrue(failure(client.admin().createTopic(topic, 2, Map.of())).is(ErrorCode.TOPIC_EXISTS));

    KakaException.await(client.admin().deleteTopic(topic));
    assertTrue(failure(client.admin().describeTopic(topic)).is(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
    assertTrue(failure(client.admin().deleteTopic(topic)).is(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
  }

  /** The new topic knows nothing of the producer, who begins anew there. */
  @Test
  void producerGoesOnInATopicThatWasCreatedAgain() {
    try (Producer producer = client.producer(ProducerConfig.defaults())) {
      for (int life = 0; life < 3; life++) {
        KakaException.await(client.admin().createTopic(topic, 1, Map.of()));
        for (int i = 0; i < 3; i++) {
          ProducerRecord record = ProducerRecord.of(partition(0), null, new byte[] {(byte) life});
          assertEquals(i, KakaException.await(producer.send(record)).offset());
        }
        KakaException.await(client.admin().deleteTopic(topic));
      }
    }
  }

  @Test
  void partitionThatDoesNotExistIsRefused() {
    KakaException.await(client.admin().createTopic(topic, 1, Map.of()));
    try (Producer producer = client.producer(ProducerConfig.defaults())) {
      KakaException failure = failure(producer.send(ProducerRecord.of(partition(7), null, new byte[1])));

      assertTrue(failure.is(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
    }
  }

  private static KakaException failure(CompletableFuture<?> future) {
    return assertThrows(KakaException.class, () -> KakaException.await(future));
  }

  /** The largest record that the client lets through is one that the broker takes. */
  @Test
  void largestRecordFits() {
    int valueBytes = client.maxFrameBytes() - 72 - 249 - 36;
    ProducerConfig config = ProducerConfig.defaults().withBufferBytes(2L * client.maxFrameBytes());
    try (Producer producer = client.producer(config)) {
      byte[] value = new byte[Math.min(valueBytes, 40 << 20)];
      value[value.length - 1] = 1;
      KakaException.await(producer.send(ProducerRecord.of(topic, value)));

      ConsumedRecord read = take(consumer(StartPosition.EARLIEST, 0), 1).get(0);
      assertArrayEquals(value, read.value());
      assertEquals(
          KakaException.Reason.RECORD_TOO_LARGE,
          failure(producer.send(ProducerRecord.of(topic, new byte[valueBytes + 1]))).reason());
    }
  }

  /** Twenty producers and twenty consumers, each with its own connection, and the one thread of the client. */
  @Test
  void manyConnectionsShareOneThread() {
    int count = 20;
    KakaException.await(client.admin().createTopic(topic, count, Map.of()));
    List<Producer> producers = new ArrayList<>();
    List<Consumer> consumers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      producers.add(client.producer(ProducerConfig.defaults()));
      consumers.add(consumer(StartPosition.EARLIEST, i));
    }
    for (int i = 0; i < count; i++) {
      for (int n = 0; n < 50; n++) {
        producers.get(i).send(ProducerRecord.of(partition(i), null, new byte[] {(byte) n}));
      }
    }

    for (int i = 0; i < count; i++) {
      List<ConsumedRecord> records = take(consumers.get(i), 50);
      for (int n = 0; n < 50; n++) {
        assertEquals(n, records.get(n).value()[0]);
      }
    }
    long threads = Thread.getAllStackTraces().keySet().stream().filter(each -> each.getName().equals("kaka-client")).count();
    assertEquals(1, threads);
  }
}
