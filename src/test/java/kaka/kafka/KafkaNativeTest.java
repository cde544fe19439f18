package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import kaka.broker.TestBroker;
import kaka.client.ClientConfig;
import kaka.client.ConsumedRecord;
import kaka.client.Consumer;
import kaka.client.ConsumerConfig;
import kaka.client.KakaClient;
import kaka.client.Producer;
import kaka.client.ProducerConfig;
import kaka.client.StartPosition;
import kaka.record.Header;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one protocol's clients write, the other's read: null keys and values, headers, timestamps. */
class KafkaNativeTest {
  /** A record's key, value and header value: null, empty, or something. */
  private static final byte[][] FIELDS = {null, {}, bytes("some \u00e4")};

  private static TestBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static KakaClient client() {
    return KakaClient.connect(ClientConfig.of(KafkaClients.at(broker.address())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
  void kafkasRecordsAreReadByANativeClient(String compression) throws Exception {
    String topic = "kafka-" + compression;
    try (KafkaProducer<byte[], byte[]> producer =
        KafkaClients.bytesProducer(broker.address(), Map.of("compression.type", compression))) {
      for (int i = 0; i < 27; i++) {
        ProducerRecord<byte[], byte[]> record =
            new ProducerRecord<>(topic, 0, 5000L + i, FIELDS[i % 3], FIELDS[i / 3 % 3]);
        record.headers().add("h", FIELDS[i / 9]).add("h", bytes("twice"));
        producer.send(record);
      }
    }

    List<ConsumedRecord> records = new ArrayList<>();
    kaka.record.TopicPartition partition = new kaka.record.TopicPartition(topic, 0);
    try (KakaClient client = client();
        Consumer consumer = client.consumer(ConsumerConfig.defaults(), Map.of(partition, StartPosition.EARLIEST))) {
      while (records.size() < 27) {
        records.addAll(consumer.poll(Duration.ofSeconds(20)));
      }
    }
    for (int i = 0; i < 27; i++) {
      ConsumedRecord record = records.get(i);
      assertEquals(i, record.offset());
      assertEquals(5000L + i, record.timestampMs());
      assertField(FIELDS[i % 3], record.key());
      assertField(FIELDS[i / 3 % 3], record.value());
      assertEquals(2, record.headers().size());
      assertEquals("h", record.headers().get(0).key());
      assertField(FIELDS[i / 9], record.headers().get(0).value());
      assertField(bytes("twice"), record.headers().get(1).value());
    }
  }

  @Test
  void nativeRecordsAreReadByKafkasConsumer() throws Exception {
    kaka.record.TopicPartition to = new kaka.record.TopicPartition("native", 0);
    try (KakaClient client = client();
        Producer producer = client.producer(ProducerConfig.defaults())) {
      for (int i = 0; i < 27; i++) {
        producer.send(
            kaka.client.ProducerRecord.of(to, FIELDS[i % 3], FIELDS[i / 3 % 3])
                .withTimestamp(7000L + i)
                .withHeaders(List.of(new Header("h", FIELDS[i / 9]))));
      }
      producer.flush().get(120, TimeUnit.SECONDS);
    }

    try (KafkaConsumer<byte[], byte[]> consumer = KafkaClients.bytesConsumer(broker.address(), Map.of())) {
      KafkaClients.readFromStart(consumer, new TopicPartition("native", 0));
      List<ConsumerRecord<byte[], byte[]>> records = KafkaClients.poll(consumer, 27);
      for (int i = 0; i < 27; i++) {
        ConsumerRecord<byte[], byte[]> record = records.get(i);
        assertEquals(i, record.offset());
        assertEquals(7000L + i, record.timestamp());
        assertField(FIELDS[i % 3], record.key());
        assertField(FIELDS[i / 3 % 3], record.value());
        assertField(FIELDS[i / 9], record.headers().lastHeader("h").value());
      }
    }
  }

  @Test
  void topicsMadeByOneAreSeenByTheOther() throws Exception {
    try (KakaClient client = client();
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      client.admin().createTopic("mine", 3, Map.of("retention.ms", "5000")).get(120, TimeUnit.SECONDS);
      assertEquals(
          3,
          socket
              .ask(org.apache.kafka.common.message.MetadataResponseData.class, 9, KafkaRequests.metadata("mine"))
              .topics()
              .find("mine")
              .partitions()
              .size());
      socket.ask(org.apache.kafka.common.message.MetadataResponseData.class, 9, KafkaRequests.metadata("theirs"));
      assertEquals(1, client.admin().describeTopic("theirs").get(120, TimeUnit.SECONDS).partitions().size());
    }
  }

  private static void assertField(byte[] expected, byte[] actual) {
    if (expected == null) {
      assertNull(actual);
    } else {
      assertArrayEquals(expected, actual);
    }
  }
}
