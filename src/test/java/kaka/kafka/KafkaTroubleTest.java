package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.FaultyDisk.Operation;
import kaka.log.MemoryDisk;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** What Kafka's clients see of a disk that fails or is full, and of a stop. */
class KafkaTroubleTest {
  private static final String LOG = "orders-0/00000000000000000000.log";

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  private static PartitionProduceResponse produce(KafkaSocket socket, String... values) throws Exception {
    ProduceResponseData response =
        socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce("orders", 0, KafkaRequests.records(values)));
    return response.responses().iterator().next().partitionResponses().get(0);
  }

  private static PartitionData fetch(KafkaSocket socket, FetchRequestData request) throws Exception {
    return socket.ask(FetchResponseData.class, 12, request).responses().get(0).partitions().get(0);
  }

  /** What was acknowledged before is still read. */
  @Test
  void failedSyncIsAStorageErrorForItAndEveryLaterProduce() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("orders"));
      assertEquals(0, produce(socket, "acked").errorCode());
      disk.failNext(Operation.SYNC, LOG);

      assertEquals(Errors.KAFKA_STORAGE_ERROR.code(), produce(socket, "a").errorCode());
      assertEquals(Errors.KAFKA_STORAGE_ERROR.code(), produce(socket, "b").errorCode());
      PartitionData data = fetch(socket, KafkaRequests.fetch("orders", 0, 0).setMaxWaitMs(300_000));
      assertEquals(0, data.errorCode());
      assertEquals(1, data.highWatermark());
    }
  }

  /** A failed partition has nothing more to say: a fetch waits for the others, and for its time. */
  @Test
  void fetchWaitsBesideAFailedPartition() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.default-partitions = 2", disk);
        KafkaSocket socket = new KafkaSocket(broker.address());
        KafkaSocket other = new KafkaSocket(broker.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("orders"));
      disk.failNext(Operation.SYNC, LOG);
      produce(socket, "lost");
      assertEquals(0, fetch(socket, KafkaRequests.fetch("orders", 0, 0).setMaxWaitMs(50)).errorCode());
      FetchRequestData both = KafkaRequests.fetch("orders", 0, 0).setMaxWaitMs(300_000);
      both.topics()
          .get(0)
          .setPartitions(
              List.of(
                  new FetchPartition().setPartition(0).setPartitionMaxBytes(1 << 20),
                  new FetchPartition().setPartition(1).setPartitionMaxBytes(1 << 20)));

      int id = socket.send(ApiKeys.FETCH, 12, both);
      other.ask(ProduceResponseData.class, 9, KafkaRequests.produce("orders", 1, KafkaRequests.records("b")));

      FetchResponseData answer = (FetchResponseData) socket.receive(ApiKeys.FETCH, 12, id);
      assertTrue(answer.responses().get(0).partitions().get(1).records().sizeInBytes() > 0);
    }
  }

  /** What coordinators hold of a request is let go when it is answered, though whoever asked has gone. */
  @Test
  void aClientThatDoesNotWaitLeavesNothingCharged() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk)) {
      long quiet = broker.actorCount();
      for (String log : List.of("__transactions-0/00000000000000000000.log", "__offsets-0/00000000000000000000.log")) {
        try (KafkaSocket socket = new KafkaSocket(broker.address());
            FaultyDisk.Gate gate = disk.block(Operation.SYNC, log)) {
          if (log.startsWith("__transactions")) {
            socket.send(ApiKeys.INIT_PRODUCER_ID, 4, new InitProducerIdRequestData().setTransactionalId("t").setTransactionTimeoutMs(1000));
          } else {
            socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("plain"));
            socket.send(ApiKeys.OFFSET_COMMIT, 9, KafkaRequests.full(ApiKeys.OFFSET_COMMIT, 9));
          }
          gate.awaitEntered();
          assertTrue(broker.memory().usedBytes() > 0);
          socket.socket().setSoLinger(true, 0); // a reset
          socket.close();
          TestBroker.awaitTrue("the connection has ended", () -> broker.actorCount() <= quiet + 1); // a topic's partition
        }
        try (KafkaSocket socket = new KafkaSocket(broker.address())) {
          socket.ask(DeleteGroupsResponseData.class, 1, new DeleteGroupsRequestData().setGroupsNames(List.of("g")));
        }
        broker.awaitBudgetEmpty();
      }
    }
  }

  /** Else a power cut could take an end that the coordinator has forgotten, and nobody would end the transaction again. */
  @Test
  void endOfATransactionIsSyncedAlsoWhereAcksAreNot() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.log.fsync-interval = 1h", disk);
        KafkaProducer<String, String> producer = KafkaClients.producer(broker.address(), Map.of("transactional.id", "t"))) {
      producer.initTransactions();
      producer.beginTransaction();
      KafkaClients.get(producer.send(new ProducerRecord<>("orders", "a")));
      disk.resetCounts();
      producer.commitTransaction();

      producer.beginTransaction();
      KafkaClients.get(producer.send(new ProducerRecord<>("orders", "b"))); // taken when the first has ended everywhere
      assertEquals(1, disk.count(Operation.SYNC, LOG));
      producer.abortTransaction();
    }
  }

  /** The error's name is no help to people, so its message says what is so; and it passes. */
  @Test
  void nearlyFullDiskIsAnErrorThatClientsTryAgainAfter() throws Exception {
    FullDisk full = new FullDisk(new MemoryDisk());
    try (TestBroker broker = TestBroker.start("kaka.log.min-free-bytes = 1MiB", full);
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("orders"));
      full.fill(true);
      TestBroker.awaitTrue("the broker notices", () -> isRefused(socket));

      PartitionProduceResponse refused = produce(socket, "a");
      assertEquals(Errors.NOT_ENOUGH_REPLICAS.code(), refused.errorCode());
      assertTrue(refused.errorMessage().contains("disk nearly full"), refused.errorMessage());
      assertTrue(Errors.forCode(refused.errorCode()).exception() instanceof org.apache.kafka.common.errors.RetriableException);

      try (KafkaProducer<String, String> producer = KafkaClients.producer(broker.address(), Map.of())) {
        java.util.concurrent.Future<?> sent = producer.send(new ProducerRecord<>("orders", "waits"));
        full.fill(false);
        KafkaClients.get(sent);
      }
    }
  }

  private static boolean isRefused(KafkaSocket socket) {
    try {
      return produce(socket, "x").errorCode() != 0;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void unreadablePartitionIsAStorageErrorAndOthersAreServed() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.default-partitions = 2", disk);
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("orders"));
      produce(socket, "a");
      socket.ask(ProduceResponseData.class, 9, KafkaRequests.produce("orders", 1, KafkaRequests.records("b")));
      disk.failNext(Operation.READ, LOG);
      FetchRequestData both = KafkaRequests.fetch("orders", 0, 0);
      both.topics()
          .get(0)
          .setPartitions(
              List.of(
                  new FetchPartition().setPartition(0).setPartitionMaxBytes(1 << 20),
                  new FetchPartition().setPartition(1).setPartitionMaxBytes(1 << 20)));

      FetchResponseData response = socket.ask(FetchResponseData.class, 12, both);
      assertEquals(Errors.KAFKA_STORAGE_ERROR.code(), response.responses().get(0).partitions().get(0).errorCode());
      assertEquals(0, response.responses().get(0).partitions().get(1).errorCode());
      assertTrue(response.responses().get(0).partitions().get(1).records().sizeInBytes() > 0);
      assertEquals(0, fetch(socket, KafkaRequests.fetch("orders", 0, 0)).errorCode());
    }
  }

  @Test
  void idempotentProducersGetDifferentIds() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      InitProducerIdRequestData request = new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(1000);
      InitProducerIdResponseData first = socket.ask(InitProducerIdResponseData.class, 4, request);
      InitProducerIdResponseData second = socket.ask(InitProducerIdResponseData.class, 4, request);

      assertEquals(0, first.errorCode());
      assertEquals(first.producerId() + 1, second.producerId());
    }
  }

  /** A stop answers a fetch that waits, at once, and closes. */
  @Test
  void stopEndsAWaitingFetch() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("orders"));
      FetchRequestData request = KafkaRequests.fetch("orders", 0, 0).setMaxWaitMs(300_000);
      FetchPartition again = request.topics().get(0).partitions().get(0);
      request.topics().get(0).setPartitions(Collections.nCopies(100, again)); // many, so that it is charged and so seen to wait
      int id = socket.send(ApiKeys.FETCH, 12, request);
      TestBroker.awaitTrue("it waits", () -> broker.memory().usedBytes() > 0);
      broker.stop();

      FetchResponseData answer = (FetchResponseData) socket.receive(ApiKeys.FETCH, 12, id);
      assertEquals(0, answer.responses().get(0).partitions().get(0).records().sizeInBytes());
      assertTrue(socket.isClosedByPeer());
    }
  }

  /** Records that are deleted while a consumer is away: it starts where its policy says, and reads on. */
  @Test
  void consumerBelowTheLogStartIsReset() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        KafkaSocket socket = new KafkaSocket(broker.address());
        org.apache.kafka.clients.admin.Admin admin = KafkaClients.admin(broker.address());
        KafkaConsumer<String, String> consumer =
            KafkaClients.consumer(broker.address(), Map.of("auto.offset.reset", "earliest"))) {
      socket.ask(MetadataResponseData.class, 4, KafkaRequests.metadata("orders"));
      TopicPartition partition = new TopicPartition("orders", 0);
      produce(socket, "a");
      produce(socket, "b");
      produce(socket, "c");
      KafkaClients.get(
          admin.deleteRecords(Map.of(partition, org.apache.kafka.clients.admin.RecordsToDelete.beforeOffset(2))).all());

      assertEquals(Errors.OFFSET_OUT_OF_RANGE.code(), fetch(socket, KafkaRequests.fetch("orders", 0, 1)).errorCode());
      consumer.assign(List.of(partition));
      consumer.seek(partition, 0);
      assertEquals("c", KafkaClients.poll(consumer, 1).get(0).value());
    }
  }
}
