package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Fetches through Kafka's protocol: by Kafka's own consumer, and request by request. */
class KafkaFetchTest {
  private static final int VERSION = 12;

  private static TestBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("kaka.topics.default-partitions = 3");
  }

  @AfterAll
  static void stop() {
    broker.awaitBudgetEmpty();
    broker.close();
  }

  private static KafkaSocket withTopics(String... topics) throws IOException {
    KafkaSocket socket = new KafkaSocket(broker.address());
    socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata(topics));
    return socket;
  }

  /** One batch of one record of that many bytes. */
  private static void produce(KafkaSocket socket, String topic, int partition, int valueBytes) throws IOException {
    MemoryRecords batch = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1L, null, new byte[valueBytes]));
    ProduceResponseData answer = socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce(topic, partition, batch));
    assertEquals(0, answer.responses().iterator().next().partitionResponses().get(0).errorCode());
  }

  static MemoryRecords records(KafkaSocket socket, String topic, int partition, long offset) throws IOException {
    return (MemoryRecords) only(socket.ask(FetchResponseData.class, VERSION, KafkaRequests.fetch(topic, partition, offset))).records();
  }

  private static PartitionData only(FetchResponseData response) {
    assertEquals(1, response.responses().size());
    assertEquals(1, response.responses().get(0).partitions().size());
    return response.responses().get(0).partitions().get(0);
  }

  private static List<Long> baseOffsets(PartitionData data) {
    List<Long> offsets = new ArrayList<>();
    for (MutableRecordBatch batch : ((MemoryRecords) data.records()).batches()) {
      batch.ensureValid();
      offsets.add(batch.baseOffset());
    }
    return offsets;
  }

  private static FetchRequestData fetch(int maxBytes, FetchTopic... topics) {
    return new FetchRequestData()
        .setMaxWaitMs(0)
        .setMinBytes(1)
        .setMaxBytes(maxBytes)
        .setSessionEpoch(-1)
        .setTopics(List.of(topics));
  }

  private static FetchTopic topic(String name, FetchPartition... partitions) {
    return new FetchTopic().setTopic(name).setPartitions(List.of(partitions));
  }

  private static FetchPartition from(int partition, long offset, int maxBytes) {
    return new FetchPartition().setPartition(partition).setFetchOffset(offset).setPartitionMaxBytes(maxBytes);
  }

  /** What fits a MiB is measured, checked and sent from one read, where memory is plenty. */
  @Test
  void answerOfAMiBIsReadOnce() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker own = TestBroker.start("", disk);
        KafkaSocket socket = new KafkaSocket(own.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("once"));
      for (int i = 0; i < 8; i++) {
        produce(socket, "once", 0, 120_000);
      }
      int before = disk.count(FaultyDisk.Operation.READ, "once-0/00000000000000000000.log");

      PartitionData data = only(socket.ask(FetchResponseData.class, VERSION, fetch(50 << 20, topic("once", from(0, 0, 1 << 20)))));

      assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L), baseOffsets(data));
      assertEquals(2, disk.count(FaultyDisk.Operation.READ, "once-0/00000000000000000000.log") - before, "where it starts, and all of it");
      own.awaitBudgetEmpty();
    }
  }

  /** The buffers of a MiB, of which there are three here, are used again, but none before the kernel has all of it. */
  @Test
  void clientThatReadsLateGetsItsOwnRecords() throws Exception {
    int slowCount = 3;
    try (TestBroker own = TestBroker.start("kaka.memory.max-bytes = 192MiB, kaka.topics.default-partitions = " + (slowCount + 1));
        KafkaSocket socket = new KafkaSocket(own.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("late"));
      for (int partition = 0; partition <= slowCount; partition++) {
        for (int i = 0; i < 5; i++) {
          MemoryRecords batch = KafkaRequests.records("a".repeat(250_000) + partition);
          socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce("late", partition, batch));
        }
      }
      FetchRequestData[] requests = new FetchRequestData[slowCount + 1];
      PartitionData[] stored = new PartitionData[requests.length];
      for (int partition = 0; partition < requests.length; partition++) {
        requests[partition] = fetch(50 << 20, topic("late", from(partition, 0, 1 << 20)));
        stored[partition] = only(socket.ask(FetchResponseData.class, VERSION, requests[partition]));
        assertEquals(4, baseOffsets(stored[partition]).size());
      }

      List<KafkaSocket> slow = new ArrayList<>();
      try {
        for (int i = 0; i < slowCount; i++) {
          slow.add(new KafkaSocket(own.address(), 4096));
          assertEquals(1, slow.get(i).send(ApiKeys.FETCH, VERSION, requests[i]));
        }
        for (int i = 0; i < 10; i++) { // meanwhile
          assertEquals(stored[slowCount], only(socket.ask(FetchResponseData.class, VERSION, requests[slowCount])));
        }
        for (int i = 0; i < slowCount; i++) {
          assertEquals(stored[i], only((FetchResponseData) slow.get(i).receive(ApiKeys.FETCH, VERSION, 1)), "late client " + i);
        }
      } finally {
        for (KafkaSocket each : slow) {
          each.close();
        }
      }
      own.awaitBudgetEmpty();
    }
  }

  /** What is kept is charged before it is read; where there is no room for all that is wanted, nothing is kept, be it ever so small. */
  @Test
  void nothingIsKeptWhereMemoryIsShort() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker own = TestBroker.start("kaka.memory.max-bytes = 8MiB, kaka.connections.max-frame-bytes = 1MiB, kaka.topics.default-partitions = 2", disk);
        KafkaSocket socket = new KafkaSocket(own.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("short"));
      produce(socket, "short", 0, 120_000);
      produce(socket, "short", 1, 1000);
      int before = disk.count(FaultyDisk.Operation.READ, "short-1/00000000000000000000.log");

      FetchResponseData answer =
          socket.ask(FetchResponseData.class, VERSION, fetch(50 << 20, topic("short", from(0, 0, 1 << 20), from(1, 0, 1 << 20))));

      for (PartitionData data : answer.responses().get(0).partitions()) {
        assertEquals(List.of(0L), baseOffsets(data));
      }
      assertEquals(3, disk.count(FaultyDisk.Operation.READ, "short-1/00000000000000000000.log") - before, "where it starts, to measure it, to send it");
      own.awaitBudgetEmpty();
    }
  }

  /** What of an answer is read twice, because it is large, and what is kept from being measured on: in whatever order, each byte once. */
  @Test
  void partitionsThatAreKeptAndThatAreReadAgainStandInOneAnswer() throws Exception {
    try (KafkaSocket socket = withTopics("mixed")) {
      for (int partition = 0; partition < 3; partition++) {
        for (int i = 0; i < (partition == 1 ? 2 : 12); i++) {
          produce(socket, "mixed", partition, 120_000);
        }
      }
      int large = 3 << 20; // more than is kept
      for (int[] order : new int[][] {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}}) {
        FetchPartition[] asked = new FetchPartition[3];
        for (int i = 0; i < 3; i++) {
          asked[i] = from(order[i], 0, large);
        }

        FetchResponseData answer = socket.ask(FetchResponseData.class, VERSION, fetch(50 << 20, topic("mixed", asked)));

        for (int i = 0; i < 3; i++) {
          PartitionData data = answer.responses().get(0).partitions().get(i);
          assertEquals(order[i], data.partitionIndex());
          assertEquals(order[i] == 1 ? 2 : 12, baseOffsets(data).size(), "of " + order[i]);
        }
      }
    }
  }

  /** Kafka's consumer reads 30 MiB of three partitions, in slices, in order. */
  @Test
  void consumerReadsEverythingInOrder() throws Exception {
    int count = 3000;
    try (KafkaProducer<byte[], byte[]> producer = KafkaClients.bytesProducer(broker.address(), Map.of("linger.ms", 5));
        KafkaConsumer<byte[], byte[]> consumer = KafkaClients.bytesConsumer(broker.address(), Map.of())) {
      for (int i = 0; i < count; i++) {
        byte[] value = new byte[10_000];
        value[9_999] = (byte) i;
        producer.send(new ProducerRecord<>("large", i % 3, null, value));
      }
      producer.flush();

      KafkaClients.readFromStart(
          consumer, new TopicPartition("large", 0), new TopicPartition("large", 1), new TopicPartition("large", 2));
      long[] next = new long[3];
      KafkaClients.poll(consumer, count)
          .forEach(
              record -> {
                assertEquals(next[record.partition()]++, record.offset());
                assertEquals((byte) (record.offset() * 3 + record.partition()), record.value()[9_999]);
              });
    }
  }

  @Test
  void answerSaysWhereTheLogStartsAndEnds() throws Exception {
    try (KafkaSocket socket = withTopics("ends")) {
      produce(socket, "ends", 0, 10);
      produce(socket, "ends", 0, 10);

      PartitionData data = only(socket.ask(FetchResponseData.class, VERSION, KafkaRequests.fetch("ends", 0, 1)));
      assertEquals(0, data.errorCode());
      assertEquals(2, data.highWatermark());
      assertEquals(2, data.lastStableOffset());
      assertEquals(0, data.logStartOffset());
      assertNull(data.abortedTransactions());
      assertEquals(List.of(1L), baseOffsets(data));
    }
  }

  /** A fetch in the middle of a batch has the whole batch; the consumer passes over what comes before. */
  @Test
  void fetchInTheMiddleOfABatchReturnsTheWholeBatch() throws Exception {
    try (KafkaSocket socket = withTopics("middle")) {
      socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce("middle", 0, KafkaRequests.records("a", "b", "c")));

      PartitionData data = only(socket.ask(FetchResponseData.class, VERSION, KafkaRequests.fetch("middle", 0, 2)));
      assertEquals(List.of(0L), baseOffsets(data));
    }
  }

  @Test
  void offsetsBelowTheStartAndAboveTheEndAreOutOfRange() throws Exception {
    try (KafkaSocket socket = withTopics("range")) {
      produce(socket, "range", 0, 10);

      for (long offset : new long[] {-1, 2, Long.MAX_VALUE}) {
        PartitionData data = only(socket.ask(FetchResponseData.class, VERSION, KafkaRequests.fetch("range", 0, offset)));
        assertEquals(Errors.OFFSET_OUT_OF_RANGE.code(), data.errorCode(), "offset " + offset);
        assertEquals(0, data.records().sizeInBytes());
      }
      assertEquals(0, only(socket.ask(FetchResponseData.class, VERSION, KafkaRequests.fetch("range", 0, 1))).errorCode());
    }
  }

  @Test
  void unknownTopicsPartitionsAndEpochsAreToldApart() throws Exception {
    try (KafkaSocket socket = withTopics("known")) {
      FetchRequestData newer = KafkaRequests.fetch("known", 0, 0);
      newer.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(1);

      assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, errorOf(socket, VERSION, KafkaRequests.fetch("no-such", 0, 0)));
      assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, errorOf(socket, VERSION, KafkaRequests.fetch("known", 3, 0)));
      assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, errorOf(socket, VERSION, KafkaRequests.fetch("known", -1, 0)));
      assertEquals(Errors.UNKNOWN_TOPIC_ID, errorOf(socket, 18, KafkaRequests.fetch(Uuid.randomUuid(), 0, 0)));
      assertEquals(Errors.UNKNOWN_LEADER_EPOCH, errorOf(socket, VERSION, newer));
    }
  }

  private static Errors errorOf(KafkaSocket socket, int version, FetchRequestData request) throws IOException {
    return Errors.forCode(only(socket.ask(FetchResponseData.class, version, request)).errorCode());
  }

  /** There are none: an answer never has one, and a client that says it has one is told that it has not. */
  @Test
  void thereAreNoFetchSessions() throws Exception {
    try (KafkaSocket socket = withTopics("sessions")) {
      FetchRequestData first = KafkaRequests.fetch("sessions", 0, 0).setSessionEpoch(0);

      assertEquals(0, socket.ask(FetchResponseData.class, VERSION, first).sessionId());
      FetchResponseData unknown = socket.ask(FetchResponseData.class, VERSION, KafkaRequests.fetch("sessions", 0, 0).setSessionId(9));
      assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND.code(), unknown.errorCode());
    }
  }

  // ---------------------------------------------------------------- how much

  @Test
  void whatFitsIsWholeBatchesAndOneAtLeast() throws Exception {
    try (KafkaSocket socket = withTopics("fit")) {
      for (int i = 0; i < 5; i++) {
        produce(socket, "fit", 0, 1000);
      }
      int batchBytes = records(socket, "fit", 0, 4).sizeInBytes();

      for (int[] one : new int[][] {{0, 1}, {1, 1}, {batchBytes * 2 - 1, 1}, {batchBytes * 2, 2}, {batchBytes * 9, 5}}) {
        FetchRequestData byPartition = fetch(1 << 20, topic("fit", from(0, 0, one[0])));
        FetchRequestData inTotal = fetch(one[0], topic("fit", from(0, 0, 1 << 20)));
        assertEquals(one[1], baseOffsets(only(socket.ask(FetchResponseData.class, VERSION, byPartition))).size(), "partition " + one[0]);
        assertEquals(one[1], baseOffsets(only(socket.ask(FetchResponseData.class, VERSION, inTotal))).size(), "total " + one[0]);
      }
    }
  }

  /** Only the first partition that has something may exceed the total, and what is left of it goes to the next ones. */
  @Test
  void totalIsSharedByPartitions() throws Exception {
    try (KafkaSocket socket = withTopics("share")) {
      for (int partition = 0; partition < 3; partition++) {
        produce(socket, "share", partition, 1000);
        produce(socket, "share", partition, 1000);
      }
      int batchBytes = records(socket, "share", 0, 1).sizeInBytes();
      FetchTopic all = topic("share", from(0, 0, 1 << 20), from(1, 0, 1 << 20), from(2, 0, 1 << 20));

      FetchResponseData three = socket.ask(FetchResponseData.class, VERSION, fetch(3 * batchBytes, all));
      FetchResponseData less = socket.ask(FetchResponseData.class, VERSION, fetch(10, all));
      FetchResponseData everything = socket.ask(FetchResponseData.class, VERSION, fetch(1 << 20, all));

      assertEquals(List.of(2, 1, 0), counts(three));
      assertEquals(List.of(1, 0, 0), counts(less));
      assertEquals(List.of(2, 2, 2), counts(everything));
    }
  }

  private static List<Integer> counts(FetchResponseData response) {
    return response.responses().get(0).partitions().stream().map(data -> baseOffsets(data).size()).toList();
  }

  /** Several slices of several partitions, with the answer's own bytes between them. */
  @Test
  void largeAnswerOfManyPartitionsIsWhole() throws Exception {
    try (KafkaSocket socket = withTopics("slices")) {
      for (int partition = 0; partition < 3; partition++) {
        for (int i = 0; i < 10; i++) {
          produce(socket, "slices", partition, 100_000 + 1000 * i);
        }
      }

      FetchTopic all = topic("slices", from(0, 0, 64 << 20), from(1, 0, 64 << 20), from(2, 5, 64 << 20));
      FetchResponseData response = socket.ask(FetchResponseData.class, VERSION, fetch(64 << 20, all));
      assertEquals(List.of(10, 10, 5), counts(response));
    }
  }

  // ---------------------------------------------------------------- waiting

  /** The fetch waits on three partitions; a record in any of them wakes it. */
  @Test
  void waitingFetchIsWokenByAnyOfItsPartitions() throws Exception {
    try (KafkaSocket waiting = withTopics("wake");
        KafkaSocket other = new KafkaSocket(broker.address())) {
      for (int partition = 0; partition < 3; partition++) {
        long offset = 0;
        FetchTopic all = topic("wake", from(0, partition > 0 ? 1 : 0, 1 << 20), from(1, partition > 1 ? 1 : 0, 1 << 20), from(2, offset, 1 << 20));
        int id = waiting.send(ApiKeys.FETCH, VERSION, fetch(1 << 20, all).setMaxWaitMs(300_000));
        CompletableFuture<FetchResponseData> answer = receive(waiting, id);

        produce(other, "wake", partition, 10);

        List<PartitionData> data = answer.get(120, TimeUnit.SECONDS).responses().get(0).partitions();
        for (int i = 0; i < 3; i++) {
          assertEquals(i == partition ? 1 : 0, baseOffsets(data.get(i)).size());
        }
      }
    }
  }

  private static CompletableFuture<FetchResponseData> receive(KafkaSocket socket, int id) {
    CompletableFuture<FetchResponseData> answer = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                answer.complete((FetchResponseData) socket.receive(ApiKeys.FETCH, VERSION, id));
              } catch (IOException e) {
                answer.completeExceptionally(e);
              }
            })
        .start();
    return answer;
  }

  /** Woken by each record, but answered only when min_bytes are there: they come from different partitions. */
  @Test
  void waitingFetchGoesOnWaitingForMinBytes() throws Exception {
    try (KafkaSocket waiting = withTopics("least");
        KafkaSocket other = new KafkaSocket(broker.address())) {
      FetchTopic all = topic("least", from(0, 0, 1 << 20), from(1, 0, 1 << 20), from(2, 0, 1 << 20));
      int id = waiting.send(ApiKeys.FETCH, VERSION, fetch(1 << 20, all).setMinBytes(3000).setMaxWaitMs(300_000));
      CompletableFuture<FetchResponseData> answer = receive(waiting, id);

      produce(other, "least", 0, 1000);
      produce(other, "least", 1, 1000);
      produce(other, "least", 1, 1000);

      assertEquals(List.of(1, 2, 0), counts(answer.get(120, TimeUnit.SECONDS)));
    }
  }

  @Test
  void waitEndsWithWhatThereIs() throws Exception {
    try (KafkaSocket socket = withTopics("enough")) {
      produce(socket, "enough", 0, 10);
      FetchTopic both = topic("enough", from(0, 0, 1 << 20), from(1, 0, 1 << 20));

      FetchResponseData response =
          socket.ask(FetchResponseData.class, VERSION, fetch(1 << 20, both).setMinBytes(1 << 20).setMaxWaitMs(50));
      assertEquals(List.of(1, 0), counts(response));
    }
  }

  /** An error does not wait for the others' records. */
  @Test
  void errorIsToldAtOnce() throws Exception {
    try (KafkaSocket socket = withTopics("failing")) {
      FetchTopic both = topic("failing", from(0, 0, 1 << 20), from(7, 0, 1 << 20));

      FetchResponseData response =
          socket.ask(FetchResponseData.class, VERSION, fetch(1 << 20, both).setMaxWaitMs(300_000));
      assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), response.responses().get(0).partitions().get(1).errorCode());
    }
  }

  /** A client that goes while its fetch waits leaves nothing behind: the budget is empty when this class has run. */
  @Test
  void clientMayGoWhileItWaits() throws Exception {
    KafkaSocket socket = withTopics("gone");
    socket.send(ApiKeys.FETCH, VERSION, fetch(1 << 20, topic("gone", from(0, 0, 1 << 20))).setMaxWaitMs(300_000));
    socket.close();

    broker.awaitBudgetEmpty();
    assertTrue(broker.memory().usedBytes() == 0);
  }
}
