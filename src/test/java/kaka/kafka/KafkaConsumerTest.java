package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import kaka.broker.TestBroker;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where Kafka's consumer stands and is put: seek, by time, pause, resets, lag; and what an administrator asks about that. */
class KafkaConsumerTest {
  private static final int COUNT = 100;
  private static final TopicPartition FIRST = new TopicPartition("read", 0);
  private static final TopicPartition SECOND = new TopicPartition("read", 1);

  private TestBroker broker;
  private Admin admin;

  /** Two partitions of a hundred records each, at 1000, 1001, ..., in few batches, compressed. */
  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.groups.initial-rebalance-delay = 0");
    admin = KafkaClients.admin(broker.address());
    KafkaClients.get(admin.createTopics(List.of(new NewTopic("read", 2, (short) 1))).all());
    try (KafkaProducer<String, String> producer =
        KafkaClients.producer(broker.address(), Map.of("compression.type", "lz4", "linger.ms", 50))) {
      for (int i = 0; i < COUNT; i++) {
        producer.send(new ProducerRecord<>("read", 0, 1000L + i, "k", "v" + i));
        producer.send(new ProducerRecord<>("read", 1, 1000L + i, "k", "v" + i));
      }
    }
  }

  @AfterEach
  void stop() {
    admin.close();
    broker.close();
  }

  private KafkaConsumer<String, String> consumer(Map<String, Object> more, TopicPartition... partitions) {
    KafkaConsumer<String, String> consumer = KafkaClients.consumer(broker.address(), more);
    consumer.assign(List.of(partitions));
    return consumer;
  }

  private static void assertNextIs(int offset, KafkaConsumer<String, String> consumer) {
    ConsumerRecord<String, String> next = KafkaClients.poll(consumer, 1).get(0);
    assertEquals(offset, next.offset());
    assertEquals("v" + offset, next.value());
  }

  @Test
  void seekGoesToEveryOffsetAlsoInTheMiddleOfACompressedBatch() {
    try (KafkaConsumer<String, String> consumer = consumer(Map.of("max.poll.records", 1), FIRST)) {
      for (int offset : new int[] {50, 99, 0, 1}) {
        consumer.seek(FIRST, offset);
        assertNextIs(offset, consumer);
      }
      consumer.seek(FIRST, consumer.offsetsForTimes(Map.of(FIRST, 1073L)).get(FIRST).offset());
      assertNextIs(73, consumer);
      consumer.seekToEnd(List.of(FIRST));
      assertEquals(COUNT, consumer.position(FIRST));
    }
  }

  @Test
  void pausedPartitionIsNotReadUntilItIsResumed() {
    try (KafkaConsumer<String, String> consumer = consumer(Map.of(), FIRST, SECOND)) {
      consumer.seekToBeginning(List.of(FIRST, SECOND));
      consumer.pause(List.of(FIRST));
      KafkaClients.poll(consumer, COUNT).forEach(record -> assertEquals(1, record.partition()));
      assertEquals(0, consumer.position(FIRST));

      consumer.resume(List.of(FIRST));
      KafkaClients.poll(consumer, COUNT).forEach(record -> assertEquals(0, record.partition()));
      assertEquals(0, consumer.currentLag(FIRST).orElse(-1));
    }
  }

  /** Records went: a consumer that stands there is reset as it wants, or told. */
  @Test
  void positionThatIsGoneIsResetOrToldOf() throws Exception {
    KafkaClients.get(admin.deleteRecords(Map.of(FIRST, RecordsToDelete.beforeOffset(60))).all());
    try (KafkaConsumer<String, String> earliest = consumer(Map.of("auto.offset.reset", "earliest"), FIRST);
        KafkaConsumer<String, String> none = consumer(Map.of("auto.offset.reset", "none"), FIRST)) {
      earliest.seek(FIRST, 10);
      assertNextIs(60, earliest);

      none.seek(FIRST, 10);
      assertThrows(
          OffsetOutOfRangeException.class,
          () -> {
            for (int i = 0; i < 100; i++) {
              none.poll(Duration.ofMillis(200));
            }
          });
    }
  }

  private long offset(OffsetSpec spec) throws Exception {
    ListOffsetsResultInfo found = KafkaClients.get(admin.listOffsets(Map.of(FIRST, spec)).partitionResult(FIRST));
    return found.offset();
  }

  @Test
  void administratorFindsOffsets() throws Exception {
    KafkaClients.get(admin.deleteRecords(Map.of(FIRST, RecordsToDelete.beforeOffset(60))).all());

    assertEquals(60, offset(OffsetSpec.earliest()));
    assertEquals(COUNT, offset(OffsetSpec.latest()));
    assertEquals(99, offset(OffsetSpec.maxTimestamp()));
    assertEquals(73, offset(OffsetSpec.forTimestamp(1073)));
    assertEquals(-1, offset(OffsetSpec.forTimestamp(5000)));
    assertEquals(60, offset(OffsetSpec.earliestLocal()));
  }

  @Test
  void topicIsDescribedByItsId() throws Exception {
    Uuid id = KafkaClients.get(admin.describeTopics(List.of("read")).allTopicNames()).get("read").topicId();

    TopicDescription described = KafkaClients.get(admin.describeTopics(TopicCollection.ofTopicIds(List.of(id))).allTopicIds()).get(id);

    assertEquals("read", described.name());
    assertEquals(2, described.partitions().size());
  }

  @Test
  void administratorRemovesMembersOfAGroup() throws Exception {
    try (KafkaConsumer<String, String> member =
        KafkaClients.consumer(
            broker.address(), Map.of("group.id", "removed", "group.instance.id", "one", "auto.offset.reset", "earliest"))) {
      member.subscribe(Set.of("read"));
      KafkaClients.poll(member, 1);

      KafkaClients.get(
          admin
              .removeMembersFromConsumerGroup(
                  "removed", new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove("one"))))
              .all());

      assertTrue(KafkaClients.get(admin.describeConsumerGroups(List.of("removed")).all()).get("removed").members().isEmpty());
    }
  }

  @Test
  void administratorFencesProducers() throws Exception {
    try (KafkaProducer<String, String> producer =
        KafkaClients.producer(broker.address(), Map.of("transactional.id", "fenced", "retry.backoff.ms", 10))) {
      producer.initTransactions();
      producer.beginTransaction();
      KafkaClients.get(producer.send(new ProducerRecord<>("read", 0, "k", "never")));

      KafkaClients.get(admin.fenceProducers(List.of("fenced")).all());

      assertThrows(ProducerFencedException.class, producer::commitTransaction);
    }
  }
}
