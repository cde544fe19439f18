package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import kaka.broker.TestBroker;
import kaka.log.MemoryDisk;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.message.FetchResponseData;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Kafka's batches that are not checked on the thread that serves their connection: compressed ones, and large ones. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaApartChecksTest {
  private static final int THREADS = Runtime.getRuntime().availableProcessors();
  private static final String ONE_LOOP = "kaka.dispatchers.sockets.threads = 1\n";

  private static MemoryRecords records(Compression compression, int... valueBytes) {
    SimpleRecord[] records = new SimpleRecord[valueBytes.length];
    for (int i = 0; i < valueBytes.length; i++) {
      records[i] = new SimpleRecord(1_000L + i, null, new byte[valueBytes[i]]);
    }
    return MemoryRecords.withRecords(compression, records);
  }

  private static MemoryRecords zstd(int... valueBytes) {
    return records(Compression.zstd().build(), valueBytes);
  }

  private static ProduceRequestData produce(MemoryRecords records) {
    return KafkaRequests.produce("topic", 0, records);
  }

  private static ProduceRequestData small() {
    return produce(KafkaRequests.records("small"));
  }

  private static TestBroker start(String hocon) throws Exception {
    TestBroker broker = TestBroker.start(hocon);
    try (KafkaSocket socket = new KafkaSocket(broker.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("topic"));
    }
    return broker;
  }

  private static PartitionProduceResponse only(ProduceResponseData response) {
    return response.responses().iterator().next().partitionResponses().get(0);
  }

  private static long offset(KafkaSocket socket, ProduceRequestData request) throws Exception {
    return only(socket.ask(ProduceResponseData.class, 9, request)).baseOffset();
  }

  private static long received(KafkaSocket socket, int correlationId) throws Exception {
    return only((ProduceResponseData) socket.receive(ApiKeys.PRODUCE, 9, correlationId)).baseOffset();
  }

  private static void awaitTaken(TestBroker broker, int requests) {
    TestBroker.awaitTrue(
        requests + " requests are taken",
        () -> broker.connectionCounts().open().all().stream().mapToInt(open -> open.requestsInFlight()).sum() == requests);
  }

  /** The other connection's records are stored first, though they came later: the thread that both share does not wait for the check. */
  private static void holdsUpNobody(MemoryRecords checkedApart) throws Exception {
    try (TestBroker broker = start(ONE_LOOP);
        KafkaSocket first = new KafkaSocket(broker.address());
        KafkaSocket other = new KafkaSocket(broker.address())) {
      TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.checks", THREADS);
      int apart = first.send(ApiKeys.PRODUCE, 9, produce(checkedApart));
      int behind = first.send(ApiKeys.PRODUCE, 9, small());
      TestBroker.awaitTrue("it has come", () -> broker.memory().usedBytes() > 0);

      for (int i = 0; i < 100; i++) {
        assertEquals(i, offset(other, small()));
      }
      occupied.close();

      assertEquals(100, received(first, apart));
      assertEquals(101, received(first, behind));
      broker.awaitBudgetEmpty();
    }
  }

  @Test
  void compressedBatchHoldsUpNobodyElseOfItsThread() throws Exception {
    holdsUpNobody(zstd(10));
  }

  @Test
  void largeBatchHoldsUpNobodyElseOfItsThread() throws Exception {
    holdsUpNobody(records(Compression.NONE, 2 << 20));
  }

  /** So does an answer about many topics, which is made elsewhere too. */
  @Test
  void answerAboutManyTopicsHoldsUpNobodyElseOfItsThread() throws Exception {
    String[] names = new String[2000];
    Arrays.setAll(names, i -> "no-topic-" + i);
    try (TestBroker broker = start(ONE_LOOP);
        KafkaSocket first = new KafkaSocket(broker.address());
        KafkaSocket other = new KafkaSocket(broker.address())) {
      TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.long-checks", Math.max(1, (THREADS + 1) / 2));
      int asked = first.send(ApiKeys.METADATA, 4, KafkaRequests.metadata(names).setAllowAutoTopicCreation(false));
      awaitTaken(broker, 1);
      for (int i = 0; i < 100; i++) {
        assertEquals(i, offset(other, small()));
      }
      awaitTaken(broker, 1);
      occupied.close();

      assertEquals(2000, ((MetadataResponseData) first.receive(ApiKeys.METADATA, 4, asked)).topics().size());
      first.close();
      other.close();
      broker.awaitBudgetEmpty();
    }
  }

  /** So is a request about many; what comes behind it on its connection waits, and is answered after it. */
  @Test
  void requestOfManyTopicsHoldsUpNobodyElseOfItsThread() throws Exception {
    String[] names = KafkaCollidingRequests.ordinary(5000).toArray(new String[0]);
    try (TestBroker broker = start(ONE_LOOP);
        KafkaSocket first = new KafkaSocket(broker.address());
        KafkaSocket other = new KafkaSocket(broker.address())) {
      TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.checks", THREADS);
      int asked = first.send(ApiKeys.METADATA, 4, KafkaRequests.metadata(names).setAllowAutoTopicCreation(false));
      int behind = first.send(ApiKeys.PRODUCE, 9, small());
      TestBroker.awaitTrue("it has come", () -> broker.memory().usedBytes() > 0);

      for (int i = 0; i < 100; i++) {
        assertEquals(i, offset(other, small()));
      }
      occupied.close();

      assertEquals(5000, ((MetadataResponseData) first.receive(ApiKeys.METADATA, 4, asked)).topics().size());
      assertEquals(100, received(first, behind));
      first.close();
      other.close();
      broker.awaitBudgetEmpty();
    }
  }

  /** Its memory is that of its bytes while it waits, and that of its objects too when it was read. */
  @Test
  void connectionThatDiesGivesBackWhatItsLargeRequestWasCharged() throws Exception {
    byte[] request = KafkaSocket.frame(ApiKeys.METADATA, 4, 1, KafkaRequests.metadata(KafkaCollidingRequests.ordinary(5000).toArray(new String[0])));
    try (TestBroker broker = start("");
        TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.checks", THREADS)) {
      try (KafkaSocket victim = new KafkaSocket(broker.address())) {
        victim.send(request);
        TestBroker.awaitTrue("it has come", () -> broker.memory().usedBytes() >= request.length - 4);
        victim.socket().setSoLinger(true, 0);
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** The same while its answer waits to be made; it is not made any more. */
  @Test
  void connectionThatDiesGivesBackWhatItsAnswerWasCharged() throws Exception {
    String[] names = KafkaCollidingRequests.ordinary(2000).toArray(new String[0]);
    try (TestBroker broker = start("");
        TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.long-checks", Math.max(1, (THREADS + 1) / 2))) {
      try (KafkaSocket victim = new KafkaSocket(broker.address())) {
        victim.send(ApiKeys.METADATA, 4, KafkaRequests.metadata(names).setAllowAutoTopicCreation(false));
        awaitTaken(broker, 1);
        TestBroker.awaitTrue("its answer is charged", () -> broker.memory().usedBytes() > 2000 * (256 + 128));
        victim.socket().setSoLinger(true, 0);
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** Of one request some are checked here and some apart, and each has its own outcome. */
  @Test
  void oneRequestCanHaveBatchesOfEveryKind() throws Exception {
    try (TestBroker broker = start("kaka.connections.max-unpacked-bytes = 1MiB, kaka.topics.default-partitions = 4");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      ProduceRequestData request = produce(zstd(100, 100));
      List<PartitionProduceData> partitions = new ArrayList<>(request.topicData().iterator().next().partitionData());
      partitions.add(new PartitionProduceData().setIndex(1).setRecords(KafkaRequests.records("a")));
      partitions.add(new PartitionProduceData().setIndex(2).setRecords(zstd(600_000, 600_000)));
      partitions.add(new PartitionProduceData().setIndex(9).setRecords(zstd(1)));
      partitions.add(new PartitionProduceData().setIndex(3).setRecords(zstd(500_000, 500_000)));
      request.topicData().iterator().next().setPartitionData(partitions);

      ProduceResponseData response = socket.ask(ProduceResponseData.class, 9, request);

      List<Short> errors = new ArrayList<>();
      response.responses().forEach(topic -> topic.partitionResponses().forEach(found -> errors.add(found.errorCode())));
      short none = Errors.NONE.code();
      assertEquals(List.of(none, none, Errors.MESSAGE_TOO_LARGE.code(), Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), none), errors);
      broker.awaitBudgetEmpty();
      assertEquals(2, offset(socket, small()));
    }
  }

  /** As that of a native one, of which LargeRequestsTest has the bound to the byte: half of the budget is let in, more never is. */
  @Test
  void aLargeRequestTakesTwiceItsSizeOfTheBudget() throws Exception {
    try (TestBroker broker = start("kaka.memory.max-bytes = 8MiB");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      assertEquals(0, offset(socket, produce(records(Compression.NONE, (4 << 20) - 1000))));
      broker.awaitBudgetEmpty();

      socket.send(ApiKeys.PRODUCE, 9, produce(records(Compression.NONE, (4 << 20) + 1000)));

      assertTrue(socket.isClosedByPeer());
      broker.awaitBudgetEmpty();
    }
  }

  /** Nobody's library does that, but nothing in the protocol forbids it: each batch is stored, and answered, in its turn. */
  @Test
  void partitionNamedMoreThanOnceGetsItsBatchesInTheRequestsOrder() throws Exception {
    try (TestBroker broker = start("");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      ProduceRequestData request = produce(zstd(10));
      List<PartitionProduceData> partitions = new ArrayList<>(request.topicData().iterator().next().partitionData());
      partitions.add(new PartitionProduceData().setIndex(0).setRecords(KafkaRequests.records("a", "b")));
      partitions.add(new PartitionProduceData().setIndex(0).setRecords(zstd(10)));
      request.topicData().iterator().next().setPartitionData(partitions);
      TopicProduceData again = small().topicData().iterator().next().duplicate();
      request.topicData().add(again);

      ProduceResponseData response = socket.ask(ProduceResponseData.class, 9, request);

      List<Long> offsets = new ArrayList<>();
      response.responses().forEach(topic -> topic.partitionResponses().forEach(stored -> offsets.add(stored.baseOffset())));
      assertEquals(List.of(0L, 1L, 3L, 4L), offsets);
      broker.awaitBudgetEmpty();
    }
  }

  /** With acks=0 too a request takes its credit until it is stored, or the connection ends, which is all that its client is told. */
  @Test
  void withoutAcksACheckKeepsItsPlaceAndItsFailureEndsTheConnection() throws Exception {
    try (TestBroker broker = start(ONE_LOOP + "kaka.connections.max-unpacked-bytes = 1MiB");
        KafkaSocket first = new KafkaSocket(broker.address());
        KafkaSocket second = new KafkaSocket(broker.address())) {
      TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.checks", THREADS);
      first.send(ApiKeys.PRODUCE, 9, produce(zstd(10)).setAcks((short) 0));
      second.send(ApiKeys.PRODUCE, 9, produce(zstd(600_000, 600_000)).setAcks((short) 0));
      awaitTaken(broker, 2);
      occupied.close();

      assertEquals(1, offset(first, small()));
      assertTrue(second.isClosedByPeer());
      broker.awaitBudgetEmpty();
    }
  }

  /**
   * A connection that is to end, because a produce without acks has failed, answers what was taken before. The large request that
   * came whole, and waits to be made one of its pieces, is not taken any more, and nothing is held of it.
   */
  @Test
  void largeRequestIsNotTakenOnceTheConnectionTakesNothingMore() throws Exception {
    StuckDisk disk = new StuckDisk(new MemoryDisk(), "stuck-0");
    try (TestBroker broker = TestBroker.start(ONE_LOOP, disk);
        KafkaSocket first = new KafkaSocket(broker.address());
        KafkaSocket other = new KafkaSocket(broker.address())) {
      other.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("quiet", "stuck", "topic"));
      TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.checks", THREADS);
      disk.stick();
      int stuck = other.send(ApiKeys.PRODUCE, 9, ofEpoch(1));
      disk.awaitStuck();
      int waiting = first.send(ApiKeys.FETCH, 12, KafkaRequests.fetch("quiet", 0, 0).setMaxWaitMs(300_000));
      first.send(ApiKeys.PRODUCE, 9, ofEpoch(0).setAcks((short) 0));
      first.send(ApiKeys.PRODUCE, 9, produce(records(Compression.NONE, 2 << 20)).setAcks((short) 0));
      TestBroker.awaitTrue("all have come", () -> broker.memory().usedBytes() > 2 << 20);

      disk.letGo();
      assertEquals(0, received(other, stuck));
      broker.awaitBudgetEmpty();
      occupied.close();

      assertEquals(0, offset(other, small()), "nothing of it was stored");
      assertEquals(0, offset(other, KafkaRequests.produce("quiet", 0, KafkaRequests.records("a"))));
      assertInstanceOf(FetchResponseData.class, first.receive(ApiKeys.FETCH, 12, waiting));
      assertTrue(first.isClosedByPeer());
      broker.awaitBudgetEmpty();
    }
  }

  private static ProduceRequestData ofEpoch(int epoch) {
    return KafkaRequests.produce(
        "stuck", 0, MemoryRecords.withIdempotentRecords(Compression.NONE, 77, (short) epoch, 0, new SimpleRecord(0, null, new byte[1])));
  }

  @Test
  void connectionThatDiesGivesBackWhatItsCheckWasCharged() throws Exception {
    try (TestBroker broker = start("");
        TestBroker.Occupation occupied = broker.occupy("kaka.dispatchers.checks", THREADS)) {
      try (KafkaSocket victim = new KafkaSocket(broker.address())) {
        victim.send(ApiKeys.PRODUCE, 9, produce(records(Compression.gzip().build(), 3 << 20)));
        awaitTaken(broker, 1);
        assertTrue(broker.memory().usedBytes() > 1000, broker.memory().usedBytes() + " bytes");
        victim.socket().setSoLinger(true, 0);
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** Kafka's producer makes smaller batches of one that unpacks to too much, and gives up on a record that does. */
  @Test
  void kafkasProducerSplitsABatchThatUnpacksToTooMuch() throws Exception {
    Map<String, Object> settings = Map.of("compression.type", "zstd", "linger.ms", 500, "batch.size", 1 << 20, "max.request.size", 8 << 20);
    try (TestBroker broker = start("kaka.connections.max-unpacked-bytes = 1MiB");
        KafkaProducer<byte[], byte[]> producer = KafkaClients.bytesProducer(broker.address(), settings);
        KafkaConsumer<byte[], byte[]> consumer = KafkaClients.bytesConsumer(broker.address(), Map.of())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        sent.add(producer.send(new ProducerRecord<>("topic", 0, null, new byte[100_000])));
      }
      producer.flush();
      for (int i = 0; i < 60; i++) {
        assertEquals(i, KafkaClients.get(sent.get(i)).offset());
      }
      assertInstanceOf(
          RecordTooLargeException.class, KafkaClients.failure(producer.send(new ProducerRecord<>("topic", 0, null, new byte[2 << 20]))));

      KafkaClients.readFromStart(consumer, new TopicPartition("topic", 0));
      List<ConsumerRecord<byte[], byte[]>> records = KafkaClients.poll(consumer, 60);
      assertTrue(records.stream().allMatch(record -> record.value().length == 100_000));
      broker.awaitBudgetEmpty();
    }
  }
}
