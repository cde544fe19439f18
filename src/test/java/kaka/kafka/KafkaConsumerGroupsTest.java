package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import kaka.broker.TestBroker;
import kaka.log.Disk;
import kaka.log.MemoryDisk;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Consumer groups of the newer protocol (KIP-848) by Kafka's own consumer and administration client. */
class KafkaConsumerGroupsTest {
  private static final String SETTINGS =
      """
      kaka.topics.default-partitions = 4
      kaka.groups.initial-rebalance-delay = 0
      kaka.groups.consumer-session-timeout = 3 s
      kaka.groups.consumer-heartbeat-interval = 100 ms
      """;

  private TestBroker broker;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start(SETTINGS);
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private KafkaConsumer<String, String> member(String group, Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>();
    config.put("group.id", group);
    config.put("group.protocol", "consumer");
    config.put("auto.offset.reset", "earliest");
    config.put("enable.auto.commit", false);
    config.putAll(more);
    return KafkaClients.consumer(broker.address(), config);
  }

  private KafkaConsumer<String, String> member(String group) {
    return member(group, Map.of());
  }

  private void produce(String topic, int from, int to) {
    try (KafkaProducer<String, String> producer = KafkaClients.producer(broker.address(), Map.of())) {
      for (int i = from; i < to; i++) {
        producer.send(new ProducerRecord<>(topic, i % 4, "k" + i, "v" + i));
      }
    }
  }

  /** Polls them all, in turns, until it is so. @return what they read */
  @SafeVarargs
  private static List<ConsumerRecord<String, String>> pollUntil(BooleanSupplier done, KafkaConsumer<String, String>... members) {
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    long giveUp = System.nanoTime() + Duration.ofMillis(KafkaClients.PATIENCE_MS).toNanos();
    while (!done.getAsBoolean()) {
      assertTrue(System.nanoTime() - giveUp < 0, "not so after " + KafkaClients.PATIENCE_MS + " ms");
      for (KafkaConsumer<String, String> member : members) {
        member.poll(Duration.ofMillis(20)).forEach(records::add);
      }
    }
    return records;
  }

  @Test
  void memberReadsAndAnotherGoesOnWhereItCommitted() {
    produce("resumed", 0, 40);
    try (KafkaConsumer<String, String> member = member("resumers")) {
      member.subscribe(List.of("resumed"));
      assertEquals(40, KafkaClients.poll(member, 40).size());
      member.commitSync();
    }
    produce("resumed", 40, 44);

    try (KafkaConsumer<String, String> member = member("resumers")) {
      member.subscribe(List.of("resumed"));
      assertEquals(4, KafkaClients.poll(member, 4).size());
      TopicPartition partition = new TopicPartition("resumed", 1);
      assertEquals(10, member.committed(Set.of(partition)).get(partition).offset());
    }
  }
}
