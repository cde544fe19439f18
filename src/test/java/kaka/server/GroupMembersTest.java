package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import kaka.broker.TestBroker;
import kaka.protocol.Commit;
import kaka.protocol.CommittedOffset;
import kaka.protocol.CreateTopic;
import kaka.protocol.CreateTopicReply;
import kaka.protocol.DeleteGroup;
import kaka.protocol.DeleteGroupReply;
import kaka.protocol.DescribeGroup;
import kaka.protocol.DescribeGroupReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.GroupCommit;
import kaka.protocol.GroupCommitReply;
import kaka.protocol.GroupHeartbeat;
import kaka.protocol.GroupHeartbeatReply;
import kaka.protocol.GroupOffsets;
import kaka.protocol.GroupOffsetsReply;
import kaka.protocol.GroupPhase;
import kaka.protocol.JoinGroup;
import kaka.protocol.JoinGroupReply;
import kaka.protocol.LeaveGroup;
import kaka.protocol.LeaveGroupReply;
import kaka.protocol.ListGroups;
import kaka.protocol.ListGroupsReply;
import kaka.protocol.Offsets;
import kaka.protocol.Response;
import kaka.protocol.TopicPartitions;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Members of a group over real sockets, in the native protocol. */
class GroupMembersTest {
  private TestBroker broker;
  private RawConnection first;
  private RawConnection second;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.groups.initial-rebalance-delay = 0s");
    first = new RawConnection(broker.address());
    second = new RawConnection(broker.address());
    assertInstanceOf(CreateTopicReply.class, first.ask(new CreateTopic("orders", 4, Map.of())));
  }

  @AfterEach
  void stop() throws IOException {
    first.close();
    second.close();
    broker.close();
  }

  private static JoinGroup join(String memberId, int sessionMs) {
    return new JoinGroup("g", memberId, "", "client", sessionMs, 60_000, List.of("sticky", "range"), List.of("orders"));
  }

  private static JoinGroup join(String memberId) {
    return join(memberId, 30_000);
  }

  private static GroupHeartbeat heartbeat(JoinGroupReply joined) {
    return new GroupHeartbeat("g", joined.generation(), joined.memberId(), "");
  }

  private static GroupCommit commit(JoinGroupReply joined, long offset) {
    return new GroupCommit(
        "g", OptionalInt.of(joined.generation()), joined.memberId(), "", List.of(new GroupCommit.Entry(ORDERS, offset, "mine")));
  }

  private static List<Integer> partitions(JoinGroupReply joined) {
    return joined.assignment().stream().flatMap(topic -> topic.partitions().stream()).toList();
  }

  private static <T extends Response> T get(Class<T> type, Response response) {
    return assertInstanceOf(type, response);
  }

  @Test
  void twoSplitThePartitionsAndTheOneThatIsLeftTakesAll() throws Exception {
    JoinGroupReply alone = get(JoinGroupReply.class, first.ask(join("")));
    assertEquals(List.of(new TopicPartitions("orders", List.of(0, 1, 2, 3))), alone.assignment());
    assertEquals("sticky", alone.strategy());
    assertInstanceOf(GroupHeartbeatReply.class, first.ask(heartbeat(alone)));

    second.send(join(""));
    TestBroker.awaitTrue("told to join again", () -> !(beat(alone) instanceof GroupHeartbeatReply));
    assertError(ErrorCode.REBALANCE_IN_PROGRESS, beat(alone));
    assertEquals(List.of(0), get(GroupCommitReply.class, first.ask(commit(alone, 5))).errors(), "the last chance to");
    JoinGroupReply again = get(JoinGroupReply.class, first.ask(join(alone.memberId())));
    JoinGroupReply other = get(JoinGroupReply.class, second.receive());

    assertEquals(alone.generation() + 1, again.generation());
    assertEquals(again.generation(), other.generation());
    assertEquals(alone.memberId(), again.memberId());
    assertEquals(2, partitions(again).size());
    TreeSet<Integer> all = new TreeSet<>(partitions(again));
    all.addAll(partitions(other));
    assertEquals(new TreeSet<>(List.of(0, 1, 2, 3)), all);

    assertInstanceOf(LeaveGroupReply.class, second.ask(new LeaveGroup("g", other.memberId(), "")));
    assertError(ErrorCode.REBALANCE_IN_PROGRESS, beat(again));
    assertEquals(4, partitions(get(JoinGroupReply.class, first.ask(join(again.memberId())))).size());
  }

  private Response beat(JoinGroupReply joined) {
    try {
      return first.ask(heartbeat(joined));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Whoever waits is sent away then; and so is who was behind it, whose turn comes only after that. */
  @Test
  void joinsOfAClientThatHasClosedItsSideAreNotWaitedFor() throws Exception {
    assertInstanceOf(JoinGroupReply.class, first.ask(join(""))); // and does not join again
    second.send(Requesting.frames(join(""), join("")));
    second.socket().shutdownOutput();

    assertError(ErrorCode.REBALANCE_IN_PROGRESS, second.receive());
    assertError(ErrorCode.REBALANCE_IN_PROGRESS, second.receive());
    assertTrue(second.isClosedByPeer());
  }

  @Test
  void onlyMembersOfThisGenerationCommit() throws Exception {
    JoinGroupReply joined = get(JoinGroupReply.class, first.ask(join("")));
    assertEquals(List.of(0), get(GroupCommitReply.class, first.ask(commit(joined, 5))).errors());

    JoinGroupReply late = new JoinGroupReply(joined.memberId(), joined.generation() - 1, "", List.of());
    assertError(ErrorCode.ILLEGAL_GENERATION, first.ask(commit(late, 6)));
    JoinGroupReply stranger = new JoinGroupReply("stranger", joined.generation(), "", List.of());
    assertError(ErrorCode.UNKNOWN_MEMBER, first.ask(commit(stranger, 6)));
    assertError(ErrorCode.UNKNOWN_MEMBER, first.ask(new Commit("g", ORDERS, 6)));

    assertEquals(new CommittedOffset(OptionalLong.of(5)), first.ask(new Offsets("g", ORDERS)));
  }

  @Test
  void whatIsUnknownInACommitIsRefusedAloneAndMetadataComesBack() throws Exception {
    JoinGroupReply joined = get(JoinGroupReply.class, first.ask(join("")));
    GroupCommit.Entry known = new GroupCommit.Entry(ORDERS, 5, "täxt");
    GroupCommit.Entry unknown = new GroupCommit.Entry(new TopicPartition("none", 0), 5, "");
    GroupCommit.Entry talkative = new GroupCommit.Entry(new TopicPartition("orders", 1), 5, "x".repeat(5000));

    GroupCommitReply reply =
        get(
            GroupCommitReply.class,
            first.ask(
                new GroupCommit(
                    "g", OptionalInt.of(joined.generation()), joined.memberId(), "", List.of(unknown, known, talkative))));

    int none = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code();
    assertEquals(List.of(none, 0, ErrorCode.METADATA_TOO_LARGE.code()), reply.errors());
    GroupOffsetsReply offsets = get(GroupOffsetsReply.class, first.ask(new GroupOffsets("g")));
    assertEquals(1, offsets.offsets().size());
    assertEquals("täxt", offsets.offsets().get(0).metadata());
    assertEquals(5, offsets.offsets().get(0).offset());
  }

  /** Its connection is closed, and it says nothing: the one that waits gets everything when the session is over. */
  @Test
  void aMemberWhoseConnectionIsClosedLeavesAtItsSessionTimeout() throws Exception {
    JoinGroupReply brief = get(JoinGroupReply.class, first.ask(join("", 1000)));
    first.close();
    assertEquals(1, get(DescribeGroupReply.class, second.ask(new DescribeGroup("g"))).members().size(), "gone with its connection");

    JoinGroupReply heir = get(JoinGroupReply.class, second.ask(join("")));

    assertEquals(4, partitions(heir).size());
    assertTrue(heir.generation() > brief.generation());
    assertNotEquals(brief.memberId(), heir.memberId());
  }

  /** One that waits to be let in and goes away must not hold up the others for longer than its session. */
  @Test
  void aJoinWhoseConnectionIsClosedDoesNotKeepTheOthersWaiting() throws Exception {
    JoinGroupReply joined = get(JoinGroupReply.class, first.ask(join("")));
    second.send(join("", 1000));
    TestBroker.awaitTrue("told to join again", () -> !(beat(joined) instanceof GroupHeartbeatReply));
    second.close();

    TestBroker.awaitTrue("gone", () -> membersOf("g") == 1);

    assertEquals(4, partitions(get(JoinGroupReply.class, first.ask(join(joined.memberId())))).size());
  }

  private int membersOf(String group) {
    try {
      return ((DescribeGroupReply) first.ask(new DescribeGroup(group))).members().size();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void groupsAreListedDescribedAndDeletedWhenEmpty() throws Exception {
    JoinGroupReply joined = get(JoinGroupReply.class, first.ask(join("")));
    assertEquals(List.of(0), get(GroupCommitReply.class, first.ask(commit(joined, 5))).errors());
    assertEquals(
        new ListGroupsReply(List.of(new ListGroupsReply.Group("g", GroupPhase.STABLE, "consumer"))), first.ask(new ListGroups()));
    DescribeGroupReply described = get(DescribeGroupReply.class, first.ask(new DescribeGroup("g")));
    assertEquals(
        new DescribeGroupReply(
            GroupPhase.STABLE,
            joined.generation(),
            "consumer",
            "sticky",
            List.of(new DescribeGroupReply.Member(joined.memberId(), "", "client", "127.0.0.1", joined.assignment()))),
        described);
    assertError(ErrorCode.GROUP_NOT_EMPTY, first.ask(new DeleteGroup("g")));
    assertInstanceOf(LeaveGroupReply.class, first.ask(new LeaveGroup("g", joined.memberId(), "")));

    assertInstanceOf(DeleteGroupReply.class, first.ask(new DeleteGroup("g")));

    assertError(ErrorCode.UNKNOWN_GROUP, first.ask(new DeleteGroup("g")));
    assertEquals(new ListGroupsReply(List.of()), first.ask(new ListGroups()));
    assertEquals(GroupPhase.DEAD, get(DescribeGroupReply.class, first.ask(new DescribeGroup("g"))).phase());
    assertEquals(new CommittedOffset(OptionalLong.empty()), first.ask(new Offsets("g", ORDERS)));
    broker.awaitBudgetEmpty();
  }

  @Test
  void aStopAnswersWhoWaitsToBeLetIn() throws Exception {
    assertInstanceOf(JoinGroupReply.class, first.ask(join("")));
    second.send(join(""));
    TestBroker.awaitTrue("waits", () -> membersOf("g") == 2);

    broker.stop();

    assertError(ErrorCode.SHUTTING_DOWN, second.receive());
  }

  @Test
  void newPartitionsAreSharedOut() throws Exception {
    JoinGroup wants = new JoinGroup("g", "", "", "c", 30_000, 60_000, List.of("range"), List.of("orders", "later"));
    JoinGroupReply joined = get(JoinGroupReply.class, first.ask(wants));
    assertEquals(4, partitions(joined).size());

    assertInstanceOf(CreateTopicReply.class, second.ask(new CreateTopic("later", 2, Map.of())));
    assertError(ErrorCode.REBALANCE_IN_PROGRESS, beat(joined));
    JoinGroup again =
        new JoinGroup("g", joined.memberId(), "", "c", 30_000, 60_000, List.of("range"), List.of("orders", "later"));

    assertEquals(6, partitions(get(JoinGroupReply.class, first.ask(again))).size());
  }

  @Test
  void whatIsNoGroupIsRefused() throws Exception {
    assertError(ErrorCode.INVALID_GROUP, first.ask(new JoinGroup("", "", "", "c", 30_000, 60_000, List.of("range"), List.of())));
    assertError(ErrorCode.INVALID_GROUP, first.ask(join("", 10)));
    assertError(
        ErrorCode.INCONSISTENT_PROTOCOL,
        first.ask(new JoinGroup("g", "", "", "c", 30_000, 60_000, List.of("mine"), List.of("orders"))));
    assertError(ErrorCode.UNKNOWN_MEMBER, first.ask(join("nobody")));
  }
}
