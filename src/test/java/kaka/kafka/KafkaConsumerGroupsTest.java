package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import kaka.TestSeed;
import kaka.broker.TestBroker;
import kaka.log.CrashingDisk;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.InvalidRegularExpression;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.errors.UnsupportedAssignorException;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Consumer groups of the newer protocol (KIP-848) by Kafka's own consumer and administration client. */
class KafkaConsumerGroupsTest {
  private static final String SETTINGS =
      """
      kaka.topics.default-partitions = 4
      kaka.groups.initial-rebalance-delay = 0
      kaka.groups.consumer-session-timeout = 2 minutes
      kaka.groups.consumer-heartbeat-interval = 100 ms
      """;

  private TestBroker broker;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start(SETTINGS);
  }

  /** For tests that wait for the end of a session; in the others nobody's ends, however slow the machine. */
  private void startWithShortSessions() throws Exception {
    broker.close();
    broker = TestBroker.start(SETTINGS + "kaka.groups.consumer-session-timeout = 8 s\n");
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private KafkaConsumer<String, String> member(TestBroker at, String group, Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>();
    config.put("group.id", group);
    config.put("group.protocol", "consumer");
    config.put("auto.offset.reset", "earliest");
    config.put("enable.auto.commit", false);
    config.put("metadata.max.age.ms", 500);
    config.put("allow.auto.create.topics", false); // else one that is deleted is made anew by whoever still reads it
    config.putAll(more);
    return KafkaClients.consumer(at.address(), config);
  }

  private KafkaConsumer<String, String> member(String group, Map<String, Object> more) {
    return member(broker, group, more);
  }

  private KafkaConsumer<String, String> member(String group) {
    return member(group, Map.of());
  }

  private KafkaConsumer<String, String> classicMember(String group) {
    return member(group, Map.of("group.protocol", "classic"));
  }

  private static void produce(TestBroker at, String topic, int from, int to) {
    try (KafkaProducer<String, String> producer = KafkaClients.producer(at.address(), Map.of())) {
      for (int i = from; i < to; i++) {
        producer.send(new ProducerRecord<>(topic, i % 4, "k" + i, "v" + i));
      }
    }
  }

  private void produce(String topic, int from, int to) {
    produce(broker, topic, from, to);
  }

  /** Polls them all, in turns, until it is so. @return what they read */
  @SafeVarargs
  private static List<String> pollUntil(BooleanSupplier done, KafkaConsumer<String, String>... members) {
    List<String> values = new ArrayList<>();
    long giveUp = System.nanoTime() + Duration.ofMillis(KafkaClients.PATIENCE_MS).toNanos();
    while (!done.getAsBoolean()) {
      assertTrue(System.nanoTime() - giveUp < 0, "not so after " + KafkaClients.PATIENCE_MS + " ms, read " + values);
      for (KafkaConsumer<String, String> member : members) {
        member.poll(Duration.ofMillis(20)).forEach(each -> values.add(each.value()));
      }
    }
    return values;
  }

  /** Polls them all until they are at the end of what they have. @return what they read, sorted */
  @SafeVarargs
  private static List<String> readToTheEnd(KafkaConsumer<String, String>... members) {
    return sorted(pollUntil(() -> Arrays.stream(members).allMatch(KafkaConsumerGroupsTest::isAtTheEnd), members));
  }

  /** Not while it has no connection: the client tells of that here. */
  private static boolean isAtTheEnd(KafkaConsumer<String, String> member) {
    try {
      Map<TopicPartition, Long> ends = member.endOffsets(member.assignment());
      return ends.entrySet().stream().allMatch(end -> member.position(end.getKey()) == end.getValue());
    } catch (RetriableException e) {
      return false;
    }
  }

  /** What commits while its broker is killed may be told so, and try again. */
  private static void commit(KafkaConsumer<String, String> member) {
    TestBroker.awaitTrue(
        "it has committed",
        () -> {
          try {
            member.commitSync();
            return true;
          } catch (RetriableException e) {
            return false;
          }
        });
  }

  private static List<String> sorted(Collection<String> values) {
    return values.stream().sorted().toList();
  }

  private static List<String> numbered(int from, int to) {
    return sorted(IntStream.range(from, to).mapToObj(i -> "v" + i).toList());
  }

  private static List<String> values(List<ConsumerRecord<String, String>> records) {
    return sorted(records.stream().map(ConsumerRecord::value).toList());
  }

  @SafeVarargs
  private static BooleanSupplier have(int count, KafkaConsumer<String, String>... members) {
    return () -> Arrays.stream(members).allMatch(member -> member.assignment().size() == count);
  }

  private static Set<Integer> numbers(KafkaConsumer<String, String> member, String topic) {
    return member.assignment().stream()
        .filter(each -> each.topic().equals(topic))
        .map(TopicPartition::partition)
        .collect(Collectors.toSet());
  }

  // ---------------------------------------------------------------- members come and go

  /** While nobody comes or goes, two members get each record once; when one leaves, the other goes on where that one committed. */
  @Test
  void membersShareThePartitionsAndTakeOver() {
    produce("shared", 0, 4);
    try (KafkaConsumer<String, String> first = member("sharers")) {
      first.subscribe(List.of("shared"));
      assertEquals(numbered(0, 4), values(KafkaClients.poll(first, 4)));
      first.commitSync();
      try (KafkaConsumer<String, String> second = member("sharers")) {
        second.subscribe(List.of("shared"));
        assertEquals(List.of(), pollUntil(have(2, first, second), first, second));
        Set<TopicPartition> all = new HashSet<>(first.assignment());
        all.addAll(second.assignment());
        assertEquals(4, all.size());

        produce("shared", 4, 404);

        assertEquals(numbered(4, 404), readToTheEnd(first, second));
        first.commitSync();
        second.commitSync();
      }
      assertEquals(List.of(), pollUntil(have(4, first), first));
      produce("shared", 404, 408);
      assertEquals(numbered(404, 408), values(KafkaClients.poll(first, 4)));
    }
  }

  /** Without a word: it is missed when its session is over, and what it had not committed is read again. */
  @Test
  void anotherMemberTakesOverFromOneThatHasDied() throws Exception {
    startWithShortSessions();
    produce("inherited", 0, 40);
    try (KafkaConsumer<String, String> heir = member("heirs")) {
      KafkaConsumer<String, String> dying = member("heirs");
      dying.subscribe(List.of("inherited"));
      assertEquals(numbered(0, 40), values(KafkaClients.poll(dying, 40)));
      dying.commitSync();
      produce("inherited", 40, 44);
      assertEquals(numbered(40, 44), values(KafkaClients.poll(dying, 4)));
      dying.close(CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP));

      heir.subscribe(List.of("inherited"));

      assertEquals(numbered(40, 44), values(KafkaClients.poll(heir, 4)));
    }
  }

  /** The broker is killed: with the next start members go on with what they have, in the epoch that they are in. */
  @Test
  void membersGoOnWhenTheBrokerIsKilled() throws Exception {
    CrashingDisk power = new CrashingDisk();
    power.createDirectory(Path.of("/data"));
    power.syncDirectory(Path.of("/"));
    String hocon = SETTINGS + "kaka.log.dir = \"/data\"\nkaka.log.min-free-bytes = 0\n";
    AtomicInteger lost = new AtomicInteger();
    ConsumerRebalanceListener listener =
        new ConsumerRebalanceListener() {
          @Override
          public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

          @Override
          public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

          @Override
          public void onPartitionsLost(Collection<TopicPartition> partitions) {
            lost.incrementAndGet();
          }
        };
    TestBroker killed = TestBroker.start(hocon, power);
    TestBroker next = null;
    try (KafkaConsumer<String, String> first = member(killed, "survivors", Map.of("reconnect.backoff.max.ms", 100));
        KafkaConsumer<String, String> second = member(killed, "survivors", Map.of("reconnect.backoff.max.ms", 100))) {
      produce(killed, "survived", 0, 40);
      first.subscribe(List.of("survived"), listener);
      second.subscribe(List.of("survived"), listener);
      pollUntil(have(2, first, second), first, second);
      readToTheEnd(first, second);
      commit(first);
      commit(second);
      Set<TopicPartition> before = Set.copyOf(first.assignment());
      int epoch = first.groupMetadata().generationId();

      CrashingDisk found = power.afterPowerCut(CrashingDisk.Unsynced.NOTHING, new Random(TestSeed.get()));
      killed.close();
      next = TestBroker.start(hocon + "kaka.listen.port = " + killed.address().getPort(), found);
      produce(next, "survived", 40, 80);

      assertEquals(numbered(40, 80), readToTheEnd(first, second));
      commit(first);
      commit(second);
      assertEquals(before, first.assignment());
      assertEquals(epoch, first.groupMetadata().generationId());
      assertEquals(0, lost.get());
    } finally {
      if (next != null) {
        next.close();
      }
    }
  }

  // ---------------------------------------------------------------- what members want

  @Test
  void patternFindsTopicsThatAreMadeLater() throws Exception {
    produce("pattern-a", 0, 4);
    produce("other", 100, 104);
    try (KafkaConsumer<String, String> member = member("patterns");
        Admin admin = KafkaClients.admin(broker.address())) {
      member.subscribe(new SubscriptionPattern("pattern-.*"));
      assertEquals(numbered(0, 4), values(KafkaClients.poll(member, 4)));

      produce("pattern-b", 4, 8);
      assertEquals(numbered(4, 8), values(KafkaClients.poll(member, 4)));

      KafkaClients.get(admin.deleteTopics(List.of("pattern-a")).all());
      pollUntil(have(4, member), member);
    }
  }

  /** Matched by RE2, where no pattern takes more than its size times the text's: a backtracking matcher would not end with this one. */
  @Test
  void patternThatIsNoneOrTooLargeIsRefused() {
    produce("a".repeat(60), 0, 4);
    for (String pattern : List.of("(", "a{100}".repeat(20), "a".repeat(1001))) {
      try (KafkaConsumer<String, String> member = member("refused")) {
        member.subscribe(new SubscriptionPattern(pattern));
        assertThrows(InvalidRegularExpression.class, () -> pollUntil(() -> false, member), pattern);
      }
    }
    try (KafkaConsumer<String, String> member = member("slow")) {
      member.subscribe(new SubscriptionPattern("(a*)*b|(a|aa)+"));
      assertEquals(numbered(0, 4), values(KafkaClients.poll(member, 4)));
    }
  }

  @Test
  void partitionsThatAreAddedAreShared() throws Exception {
    produce("grown", 0, 4);
    try (KafkaConsumer<String, String> first = member("growers");
        KafkaConsumer<String, String> second = member("growers");
        Admin admin = KafkaClients.admin(broker.address())) {
      first.subscribe(List.of("grown"));
      second.subscribe(List.of("grown"));
      pollUntil(have(2, first, second), first, second);

      KafkaClients.get(admin.createPartitions(Map.of("grown", NewPartitions.increaseTo(6))).all());

      pollUntil(have(3, first, second), first, second);
    }
  }

  @Test
  void rangeGivesTheSamePartitionsOfEachTopic() throws Exception {
    Map<String, Object> range = Map.of("group.remote.assignor", "range");
    try (KafkaConsumer<String, String> first = member("rangers", range);
        KafkaConsumer<String, String> second = member("rangers", range);
        Admin admin = KafkaClients.admin(broker.address())) {
      KafkaClients.get(admin.createTopics(List.of(new NewTopic("left", 3, (short) 1), new NewTopic("right", 3, (short) 1))).all());
      first.subscribe(List.of("left", "right"));
      second.subscribe(List.of("left", "right"));
      pollUntil(() -> first.assignment().size() + second.assignment().size() == 6 && !first.assignment().isEmpty() && !second.assignment().isEmpty(), first, second);

      assertEquals(numbers(first, "left"), numbers(first, "right"));
      assertEquals(numbers(second, "left"), numbers(second, "right"));
    }
    try (KafkaConsumer<String, String> member = member("rangers", Map.of("group.remote.assignor", "best"))) {
      member.subscribe(List.of("left"));
      assertThrows(UnsupportedAssignorException.class, () -> pollUntil(() -> false, member));
    }
  }

  // ---------------------------------------------------------------- static members

  /** It has its partitions again, without a new epoch for anybody; and two cannot have one name. */
  @Test
  void staticMemberKeepsItsPartitionsWhileItIsAway() throws Exception {
    startWithShortSessions();
    produce("static", 0, 4);
    Map<String, Object> one = Map.of("group.instance.id", "one");
    try (KafkaConsumer<String, String> other = member("statics")) {
      other.subscribe(List.of("static"));
      Set<TopicPartition> before;
      try (KafkaConsumer<String, String> member = member("statics", one)) {
        member.subscribe(List.of("static"));
        pollUntil(have(2, member, other), member, other);
        before = Set.copyOf(member.assignment());
        try (KafkaConsumer<String, String> second = member("statics", one)) {
          second.subscribe(List.of("static"));
          assertThrows(UnreleasedInstanceIdException.class, () -> pollUntil(() -> false, second));
        }
      }
      int epoch = other.groupMetadata().generationId();
      try (KafkaConsumer<String, String> member = member("statics", one)) {
        member.subscribe(List.of("static"));
        pollUntil(have(2, member), member, other);

        assertEquals(before, member.assignment());
        assertEquals(epoch, member.groupMetadata().generationId());
      }
      pollUntil(have(4, other), other); // when its session is over
    }
  }

  // ---------------------------------------------------------------- both protocols

  /** Offsets are the group's, whatever protocol its members speak; but members of both it has not at once. */
  @Test
  void groupIsOfOneProtocolAtATime() {
    produce("both", 0, 8);
    try (KafkaConsumer<String, String> member = member("both", Map.of("max.poll.records", 8));
        KafkaConsumer<String, String> classic = classicMember("both")) {
      member.subscribe(List.of("both"));
      assertEquals(numbered(0, 8), values(KafkaClients.poll(member, 8)));
      member.commitSync();
      classic.subscribe(List.of("both"));
      assertThrows(InconsistentGroupProtocolException.class, () -> pollUntil(() -> false, classic));
    }
    produce("both", 8, 12);
    try (KafkaConsumer<String, String> classic = classicMember("both");
        KafkaConsumer<String, String> member = member("both")) {
      classic.subscribe(List.of("both"));
      assertEquals(numbered(8, 12), values(KafkaClients.poll(classic, 4)));
      classic.commitSync();
      member.subscribe(List.of("both"));
      assertThrows(GroupIdNotFoundException.class, () -> pollUntil(() -> false, member));
    }
    produce("both", 12, 16);
    try (KafkaConsumer<String, String> member = member("both")) {
      member.subscribe(List.of("both"));
      assertEquals(numbered(12, 16), values(KafkaClients.poll(member, 4)));
    }
  }

  // ---------------------------------------------------------------- administration

  @Test
  void adminSeesAndDeletesTheGroup() throws Exception {
    produce("seen", 0, 4);
    try (Admin admin = KafkaClients.admin(broker.address())) {
      try (KafkaConsumer<String, String> member = member("seen", Map.of("client.id", "reader", "group.instance.id", "one"))) {
        member.subscribe(List.of("seen"));
        KafkaClients.poll(member, 4);
        member.commitSync();

        ConsumerGroupDescription group = KafkaClients.get(admin.describeConsumerGroups(List.of("seen")).describedGroups().get("seen"));
        assertEquals(GroupType.CONSUMER, group.type());
        assertEquals(GroupState.STABLE, group.groupState());
        assertEquals("uniform", group.partitionAssignor());
        assertEquals(member.groupMetadata().generationId(), group.groupEpoch().orElseThrow());
        MemberDescription described = group.members().iterator().next();
        assertEquals(member.groupMetadata().memberId(), described.consumerId());
        assertEquals("reader", described.clientId());
        assertEquals("one", described.groupInstanceId().orElseThrow());
        assertEquals(member.assignment(), described.assignment().topicPartitions());
        assertEquals(member.assignment(), described.targetAssignment().orElseThrow().topicPartitions());
        assertInstanceOf(GroupNotEmptyException.class, KafkaClients.failure(admin.deleteConsumerGroups(List.of("seen")).all()));
      }
      try (KafkaConsumer<String, String> classic = classicMember("seen-classic")) {
        classic.subscribe(List.of("seen"));
        KafkaClients.poll(classic, 4);
        classic.commitSync();
      }
      assertEquals(Map.of("seen", GroupType.CONSUMER, "seen-classic", GroupType.CLASSIC), types(admin, Set.of()));
      assertEquals(Map.of("seen", GroupType.CONSUMER), types(admin, Set.of(GroupType.CONSUMER)));
      assertEquals(Map.of("seen-classic", GroupType.CLASSIC), types(admin, Set.of(GroupType.CLASSIC)));
      ConsumerGroupDescription other =
          KafkaClients.get(admin.describeConsumerGroups(List.of("seen-classic")).describedGroups().get("seen-classic"));
      assertEquals(GroupType.CLASSIC, other.type());
      assertFalse(KafkaClients.get(admin.listConsumerGroupOffsets("seen").partitionsToOffsetAndMetadata()).isEmpty());
      try (KafkaConsumer<String, String> member = member("seen", Map.of("group.instance.id", "one"))) { // else its session is waited for
        member.subscribe(List.of("seen"));
        pollUntil(have(4, member), member);
        member.close(CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
      }

      KafkaClients.get(admin.deleteConsumerGroups(List.of("seen", "seen-classic")).all());

      assertEquals(Map.of(), types(admin, Set.of()));
      assertInstanceOf(
          GroupIdNotFoundException.class, KafkaClients.failure(admin.describeConsumerGroups(List.of("seen")).all()));
    }
    broker.awaitBudgetEmpty();
  }

  private static Map<String, GroupType> types(Admin admin, Set<GroupType> only) throws Exception {
    Map<String, GroupType> types = new HashMap<>();
    for (GroupListing group : KafkaClients.get(admin.listGroups(new ListGroupsOptions().withTypes(only)).all())) {
      types.put(group.groupId(), group.type().orElseThrow());
    }
    return types;
  }

  // ---------------------------------------------------------------- what no client of Kafka's sends

  private static ConsumerGroupHeartbeatRequestData joining() {
    return new ConsumerGroupHeartbeatRequestData()
        .setGroupId("raw")
        .setMemberId("m")
        .setRebalanceTimeoutMs(1000)
        .setSubscribedTopicNames(List.of("raw"))
        .setTopicPartitions(List.of());
  }

  private static Errors beat(KafkaSocket socket, int version, ConsumerGroupHeartbeatRequestData request) throws Exception {
    return Errors.forCode(socket.ask(ConsumerGroupHeartbeatResponseData.class, version, request).errorCode());
  }

  @Test
  void heartbeatThatIsNoneIsRefused() throws Exception {
    try (KafkaSocket socket = new KafkaSocket(broker.address())) {
      List<ConsumerGroupHeartbeatRequestData> bad =
          List.of(
              joining().setGroupId(""),
              joining().setMemberId(""),
              joining().setInstanceId(""),
              joining().setRackId(""),
              joining().setMemberEpoch(-3),
              joining().setMemberEpoch(-2),
              joining().setRebalanceTimeoutMs(-1),
              joining().setTopicPartitions(null),
              joining().setTopicPartitions(List.of(new TopicPartitions().setPartitions(List.of(0)))),
              joining().setSubscribedTopicNames(null),
              joining().setMemberEpoch(1).setTopicPartitions(List.of(new TopicPartitions().setPartitions(List.of(-1)))));
      for (ConsumerGroupHeartbeatRequestData request : bad) {
        assertEquals(Errors.INVALID_REQUEST, beat(socket, 1, request), request.toString());
      }
      assertEquals(Errors.NONE, beat(socket, 0, joining().setMemberId("")), "version 0: the coordinator chooses");
      assertEquals(Errors.NONE, beat(socket, 1, joining()));
    }
  }

  @Test
  void offsetsAreForAMemberInItsEpoch() throws Exception {
    produce("raw", 0, 4);
    try (KafkaSocket socket = new KafkaSocket(broker.address())) {
      int epoch = socket.ask(ConsumerGroupHeartbeatResponseData.class, 1, joining()).memberEpoch();

      assertEquals(Errors.NONE, fetchOffsets(socket, "m", epoch));
      assertEquals(Errors.NONE, fetchOffsets(socket, null, -1), "from outside");
      assertEquals(Errors.STALE_MEMBER_EPOCH, fetchOffsets(socket, "m", epoch + 1));
      assertEquals(Errors.UNKNOWN_MEMBER_ID, fetchOffsets(socket, "n", epoch));
    }
  }

  private static Errors fetchOffsets(KafkaSocket socket, String memberId, int epoch) throws Exception {
    OffsetFetchRequestData request = new OffsetFetchRequestData();
    request.groups().add(new OffsetFetchRequestGroup().setGroupId("raw").setMemberId(memberId).setMemberEpoch(epoch).setTopics(null));
    return Errors.forCode(socket.ask(OffsetFetchResponseData.class, 9, request).groups().get(0).errorCode());
  }
}
