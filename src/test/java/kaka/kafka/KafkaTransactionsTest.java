package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kaka.broker.TestBroker;
import kaka.log.CrashingDisk;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Transactions by Kafka's own producer, consumer and administration. */
class KafkaTransactionsTest {
  private static TestBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static KafkaProducer<String, String> producer(String id) {
    return producer(id, Map.of());
  }

  private static KafkaProducer<String, String> producer(String id, Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>(Map.of("transactional.id", id, "retry.backoff.ms", 10));
    config.putAll(more);
    return KafkaClients.producer(broker.address(), config);
  }

  private static void createTopic(String name, int partitions) throws Exception {
    try (Admin admin = KafkaClients.admin(broker.address())) {
      KafkaClients.get(admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all());
    }
  }

  /** The values of all records that a reader of that isolation gets up to where the partition ends for it. */
  static List<String> values(TestBroker of, String isolation, TopicPartition... partitions) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        KafkaClients.consumer(of.address(), Map.of("isolation.level", isolation))) {
      KafkaClients.readFromStart(consumer, partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(List.of(partitions));
      while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
          values.add(record.value());
        }
      }
    }
    return values;
  }

  private static List<String> committed(String topic) {
    return values(broker, "read_committed", new TopicPartition(topic, 0));
  }

  private static List<String> all(String topic) {
    return values(broker, "read_uncommitted", new TopicPartition(topic, 0));
  }

  private static ProducerRecord<String, String> record(String topic, String value) {
    return new ProducerRecord<>(topic, 0, null, value);
  }

  @Test
  void committedIsSeenAndAbortedIsNot() throws Exception {
    createTopic("commits", 1);
    try (KafkaProducer<String, String> producer = producer("commits")) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(record("commits", "a"));
      producer.send(record("commits", "b"));
      producer.commitTransaction();
      assertEquals(List.of("a", "b"), committed("commits"));

      producer.beginTransaction();
      KafkaClients.get(producer.send(record("commits", "gone")));
      assertEquals(List.of("a", "b"), committed("commits"));
      assertEquals(List.of("a", "b", "gone"), all("commits"));
      producer.abortTransaction();
      assertEquals(List.of("a", "b"), committed("commits"));

      for (int i = 0; i < 30; i++) {
        producer.beginTransaction();
        producer.send(record("commits", "v" + i));
        producer.flush(); // or an abort would not even send it
        if (i % 3 == 0) {
          producer.abortTransaction();
        } else {
          producer.commitTransaction();
        }
      }
    }
    List<String> expected = new ArrayList<>(List.of("a", "b"));
    for (int i = 0; i < 30; i++) {
      if (i % 3 != 0) {
        expected.add("v" + i);
      }
    }
    assertEquals(expected, committed("commits"));
    assertEquals(33, all("commits").size());
  }

  @Test
  void aTransactionSpansPartitionsAllOrNothing() throws Exception {
    createTopic("spans", 3);
    TopicPartition[] partitions = {
      new TopicPartition("spans", 0), new TopicPartition("spans", 1), new TopicPartition("spans", 2)
    };
    try (KafkaProducer<String, String> producer = producer("spans")) {
      producer.initTransactions();
      for (String value : List.of("one", "aborted", "two")) {
        producer.beginTransaction();
        for (int i = 0; i < 3; i++) {
          producer.send(new ProducerRecord<>("spans", i, null, value));
        }
        producer.flush();
        if (value.equals("aborted")) {
          producer.abortTransaction();
        } else {
          producer.commitTransaction();
        }
      }
    }
    List<String> seen = values(broker, "read_committed", partitions);
    assertEquals(6, seen.size(), seen.toString());
    assertEquals(3, seen.stream().filter("one"::equals).count());
    assertEquals(9, values(broker, "read_uncommitted", partitions).size());
  }

  /** A waiting reader is woken by the end of the transaction, not by its records. */
  @Test
  void aWaitingReaderGetsWhatIsCommittedAndHoldsBackWhatComesAfterAnOpenOne() throws Exception {
    createTopic("waits", 1);
    try (KafkaConsumer<String, String> consumer =
            KafkaClients.consumer(
                broker.address(), Map.of("isolation.level", "read_committed", "fetch.max.wait.ms", 20_000));
        KafkaProducer<String, String> producer = producer("waits");
        KafkaProducer<String, String> plain = KafkaClients.producer(broker.address(), Map.of())) {
      KafkaClients.readFromStart(consumer, new TopicPartition("waits", 0));
      producer.initTransactions();
      producer.beginTransaction();
      KafkaClients.get(producer.send(record("waits", "t")));
      KafkaClients.get(plain.send(record("waits", "after")));
      assertTrue(consumer.poll(Duration.ofMillis(300)).isEmpty());
      producer.commitTransaction();
      List<ConsumerRecord<String, String>> records = KafkaClients.poll(consumer, 2);
      assertEquals(List.of("t", "after"), records.stream().map(ConsumerRecord::value).toList());
      KafkaClients.get(plain.send(record("waits", "last"))); // ends the fetch that waits already, and would keep close waiting
    }
  }

  @Test
  void aNewProducerFencesTheOldAndAbortsItsTransaction() throws Exception {
    createTopic("fences", 1);
    try (KafkaProducer<String, String> old = producer("fences");
        KafkaProducer<String, String> next = producer("fences")) {
      old.initTransactions();
      old.beginTransaction();
      KafkaClients.get(old.send(record("fences", "old")));

      next.initTransactions();
      assertThrows(ProducerFencedException.class, old::commitTransaction);
      next.beginTransaction();
      next.send(record("fences", "next"));
      next.commitTransaction();
    }
    assertEquals(List.of("next"), committed("fences"));
  }

  @Test
  void aTransactionThatLastsTooLongIsAborted() throws Exception {
    createTopic("late", 1);
    try (KafkaProducer<String, String> late = producer("late", Map.of("transaction.timeout.ms", 300));
        KafkaProducer<String, String> plain = KafkaClients.producer(broker.address(), Map.of());
        Admin admin = KafkaClients.admin(broker.address())) {
      late.initTransactions();
      late.beginTransaction();
      KafkaClients.get(late.send(record("late", "lost")));
      KafkaClients.get(plain.send(record("late", "plain")));
      TestBroker.awaitTrue(
          "it is aborted",
          () -> {
            try {
              return describe(admin, "late").state() == TransactionState.COMPLETE_ABORT;
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
      assertEquals(List.of("plain"), committed("late"));
      assertThrows(KafkaException.class, late::commitTransaction);
    }
    assertEquals(List.of("plain"), committed("late"));
  }

  @Test
  void aTimeoutThatIsTooLongIsRefused() {
    try (KafkaProducer<String, String> producer =
        producer("timeouts", Map.of("transaction.timeout.ms", 16 * 60 * 1000))) {
      KafkaException failure = assertThrows(KafkaException.class, producer::initTransactions);
      assertTrue(failure.getMessage().contains(Errors.INVALID_TRANSACTION_TIMEOUT.message()), failure.getMessage());
    }
  }

  private static TransactionDescription describe(Admin admin, String id) throws Exception {
    return KafkaClients.get(admin.describeTransactions(List.of(id)).description(id));
  }

  @Test
  void administrationSeesTransactionsAndTheirProducers() throws Exception {
    createTopic("seen", 2);
    try (Admin admin = KafkaClients.admin(broker.address());
        KafkaProducer<String, String> producer = producer("seen")) {
      producer.initTransactions();
      assertEquals(TransactionState.EMPTY, describe(admin, "seen").state());
      producer.beginTransaction();
      KafkaClients.get(producer.send(record("seen", "first")));
      KafkaClients.get(producer.send(record("seen", "second")));

      TransactionDescription open = describe(admin, "seen");
      assertEquals(TransactionState.ONGOING, open.state());
      assertEquals(java.util.Set.of(new TopicPartition("seen", 0)), open.topicPartitions());
      assertEquals(60_000, open.transactionTimeoutMs());
      assertTrue(open.transactionStartTimeMs().isPresent());

      Collection<TransactionListing> ongoing =
          KafkaClients.get(
              admin
                  .listTransactions(
                      new ListTransactionsOptions()
                          .filterStates(List.of(TransactionState.ONGOING))
                          .filterProducerIds(List.of(open.producerId())))
                  .all());
      assertEquals(List.of("seen"), ongoing.stream().map(TransactionListing::transactionalId).toList());

      TopicPartition partition = new TopicPartition("seen", 0);
      List<ProducerState> producers =
          KafkaClients.get(admin.describeProducers(List.of(partition)).partitionResult(partition)).activeProducers();
      assertEquals(1, producers.size());
      assertEquals(open.producerId(), producers.get(0).producerId());
      assertEquals(open.producerEpoch(), producers.get(0).producerEpoch());
      assertEquals(1, producers.get(0).lastSequence());
      assertEquals(0, producers.get(0).currentTransactionStartOffset().orElse(-1));

      producer.commitTransaction();
      assertEquals(TransactionState.COMPLETE_COMMIT, describe(admin, "seen").state());
      Throwable unknown =
          KafkaClients.failure(admin.describeTransactions(List.of("nobody")).description("nobody"));
      assertInstanceOf(org.apache.kafka.common.errors.TransactionalIdNotFoundException.class, unknown);
    }
  }

  @Test
  void aTopicThatIsDeletedInTheMiddleDoesNotHoldTheCommitUp() throws Exception {
    createTopic("stays", 1);
    createTopic("goes", 1);
    try (Admin admin = KafkaClients.admin(broker.address());
        KafkaProducer<String, String> producer = producer("deleted")) {
      producer.initTransactions();
      producer.beginTransaction();
      KafkaClients.get(producer.send(record("stays", "s")));
      KafkaClients.get(producer.send(record("goes", "g")));
      KafkaClients.get(admin.deleteTopics(List.of("goes")).all());
      producer.commitTransaction();
      assertEquals(List.of("s"), committed("stays"));
    }
  }

  /** Reads, transforms and writes, with its offsets in the transaction: what is aborted is done again, and nothing twice. */
  @Test
  void offsetsAreCommittedWithTheTransactionOrNotAtAll() throws Exception {
    createTopic("in", 1);
    createTopic("out", 1);
    TopicPartition in = new TopicPartition("in", 0);
    try (KafkaProducer<String, String> source = KafkaClients.producer(broker.address(), Map.of())) {
      for (int i = 0; i < 4; i++) {
        KafkaClients.get(source.send(record("in", "r" + i)));
      }
    }
    Map<String, Object> group = Map.of("group.id", "movers", "isolation.level", "read_committed", "enable.auto.commit", false);
    try (KafkaConsumer<String, String> consumer = KafkaClients.consumer(broker.address(), group);
        KafkaProducer<String, String> producer = producer("movers")) {
      consumer.assign(List.of(in));
      consumer.seekToBeginning(List.of(in));
      producer.initTransactions();
      for (boolean isCommit : new boolean[] {false, true}) {
        producer.beginTransaction();
        producer.send(record("out", "moved " + isCommit));
        producer.sendOffsetsToTransaction(Map.of(in, new OffsetAndMetadata(isCommit ? 2 : 1)), consumer.groupMetadata());
        if (isCommit) {
          producer.commitTransaction();
        } else {
          producer.abortTransaction();
          assertEquals(null, consumer.committed(java.util.Set.of(in)).get(in));
        }
      }
      assertEquals(2, consumer.committed(java.util.Set.of(in)).get(in).offset());

      producer.beginTransaction();
      producer.sendOffsetsToTransaction(Map.of(in, new OffsetAndMetadata(3)), consumer.groupMetadata());
      assertThrows( // it is not known yet what it will be (KIP-447)
          TimeoutException.class, () -> consumer.committed(java.util.Set.of(in), Duration.ofMillis(300)));
      producer.commitTransaction();
      assertEquals(3, consumer.committed(java.util.Set.of(in)).get(in).offset());
    }
    assertEquals(List.of("moved true"), committed("out"));
  }

  /** The power goes while one transaction is committed, one is open, and offsets are pending: clients go on with the next start. */
  @Test
  void aKillInTheMiddleLosesAndRepeatsNothing() throws Exception {
    CrashingDisk power = new CrashingDisk();
    power.createDirectory(java.nio.file.Path.of("/data"));
    power.syncDirectory(java.nio.file.Path.of("/"));
    String hocon = "kaka.log.dir = \"/data\"\nkaka.log.min-free-bytes = 0\n";
    TopicPartition partition = new TopicPartition("killed", 0);
    CrashingDisk found;
    int port;
    try (TestBroker first = TestBroker.start(hocon, power)) {
      port = first.address().getPort();
      try (KafkaProducer<String, String> producer =
              KafkaClients.producer(first.address(), Map.of("transactional.id", "killed", "retry.backoff.ms", 10));
          Admin admin = KafkaClients.admin(first.address())) {
        KafkaClients.get(admin.createTopics(List.of(new NewTopic("killed", 1, (short) 1))).all());
        producer.initTransactions();
        producer.beginTransaction();
        KafkaClients.get(producer.send(record("killed", "kept")));
        producer.sendOffsetsToTransaction(
            Map.of(partition, new OffsetAndMetadata(7)), new ConsumerGroupMetadata("killed"));
        producer.commitTransaction();
        producer.beginTransaction();
        KafkaClients.get(producer.send(record("killed", "open")));
        producer.sendOffsetsToTransaction(
            Map.of(partition, new OffsetAndMetadata(9)), new ConsumerGroupMetadata("killed"));
        found = power.afterPowerCut(CrashingDisk.Unsynced.NOTHING, new java.util.Random(1));
        producer.abortTransaction();
      }
    }
    try (TestBroker second = TestBroker.start(hocon + "kaka.listen.port = " + port, found);
        KafkaConsumer<String, String> consumer =
            KafkaClients.consumer(
                second.address(), Map.of("group.id", "killed", "isolation.level", "read_committed"))) {
      assertEquals(List.of("kept"), values(second, "read_committed", partition));
      assertEquals(List.of("kept", "open"), values(second, "read_uncommitted", partition));
      try (KafkaProducer<String, String> producer =
          KafkaClients.producer(second.address(), Map.of("transactional.id", "killed", "retry.backoff.ms", 10))) {
        producer.initTransactions();
        assertEquals(7, consumer.committed(java.util.Set.of(partition)).get(partition).offset());
        producer.beginTransaction();
        producer.send(record("killed", "next"));
        producer.commitTransaction();
      }
      assertEquals(List.of("kept", "next"), values(second, "read_committed", partition));
    }
  }
}
