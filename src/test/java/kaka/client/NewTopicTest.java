package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import kaka.broker.TestBroker;
import kaka.protocol.ErrorCode;
import kaka.record.Partitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first records of a topic that does not exist yet, whose partition the producer has to choose. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class NewTopicTest {
  private static final int PARTITIONS = 4;

  private static KakaClient connect(TestBroker broker) {
    return KakaClient.connect(ClientConfig.of("127.0.0.1", broker.address().getPort()));
  }

  private static ProducerRecord keyed(int number) {
    byte[] key = ("key " + number).getBytes(UTF_8);
    return ProducerRecord.of("fresh", key, key);
  }

  /** Also the very first: a key that once went elsewhere would be in two partitions, in no order. */
  @Test
  void keysGoToTheirPartitionFromTheFirstRecordOn() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.default-partitions = " + PARTITIONS);
        KakaClient client = connect(broker);
        Producer producer = client.producer(ProducerConfig.defaults())) {
      List<CompletableFuture<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        sent.add(producer.send(keyed(i % 20)));
      }

      for (int i = 0; i < 40; i++) {
        int partition = KakaException.await(sent.get(i)).topicPartition().partition();
        assertEquals(Partitioner.partitionOf(keyed(i % 20).key(), PARTITIONS), partition, "record " + i);
      }
      assertEquals(PARTITIONS, KakaException.await(client.admin().listTopics()).get(0).partitions());
    }
  }

  @Test
  void brokerThatCreatesNoTopicsSaysSoAndIsAskedAgain() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.auto-create = false");
        KakaClient client = connect(broker);
        Producer producer = client.producer(ProducerConfig.defaults())) {
      KakaException failure = assertThrows(KakaException.class, () -> KakaException.await(producer.send(keyed(0))));

      assertTrue(failure.is(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
      assertEquals("UNKNOWN_TOPIC_OR_PARTITION: no topic 'fresh'", failure.getMessage());
      assertEquals(0, producer.sentRecords(), "it failed before it was taken");
      assertEquals(List.of(), KakaException.await(client.admin().listTopics()));

      KakaException.await(client.admin().createTopic("fresh", PARTITIONS, Map.of()));
      int partition = KakaException.await(producer.send(keyed(0))).topicPartition().partition();
      assertEquals(Partitioner.partitionOf(keyed(0).key(), PARTITIONS), partition);
    }
  }

  /** It is not waited for, so the failure has to be there when it is tried again; else the two would go round for ever. */
  @Test
  void refusalReachesWhoDoesNotWaitToo() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.auto-create = false");
        KakaClient client = connect(broker);
        Producer producer = client.producer(ProducerConfig.defaults())) {
      assertEquals(Optional.empty(), producer.trySend(keyed(0)));
      producer.whenRoom().handle((done, failure) -> done).join();

      CompletableFuture<RecordMetadata> refused = producer.trySend(keyed(0)).orElseThrow();

      KakaException failure = assertThrows(KakaException.class, () -> KakaException.await(refused));
      assertTrue(failure.is(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
      Optional<CompletableFuture<RecordMetadata>> again = producer.trySend(keyed(0)); // asked again: none, or answered already
      again.ifPresent(answered -> assertThrows(KakaException.class, () -> KakaException.await(answered)));
    }
  }

  @Test
  void impossibleNameIsRefusedInTheBrokersWords() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        KakaClient client = connect(broker);
        Producer producer = client.producer(ProducerConfig.defaults())) {
      ProducerRecord record = ProducerRecord.of("no/name", new byte[1]);

      KakaException failure = assertThrows(KakaException.class, () -> KakaException.await(producer.send(record)));

      assertTrue(failure.is(ErrorCode.INVALID_TOPIC), failure.getMessage());
    }
  }
}
