package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import kaka.broker.TestBroker;
import kaka.log.LogTruncation;
import kaka.log.MemoryDisk;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Transactions that nobody will end, and those that somebody ends for another, by Kafka's administration. */
class KafkaHangingTransactionsTest {
  private static final TopicPartition LOGS = new TopicPartition("logs", 0);

  private static KafkaProducer<String, String> producer(TestBroker broker, String id) {
    return KafkaClients.producer(broker.address(), Map.of("transactional.id", id, "retry.backoff.ms", 10));
  }

  private static void send(KafkaProducer<String, String> producer, String value) throws Exception {
    KafkaClients.get(producer.send(new ProducerRecord<>("logs", 0, "k", value)));
  }

  private static void plain(TestBroker broker, String value) throws Exception {
    try (KafkaProducer<String, String> producer = KafkaClients.producer(broker.address(), Map.of())) {
      send(producer, value);
    }
  }

  private static ProducerState openProducer(Admin admin) throws Exception {
    return KafkaClients.get(admin.describeProducers(List.of(LOGS)).partitionResult(LOGS)).activeProducers().stream()
        .filter(each -> each.currentTransactionStartOffset().isPresent())
        .findFirst()
        .orElseThrow();
  }

  private static AbortTransactionSpec abort(ProducerState producer, int epoch) {
    return new AbortTransactionSpec(LOGS, producer.producerId(), (short) epoch, producer.coordinatorEpoch().orElse(0));
  }

  private static Throwable failure(Admin admin, AbortTransactionSpec spec) throws Exception {
    return KafkaClients.failure(admin.abortTransaction(spec).all());
  }

  /** The marker of a committed transaction is cut off: it is open again, and the coordinator has forgotten it. */
  @Test
  void transactionWhoseMarkerWasCutOffIsAbortedByTheAdministrator() throws Exception {
    MemoryDisk disk = new MemoryDisk();
    try (TestBroker broker = TestBroker.start("", disk)) {
      plain(broker, "before");
      try (KafkaProducer<String, String> producer = producer(broker, "t")) {
        producer.initTransactions();
        producer.beginTransaction();
        send(producer, "cut"); // 1
        producer.commitTransaction(); // 2
      }
    }
    LogTruncation.truncate(disk, Path.of("/kaka/logs-0"), 2);
    try (TestBroker broker = TestBroker.start("", disk);
        Admin admin = KafkaClients.admin(broker.address())) {
      plain(broker, "after");
      assertEquals(List.of("before"), KafkaTransactionsTest.values(broker, "read_committed", LOGS));
      ProducerState open = openProducer(admin);
      assertEquals(OptionalLong.of(1), open.currentTransactionStartOffset());

      assertInstanceOf(InvalidProducerEpochException.class, failure(admin, abort(open, open.producerEpoch() + 1)), "it would fence");
      assertEquals(List.of("before"), KafkaTransactionsTest.values(broker, "read_committed", LOGS));
      KafkaClients.get(admin.abortTransaction(abort(open, open.producerEpoch())).all());
      KafkaClients.get(admin.abortTransaction(abort(open, open.producerEpoch())).all()); // once or twice, it is the same

      assertEquals(List.of("before", "after"), KafkaTransactionsTest.values(broker, "read_committed", LOGS));
      assertEquals(List.of("before", "cut", "after"), KafkaTransactionsTest.values(broker, "read_uncommitted", LOGS));
      try (KafkaProducer<String, String> next = producer(broker, "t")) {
        next.initTransactions();
        next.beginTransaction();
        send(next, "next");
        next.commitTransaction();
      }
      assertEquals(List.of("before", "after", "next"), KafkaTransactionsTest.values(broker, "read_committed", LOGS));
    }
  }

  /** Else the coordinator would commit to some partitions what another has aborted. */
  @Test
  void transactionThatTheCoordinatorKnowsIsNotAbortedBehindItsBack() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        Admin admin = KafkaClients.admin(broker.address());
        KafkaProducer<String, String> producer = producer(broker, "t")) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, "kept");
      ProducerState open = openProducer(admin);

      assertInstanceOf(InvalidTxnStateException.class, failure(admin, abort(open, open.producerEpoch())));

      send(producer, "kept too");
      producer.commitTransaction();
      KafkaClients.get(admin.abortTransaction(abort(open, open.producerEpoch())).all()); // there is nothing left to abort
      assertEquals(List.of("kept", "kept too"), KafkaTransactionsTest.values(broker, "read_committed", LOGS));
    }
  }

  @Test
  void whatIsNoAbortOfAPartitionIsRefused() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      plain(broker, "one");
      for (int version = 1; version <= 2; version++) {
        assertEquals(List.of(Errors.INVALID_TXN_STATE), write(socket, version, 1, true, 0), "only the coordinator commits");
        assertEquals(List.of(Errors.INVALID_REQUEST), write(socket, version, -1, false, 0));
        assertEquals(List.of(Errors.UNKNOWN_TOPIC_OR_PARTITION), write(socket, version, 1, false, 7));
        assertEquals(List.of(Errors.INVALID_PRODUCER_EPOCH), write(socket, version, 1, false, 0), "nobody knows that producer");
        List<Errors> many = write(socket, version, 1, false, Collections.nCopies(102, 0).toArray(Integer[]::new));
        assertEquals(List.of(Errors.INVALID_PRODUCER_EPOCH, Errors.INVALID_REQUEST, Errors.INVALID_REQUEST), many.subList(99, 102));
      }
      assertEquals(List.of("one"), KafkaTransactionsTest.values(broker, "read_committed", LOGS));
    }
  }

  /** The coordinator stops with the question in its mailbox: the partition will never hear of it. */
  @Test
  void abortIsAnsweredAlsoIfTheCoordinatorStopsBeforeItPassesItOn() throws Exception {
    StuckDisk disk = new StuckDisk(new MemoryDisk(), "__transactions-0");
    try (TestBroker broker = TestBroker.start("", disk);
        KafkaSocket starting = new KafkaSocket(broker.address());
        KafkaSocket aborting = new KafkaSocket(broker.address())) {
      plain(broker, "one");
      disk.stick();
      starting.send(
          ApiKeys.INIT_PRODUCER_ID, 1, new InitProducerIdRequestData().setTransactionalId("t").setTransactionTimeoutMs(60_000));
      disk.awaitStuck();
      byte[] first = KafkaSocket.frame(ApiKeys.API_VERSIONS, 0, 1, new ApiVersionsRequestData());
      byte[] second = KafkaSocket.frame(ApiKeys.WRITE_TXN_MARKERS, 1, 2, marker(1, false, 0));
      aborting.send(ByteBuffer.allocate(first.length + second.length).put(first).put(second).array());
      aborting.receive(ApiKeys.API_VERSIONS, 0, 1); // so both were read, before the broker begins to stop
      broker.kill("transactions");
      disk.letGo();

      assertEquals(
          List.of(Errors.COORDINATOR_NOT_AVAILABLE),
          errors((WriteTxnMarkersResponseData) aborting.receive(ApiKeys.WRITE_TXN_MARKERS, 1, 2)));
    }
  }

  private static List<Errors> write(KafkaSocket socket, int version, long producerId, boolean isCommit, Integer... partitions) throws Exception {
    return errors(socket.ask(WriteTxnMarkersResponseData.class, version, marker(producerId, isCommit, partitions)));
  }

  private static WriteTxnMarkersRequestData marker(long producerId, boolean isCommit, Integer... partitions) {
    WritableTxnMarkerTopic topic =
        new WritableTxnMarkerTopic().setName("logs").setPartitionIndexes(List.of(partitions));
    WritableTxnMarker marker =
        new WritableTxnMarker()
            .setProducerId(producerId)
            .setProducerEpoch((short) 0)
            .setTransactionResult(isCommit)
            .setTopics(List.of(topic));
    return new WriteTxnMarkersRequestData().setMarkers(List.of(marker));
  }

  private static List<Errors> errors(WriteTxnMarkersResponseData response) {
    return response.markers().get(0).topics().get(0).partitions().stream().map(each -> Errors.forCode(each.errorCode())).toList();
  }

  @Test
  void producerThatIsForcedToEndIsFenced() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        Admin admin = KafkaClients.admin(broker.address());
        KafkaProducer<String, String> producer = producer(broker, "t")) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, "aborted");

      KafkaClients.get(admin.forceTerminateTransaction("t").result());

      plain(broker, "after");
      assertEquals(List.of("after"), KafkaTransactionsTest.values(broker, "read_committed", LOGS));
      assertThrows(ProducerFencedException.class, producer::commitTransaction);
    }
  }
}
