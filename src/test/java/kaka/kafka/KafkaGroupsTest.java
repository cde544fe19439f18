package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import kaka.broker.TestBroker;
import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Consumer groups by Kafka's own consumer and administration client. */
class KafkaGroupsTest {
  private TestBroker broker;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.topics.default-partitions = 4\nkaka.groups.initial-rebalance-delay = 0");
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private KafkaConsumer<String, String> member(String group, Map<String, Object> more) {
    Map<String, Object> config = new java.util.HashMap<>(more);
    config.put("group.id", group);
    config.put("auto.offset.reset", "earliest");
    config.put("enable.auto.commit", false);
    config.put("heartbeat.interval.ms", 100);
    return KafkaClients.consumer(broker.address(), config);
  }

  private void produce(String topic, int count) {
    try (KafkaProducer<String, String> producer = KafkaClients.producer(broker.address(), Map.of())) {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>(topic, i % 4, "k" + i, "v" + i));
      }
    }
  }

  /** Polls them all, in turns, until it is so. */
  @SafeVarargs
  private static void pollUntil(BooleanSupplier done, KafkaConsumer<String, String>... members) {
    long giveUp = System.nanoTime() + Duration.ofMillis(KafkaClients.PATIENCE_MS).toNanos();
    while (!done.getAsBoolean()) {
      assertTrue(System.nanoTime() - giveUp < 0, "not so after " + KafkaClients.PATIENCE_MS + " ms");
      for (KafkaConsumer<String, String> member : members) {
        member.poll(Duration.ofMillis(20));
      }
    }
  }

  @Test
  void membersShareThePartitionsAndTakeOver() {
    produce("shared", 4);
    try (KafkaConsumer<String, String> first = member("sharers", Map.of())) {
      first.subscribe(List.of("shared"));
      try (KafkaConsumer<String, String> second = member("sharers", Map.of())) {
        second.subscribe(Pattern.compile("sha.*"));
        pollUntil(() -> first.assignment().size() == 2 && second.assignment().size() == 2, first, second);

        Set<TopicPartition> all = new HashSet<>(first.assignment());
        all.addAll(second.assignment());
        assertEquals(4, all.size());
      }
      pollUntil(() -> first.assignment().size() == 4, first);
    }
  }

  @Test
  void anotherMemberGoesOnWhereTheLastOneCommitted() {
    produce("resumed", 40);
    try (KafkaConsumer<String, String> member = member("resumers", Map.of())) {
      member.subscribe(List.of("resumed"));
      KafkaClients.poll(member, 40);
      member.commitSync();
    }
    produce("resumed", 4);

    try (KafkaConsumer<String, String> member = member("resumers", Map.of())) {
      member.subscribe(List.of("resumed"));
      assertEquals(4, KafkaClients.poll(member, 4).size());
      TopicPartition partition = new TopicPartition("resumed", 1);
      assertEquals(10, member.committed(Set.of(partition)).get(partition).offset());
    }
  }

  /** A static member that comes back within its session has its partitions again, without a rebalance. */
  @Test
  void staticMemberKeepsItsPartitions() throws Exception {
    produce("static", 4);
    try (KafkaConsumer<String, String> other = member("statics", Map.of())) {
      other.subscribe(List.of("static"));
      pollUntil(() -> other.assignment().size() == 4, other); // so that the static member joins but once
      Set<TopicPartition> before;
      try (KafkaConsumer<String, String> member = member("statics", Map.of("group.instance.id", "one"))) {
        member.subscribe(List.of("static"));
        pollUntil(() -> member.assignment().size() == 2 && other.assignment().size() == 2, member, other);
        before = Set.copyOf(member.assignment());
      }
      int generation = other.groupMetadata().generationId();
      try (KafkaConsumer<String, String> member = member("statics", Map.of("group.instance.id", "one"))) {
        member.subscribe(List.of("static"));
        pollUntil(() -> !member.assignment().isEmpty(), member, other);

        assertEquals(before, member.assignment());
        assertEquals(generation, member.groupMetadata().generationId());
      }
    }
  }

  /** The join's turn comes only when the fetch before it is answered, which it is because the client has ended its side. */
  @Test
  void joinOfAClientThatHasGoneWaitsForNobody() throws Exception {
    produce("gone", 4);
    try (KafkaSocket first = new KafkaSocket(broker.address());
        KafkaSocket second = new KafkaSocket(broker.address())) {
      JoinGroupRequestData join = (JoinGroupRequestData) KafkaRequests.full(ApiKeys.JOIN_GROUP, 2);
      join.setRebalanceTimeoutMs(300_000).setSessionTimeoutMs(300_000);
      assertEquals(0, first.ask(JoinGroupResponseData.class, 2, join).errorCode());

      second.send(ApiKeys.FETCH, 12, KafkaRequests.fetch("gone", 0, 1).setMaxWaitMs(300_000));
      second.send(ApiKeys.JOIN_GROUP, 2, join.duplicate());
      second.socket().shutdownOutput();

      second.socket().getInputStream().transferTo(java.io.OutputStream.nullOutputStream()); // not before the time-out of 20 s
    }
  }

  @Test
  void metadataOfAnOffsetComesBack() {
    produce("noted", 4);
    TopicPartition partition = new TopicPartition("noted", 2);
    try (KafkaConsumer<String, String> consumer = member("noters", Map.of())) {
      consumer.assign(List.of(partition));
      consumer.commitSync(Map.of(partition, new OffsetAndMetadata(1, java.util.Optional.of(0), "where I was, \u00e4")));

      OffsetAndMetadata committed = consumer.committed(Set.of(partition)).get(partition);
      assertEquals(new OffsetAndMetadata(1, java.util.Optional.of(0), "where I was, \u00e4"), committed);
      TopicPartition never = new TopicPartition("noted", 3);
      assertNull(consumer.committed(Set.of(never)).get(never));
    }
  }

  @Test
  void administratorSeesGroupsAndTheirOffsets() throws Exception {
    produce("seen", 8);
    try (Admin admin = KafkaClients.admin(broker.address())) {
      try (KafkaConsumer<String, String> member = member("seers", Map.of("client.id", "seer"))) {
        member.subscribe(List.of("seen"));
        KafkaClients.poll(member, 8);
        member.commitSync();

        ConsumerGroupDescription group = KafkaClients.get(admin.describeConsumerGroups(List.of("seers")).all()).get("seers");
        assertEquals(GroupState.STABLE, group.groupState());
        assertEquals("range", group.partitionAssignor());
        assertEquals(1, group.members().size());
        assertEquals("seer", group.members().iterator().next().clientId());
        assertTrue(group.members().iterator().next().host().startsWith("/127.0.0.1"), group.toString());
        assertEquals(4, group.members().iterator().next().assignment().topicPartitions().size());
        assertInstanceOf(
            GroupNotEmptyException.class, KafkaClients.failure(admin.deleteConsumerGroups(List.of("seers")).deletedGroups().get("seers")));
        assertInstanceOf(
            GroupSubscribedToTopicException.class,
            KafkaClients.failure(
                admin.deleteConsumerGroupOffsets("seers", Set.of(new TopicPartition("seen", 0))).partitionResult(new TopicPartition("seen", 0))));
      }

      Set<String> listed = KafkaClients.get(admin.listGroups().all()).stream().map(GroupListing::groupId).collect(Collectors.toSet());
      assertEquals(Set.of("seers"), listed);
      Map<TopicPartition, OffsetAndMetadata> offsets =
          KafkaClients.get(admin.listConsumerGroupOffsets(Map.of("seers", new ListConsumerGroupOffsetsSpec())).all()).get("seers");
      assertEquals(4, offsets.size());
      offsets.values().forEach(offset -> assertEquals(2, offset.offset()));

      TopicPartition zero = new TopicPartition("seen", 0);
      KafkaClients.get(admin.alterConsumerGroupOffsets("seers", Map.of(zero, new OffsetAndMetadata(1))).all());
      assertEquals(1, KafkaClients.get(admin.listConsumerGroupOffsets("seers").partitionsToOffsetAndMetadata()).get(zero).offset());
      KafkaClients.get(admin.deleteConsumerGroupOffsets("seers", Set.of(zero)).all());
      assertEquals(3, KafkaClients.get(admin.listConsumerGroupOffsets("seers").partitionsToOffsetAndMetadata()).size());

      KafkaClients.get(admin.deleteConsumerGroups(List.of("seers")).all());
      assertInstanceOf(
          GroupIdNotFoundException.class,
          KafkaClients.failure(admin.describeConsumerGroups(List.of("seers")).describedGroups().get("seers")));
    }
  }

  /** Each partition of a commit has its own outcome; every version that names topics is read by every other. */
  @Test
  void commitsAndFetchesOfOffsetsAgreeAtEveryVersion() throws Exception {
    produce("versions", 4);
    try (KafkaSocket socket = new KafkaSocket(broker.address())) {
      for (int version = 2; version <= 9; version++) {
        OffsetCommitResponseData response = socket.ask(OffsetCommitResponseData.class, version, commit(version));
        List<Short> errors = new ArrayList<>();
        response.topics().forEach(topic -> topic.partitions().forEach(partition -> errors.add(partition.errorCode())));
        short unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION.code();
        assertEquals(List.of((short) 0, Errors.OFFSET_OUT_OF_RANGE.code(), unknown, unknown), errors, "version " + version);

        for (int fetch = 1; fetch <= 7; fetch++) {
          OffsetFetchRequestData asked = new OffsetFetchRequestData().setGroupId("old");
          asked.topics().add(new OffsetFetchRequestTopic().setName("versions").setPartitionIndexes(List.of(0)));
          OffsetFetchResponseData found = socket.ask(OffsetFetchResponseData.class, fetch, asked);
          assertEquals(version, found.topics().get(0).partitions().get(0).committedOffset(), "version " + fetch);
        }
      }
    }
  }

  /** Kafka takes -1 and -2 for offsets, which kafkajs commits to say "latest" and "earliest", and gives them back; to others they are none. */
  @Test
  void latestAndEarliestAreCommittedAsTheNumbersThatStandForThem() throws Exception {
    produce("ends", 4);
    try (KafkaSocket socket = new KafkaSocket(broker.address());
        KafkaConsumer<String, String> consumer = member("enders", Map.of());
        KakaClient client = KakaClient.connect(ClientConfig.of(KafkaClients.at(broker.address())))) {
      List<Long> offsets = List.of(-1L, -2L, 1L);
      OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName("ends");
      for (int i = 0; i < offsets.size(); i++) {
        topic.partitions().add(new OffsetCommitRequestPartition().setPartitionIndex(i).setCommittedOffset(offsets.get(i)));
      }
      OffsetCommitRequestData commit = new OffsetCommitRequestData().setGroupId("enders");
      commit.topics().add(topic);
      socket.ask(OffsetCommitResponseData.class, 5, commit).topics().get(0).partitions().forEach(each -> assertEquals(0, each.errorCode()));

      OffsetFetchRequestData asked = new OffsetFetchRequestData().setGroupId("enders");
      asked.topics().add(new OffsetFetchRequestTopic().setName("ends").setPartitionIndexes(List.of(0, 1, 2)));
      OffsetFetchResponseData found = socket.ask(OffsetFetchResponseData.class, 4, asked);
      assertEquals(offsets, found.topics().get(0).partitions().stream().map(each -> each.committedOffset()).toList());

      TopicPartition earliest = new TopicPartition("ends", 1);
      assertNull(consumer.committed(Set.of(earliest)).get(earliest));
      assertEquals(
          Map.of(new kaka.record.TopicPartition("ends", 2), 1L), client.groups().offsets("enders").get(120, TimeUnit.SECONDS));
    }
  }

  private static OffsetCommitRequestData commit(int offset) {
    OffsetCommitRequestData request = new OffsetCommitRequestData().setGroupId("old");
    request
        .topics()
        .add(
            new OffsetCommitRequestTopic()
                .setName("versions")
                .setPartitions(
                    List.of(
                        new OffsetCommitRequestPartition().setPartitionIndex(0).setCommittedOffset(offset),
                        new OffsetCommitRequestPartition().setPartitionIndex(1).setCommittedOffset(-5),
                        new OffsetCommitRequestPartition().setPartitionIndex(9).setCommittedOffset(1))));
    request
        .topics()
        .add(
            new OffsetCommitRequestTopic()
                .setName("no-such")
                .setPartitions(List.of(new OffsetCommitRequestPartition().setPartitionIndex(0).setCommittedOffset(1))));
    return request;
  }
}
