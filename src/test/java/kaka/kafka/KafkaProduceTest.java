package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;
import kaka.broker.TestBroker;
import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Produces through Kafka's protocol: by Kafka's own producer, and, for what it would never send, request by request. */
class KafkaProduceTest {
  private static TestBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
  void recordsComeBackAsTheyWereSent(String compression) throws Exception {
    String topic = "sent-" + compression;
    try (KafkaProducer<String, String> producer =
            KafkaClients.producer(broker.address(), Map.of("compression.type", compression, "linger.ms", 5));
        KafkaConsumer<String, String> consumer = KafkaClients.consumer(broker.address(), Map.of())) {
      for (int i = 0; i < 1000; i++) {
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, 0, 1_000_000L + i, "k" + i, "v" + i);
        record.headers().add("number", Integer.toString(i).getBytes(StandardCharsets.UTF_8));
        producer.send(record);
      }
      producer.flush();

      KafkaClients.readFromStart(consumer, new TopicPartition(topic, 0));
      List<ConsumerRecord<String, String>> records = KafkaClients.poll(consumer, 1000);
      for (int i = 0; i < 1000; i++) {
        ConsumerRecord<String, String> record = records.get(i);
        assertEquals(i, record.offset());
        assertEquals("k" + i, record.key());
        assertEquals("v" + i, record.value());
        assertEquals(1_000_000L + i, record.timestamp());
        assertEquals(Integer.toString(i), new String(record.headers().lastHeader("number").value(), StandardCharsets.UTF_8));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "all"})
  void everyAcksIsTaken(String acks) throws Exception {
    String topic = "acks-" + acks;
    try (KafkaProducer<String, String> producer =
            KafkaClients.producer(broker.address(), Map.of("acks", acks, "enable.idempotence", false));
        KafkaConsumer<String, String> consumer = KafkaClients.consumer(broker.address(), Map.of())) {
      RecordMetadata sent = KafkaClients.get(producer.send(new ProducerRecord<>(topic, "k", "v")));

      assertEquals(acks.equals("0") ? -1 : 0, sent.offset());
      KafkaClients.readFromStart(consumer, new TopicPartition(topic, 0));
      assertEquals("v", KafkaClients.poll(consumer, 1).get(0).value());
    }
  }

  @Test
  void producerWithoutAcksIsToldOfAFailureByTheEndOfItsConnection() throws Exception {
    try (KafkaSocket socket = new KafkaSocket(broker.address())) {
      socket.send(ApiKeys.PRODUCE, 9, KafkaRequests.produce("no-such-topic", 0, KafkaRequests.records("a")).setAcks((short) 0));

      assertTrue(socket.isClosedByPeer());
    }
  }

  @Test
  void acksOfAnotherNumberAreRefused() throws Exception {
    try (KafkaSocket socket = withTopic("two-acks")) {
      ProduceRequestData request = KafkaRequests.produce("two-acks", 0, KafkaRequests.records("a")).setAcks((short) 2);

      assertEquals(Errors.INVALID_REQUIRED_ACKS.code(), only(socket.ask(ProduceResponseData.class, 9, request)).errorCode());
    }
  }

  /** In the order of the request, each with its own outcome. */
  @Test
  void oneRequestCanGoToManyPartitions() throws Exception {
    try (KafkaSocket socket = withTopic("many-a")) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("many-b"));
      ProduceRequestData request = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(10_000);
      for (String topic : List.of("many-a", "many-none", "many-b")) {
        request
            .topicData()
            .add(
                new TopicProduceData()
                    .setName(topic)
                    .setPartitionData(
                        List.of(
                            new PartitionProduceData().setIndex(0).setRecords(KafkaRequests.records("x", "y")),
                            new PartitionProduceData().setIndex(5).setRecords(KafkaRequests.records("z")))));
      }

      List<Short> errors = new ArrayList<>();
      ProduceResponseData response = socket.ask(ProduceResponseData.class, 9, request);
      response.responses().forEach(topic -> topic.partitionResponses().forEach(found -> errors.add(found.errorCode())));
      short unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION.code();
      assertEquals(List.of((short) 0, unknown, unknown, unknown, (short) 0, unknown), errors);
      ProduceResponseData again = socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce("many-b", 0, KafkaRequests.records("z")));
      assertEquals(2, only(again).baseOffset());
      assertEquals(0, only(again).logStartOffset());
    }
  }

  @Test
  void topicIsNamedByItsIdFromVersionThirteenOn() throws Exception {
    try (KafkaSocket socket = withTopic("by-id")) {
      Uuid id =
          socket.ask(MetadataResponseData.class, 12, KafkaRequests.metadata("by-id")).topics().iterator().next().topicId();

      assertEquals(0, only(socket.ask(ProduceResponseData.class, 13, KafkaRequests.produce(id, 0, KafkaRequests.records("a")))).errorCode());
      ProduceResponseData unknown =
          socket.ask(ProduceResponseData.class, 13, KafkaRequests.produce(Uuid.randomUuid(), 0, KafkaRequests.records("a")));
      assertEquals(Errors.UNKNOWN_TOPIC_ID.code(), only(unknown).errorCode());
    }
  }

  /** What is wrong with a batch, in Kafka's words; nothing of any of them is stored. */
  @Test
  void badBatchesAreRefused() throws Exception {
    ByteBuffer flipped = copyOf(KafkaRequests.records("a", "b"));
    flipped.put(flipped.limit() - 1, (byte) (flipped.get(flipped.limit() - 1) ^ 1));
    ByteBuffer twice = ByteBuffer.allocate(2 * KafkaRequests.records("a").sizeInBytes());
    twice.put(copyOf(KafkaRequests.records("a"))).put(copyOf(KafkaRequests.records("b"))).flip();
    ByteBuffer cut = copyOf(KafkaRequests.records("a"));
    cut.limit(cut.limit() - 1);
    MemoryRecords timeless =
        MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(-1L, null, new byte[] {1}));
    MemoryRecords old = MemoryRecords.withRecords((byte) 1, Compression.NONE, new SimpleRecord(1L, null, new byte[] {1}));
    Map<MemoryRecords, Errors> bad =
        Map.of(
            MemoryRecords.readableRecords(flipped), Errors.CORRUPT_MESSAGE,
            MemoryRecords.readableRecords(twice), Errors.INVALID_RECORD,
            MemoryRecords.readableRecords(cut), Errors.CORRUPT_MESSAGE,
            MemoryRecords.EMPTY, Errors.INVALID_RECORD,
            timeless, Errors.INVALID_TIMESTAMP,
            old, Errors.CORRUPT_MESSAGE,
            MemoryRecords.withTransactionalRecords(Compression.NONE, 5, (short) 0, 0, new SimpleRecord(1L, null, new byte[] {1})),
                Errors.INVALID_TXN_STATE);
    try (KafkaSocket socket = withTopic("bad")) {
      for (Map.Entry<MemoryRecords, Errors> one : bad.entrySet()) {
        PartitionProduceResponse answer =
            only(socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce("bad", 0, one.getKey())));
        assertEquals(one.getValue(), Errors.forCode(answer.errorCode()), answer.errorMessage());
        assertTrue(!answer.errorMessage().isEmpty());
      }

      assertEquals(0, only(socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce("bad", 0, KafkaRequests.records("a")))).baseOffset());
    }
  }

  /** A batch that comes again is acknowledged by the offset that it got; one that does not continue is refused. */
  @Test
  void idempotentProducersBatchesAreStoredOnce() throws Exception {
    try (KafkaSocket socket = withTopic("once")) {
      assertEquals(0, only(socket.ask(ProduceResponseData.class, 9, numbered("once", 0, 0))).baseOffset());
      assertEquals(2, only(socket.ask(ProduceResponseData.class, 9, numbered("once", 0, 2))).baseOffset());
      PartitionProduceResponse again = only(socket.ask(ProduceResponseData.class, 9, numbered("once", 0, 0)));
      PartitionProduceResponse gap = only(socket.ask(ProduceResponseData.class, 9, numbered("once", 0, 6)));
      PartitionProduceResponse newer = only(socket.ask(ProduceResponseData.class, 9, numbered("once", 1, 0)));
      PartitionProduceResponse fenced = only(socket.ask(ProduceResponseData.class, 9, numbered("once", 0, 4)));

      assertEquals(0, again.errorCode());
      assertEquals(0, again.baseOffset());
      assertEquals(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER.code(), gap.errorCode());
      assertEquals(4, newer.baseOffset());
      assertEquals(Errors.INVALID_PRODUCER_EPOCH.code(), fenced.errorCode());
    }
  }

  private static ProduceRequestData numbered(String topic, int epoch, int sequence) {
    SimpleRecord record = new SimpleRecord(1L, null, new byte[] {1});
    return KafkaRequests.produce(
        topic, 0, MemoryRecords.withIdempotentRecords(Compression.NONE, 77, (short) epoch, sequence, record, record));
  }

  @Test
  void recordWithoutKeyIsRefusedByACompactedTopic() throws Exception {
    try (KakaClient client = KakaClient.connect(ClientConfig.of(KafkaClients.at(broker.address())));
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      client.admin().createTopic("compacted", 1, Map.of("cleanup.policy", "compact")).get();

      PartitionProduceResponse answer =
          only(socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce("compacted", 0, KafkaRequests.records("a"))));

      assertEquals(Errors.INVALID_RECORD.code(), answer.errorCode());
      assertTrue(answer.errorMessage().contains("key"), answer.errorMessage());
    }
  }

  @Test
  void illegalTopicNameIsRefused() throws Exception {
    try (KafkaProducer<String, String> producer = KafkaClients.producer(broker.address(), Map.of())) {
      Future<RecordMetadata> sent = producer.send(new ProducerRecord<>("not a topic", "v"));

      assertInstanceOf(InvalidTopicException.class, KafkaClients.failure(sent));
    }
  }

  /** What was stored is what came, byte for byte, but for the offset and the epoch. */
  @Test
  void batchesAreStoredAsTheyCame() throws Exception {
    MemoryRecords records =
        MemoryRecords.withRecords(Compression.gzip().build(), new SimpleRecord(5L, null, new byte[1000]));
    try (KafkaSocket socket = withTopic("verbatim")) {
      socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce("verbatim", 0, records));

      MemoryRecords fetched = KafkaFetchTest.records(socket, "verbatim", 0, 0);
      assertArrayEquals(bytesFromCrc(records), bytesFromCrc(fetched));
    }
  }

  /** As kafkajs sends it where only some messages have a timestamp of their own; Kafka corrects it, and so do we. */
  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip"})
  void aWrongGreatestTimestampIsCorrected(String compression) throws Exception {
    MemoryRecords records =
        MemoryRecords.withRecords(
            Compression.of(compression).build(), new SimpleRecord(1000L, null, new byte[] {1}), new SimpleRecord(5000L, null, new byte[] {2}));
    ByteBuffer wrong = copyOf(records);
    wrong.putLong(35, 1000); // max_timestamp
    CRC32C crc = new CRC32C();
    crc.update(wrong.duplicate().position(21));
    wrong.putInt(17, (int) crc.getValue());
    String topic = "stamped-" + compression;
    try (KafkaSocket socket = withTopic(topic)) {
      PartitionProduceResponse answer =
          only(socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce(topic, 0, MemoryRecords.readableRecords(wrong))));
      assertEquals(0, answer.errorCode(), answer.errorMessage());

      MemoryRecords fetched = KafkaFetchTest.records(socket, topic, 0, 0);
      assertArrayEquals(bytesFromCrc(records), bytesFromCrc(fetched));
    }
    try (KafkaConsumer<String, String> consumer = KafkaClients.consumer(broker.address(), Map.of())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      assertEquals(1, consumer.offsetsForTimes(Map.of(partition, 2000L)).get(partition).offset());
    }
  }

  private static byte[] bytesFromCrc(MemoryRecords records) {
    ByteBuffer buffer = records.buffer().duplicate();
    byte[] bytes = new byte[buffer.remaining() - 17];
    buffer.position(buffer.position() + 17).get(bytes);
    return bytes;
  }

  private static ByteBuffer copyOf(MemoryRecords records) {
    ByteBuffer copy = ByteBuffer.allocate(records.sizeInBytes());
    copy.put(records.buffer().duplicate()).flip();
    return copy;
  }

  static KafkaSocket withTopic(String topic) throws IOException {
    KafkaSocket socket = new KafkaSocket(broker.address());
    socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata(topic));
    return socket;
  }

  private static PartitionProduceResponse only(ProduceResponseData response) {
    return response.responses().iterator().next().partitionResponses().get(0);
  }
}
