package kaka.group;

import static kaka.group.Groups.GROUP;
import static kaka.group.Groups.ORDERS;
import static kaka.group.Groups.PAYMENTS;
import static kaka.group.Groups.REBALANCE_MS;
import static kaka.group.Groups.SESSION_MS;
import static kaka.group.Groups.assignment;
import static kaka.group.Groups.commit;
import static kaka.group.Groups.heartbeat;
import static kaka.group.Groups.join;
import static kaka.group.Groups.leave;
import static kaka.group.Groups.nativeJoin;
import static kaka.group.Groups.protocol;
import static kaka.group.Groups.sync;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What members of groups, and their offsets, live through; the single steps are in {@link ConsumerGroupTransitionsTest}. */
class GroupStateTest {
  private final Groups groups = new Groups();

  private static TreeMap<String, List<Integer>> partitions(GroupResult.Joined joined) {
    return ConsumerProtocol.partitions(joined.assignment()).orElseThrow();
  }

  private static GroupRequest.Join staticJoin(String memberId, String instance, String... topics) {
    return join(memberId, Optional.of(instance), GroupRequest.Assigning.BY_MEMBER, protocol("range", topics));
  }

  /** Two of Kafka's members, the group stable. @return their tickets' answers, the leader's first */
  private List<GroupResult.Joined> two() {
    long first = groups.ask(join(""));
    long second = groups.ask(join(""));
    long again = groups.ask(join(groups.joined(first).memberId()));
    GroupResult.Joined leader = groups.joined(again);
    GroupResult.Joined other = groups.joined(second);
    groups.ask(sync(leader.memberId(), leader.generation(), assignment(leader.memberId(), "L"), assignment(other.memberId(), "O")));
    groups.ask(sync(other.memberId(), other.generation()));
    assertEquals(GroupPhase.STABLE, groups.phase());
    return List.of(leader, other);
  }

  // ---------------------------------------------------------------- joining

  @Test
  void theLeaderIsToldOfEverybodyAndEachGetsWhatItAssigned() {
    long first = groups.ask(join(""));
    long second = groups.ask(join("", protocol("range", "payments")));
    assertTrue(groups.isWaiting(second));
    long again = groups.ask(join(groups.joined(first).memberId()));

    GroupResult.Joined leader = groups.joined(again);
    GroupResult.Joined other = groups.joined(second);
    assertEquals(leader.memberId(), leader.leaderId());
    assertEquals(leader.memberId(), other.leaderId());
    assertEquals(List.of(), other.members());
    assertEquals(
        List.of(
            new GroupResult.JoinedMember(leader.memberId(), Optional.empty(), protocol("range", "orders").metadata()),
            new GroupResult.JoinedMember(other.memberId(), Optional.empty(), protocol("range", "payments").metadata())),
        leader.members());
    long otherSync = groups.ask(sync(other.memberId(), other.generation()));
    assertTrue(groups.isWaiting(otherSync));
    groups.ask(sync(leader.memberId(), leader.generation(), assignment(other.memberId(), "yours")));
    assertEquals(new GroupResult.Synced("consumer", "range", assignment("", "yours").bytes()), groups.answer(otherSync));
  }

  @Test
  void theFirstMembersWaitForOthersAndLongerWhileMoreCome() {
    Groups delayed = new Groups(Groups.config(Duration.ofSeconds(3)));
    long first = delayed.ask(join(""));
    delayed.pass(2000);
    long second = delayed.ask(join(""));
    delayed.pass(2000); // 1 s after the first delay has ended, which the second's coming has made longer
    assertTrue(delayed.isWaiting(first));
    delayed.pass(2000);

    assertEquals(1, delayed.joined(first).generation());
    assertEquals(1, delayed.joined(second).generation());
  }

  @Test
  void aMemberThatWasGivenAnIdIsWaitedForUntilItsTimeIsOver() {
    List<GroupResult.Joined> two = two();
    GroupRequest.Join anew = join("");
    GroupRequest.Join first =
        new GroupRequest.Join(
            GROUP, "", Optional.empty(), "c", "h", "consumer", anew.protocols(), SESSION_MS, REBALANCE_MS, true, false,
            GroupRequest.Assigning.BY_MEMBER);
    String id = ((GroupResult.MemberIdRequired) groups.get(first)).memberId();
    groups.ask(leave(two.get(1).memberId()));
    long again = groups.ask(join(two.get(0).memberId()));
    assertTrue(groups.isWaiting(again), "not waited for " + id);

    groups.pass(SESSION_MS);

    assertEquals(1, groups.joined(again).members().size());
    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(join(id)));
  }

  @Test
  void whoDoesNotJoinAgainByTheDeadlineIsNoMemberUnlessStatic() {
    long lead = groups.ask(staticJoin("", "a", "orders"));
    String leader = groups.joined(lead).memberId();
    long other = groups.ask(join(""));
    groups.ask(staticJoin(leader, "a", "orders"));
    groups.ask(sync(leader, 2));
    long third = groups.ask(join("", protocol("range", "payments"))); // the others say that they are alive, and do not join
    for (int i = 0; i < REBALANCE_MS / SESSION_MS * 2; i++) {
      groups.ask(heartbeat(leader, 2));
      groups.ask(heartbeat(groups.joined(other).memberId(), 2));
      groups.pass(SESSION_MS / 2);
    }

    GroupResult.Joined joined = groups.joined(third);
    assertEquals(Set.of(leader, joined.memberId()), groups.memberIds());
    assertEquals(joined.memberId(), joined.leaderId(), "the leader is not there to assign");
  }

  @Test
  void whoJoinsAndDoesNotSyncIsNoMember() {
    long first = groups.ask(join(""));
    String id = groups.joined(first).memberId();
    for (int i = 0; i < REBALANCE_MS / SESSION_MS * 2; i++) {
      groups.pass(SESSION_MS / 2);
      groups.ask(heartbeat(id, 1));
    }

    assertEquals(GroupPhase.EMPTY, groups.phase());
  }

  @Test
  void aSilentMemberLeavesAtItsSessionTimeoutAndNotBefore() {
    List<GroupResult.Joined> two = two();
    groups.pass(SESSION_MS - 1);
    assertEquals(GroupResult.Alive.INSTANCE, groups.get(heartbeat(two.get(0).memberId(), two.get(0).generation())));
    assertEquals(2, groups.memberIds().size());
    groups.pass(1);

    assertEquals(Set.of(two.get(0).memberId()), groups.memberIds());
    assertEquals(GroupPhase.PREPARING_REBALANCE, groups.phase());
  }

  @Test
  void oneThatWaitsToBeLetInDoesNotExpireUnlessNobodyWaitsForItsAnswer() {
    two();
    long waiting = groups.ask(join(""));
    groups.pass(SESSION_MS - 1);
    for (String id : groups.memberIds()) {
      groups.ask(heartbeat(id, 2));
    }
    groups.pass(SESSION_MS - 1);
    assertEquals(3, groups.memberIds().size());

    groups.perform(groups.state.cancel(GROUP, waiting, groups.nowMs)); // its connection is closed
    groups.pass(SESSION_MS);

    assertTrue(groups.isWaiting(waiting));
    assertEquals(Set.of(), groups.memberIds());
  }

  // ---------------------------------------------------------------- static members

  @Test
  void aStaticMemberThatComesBackKeepsItsShareAndFencesWhoItWas() {
    long lead = groups.ask(join(""));
    String leader = groups.joined(lead).memberId();
    long comes = groups.ask(staticJoin("", "till", "orders"));
    groups.ask(join(leader));
    String before = groups.joined(comes).memberId();
    int generation = groups.joined(comes).generation();
    groups.ask(sync(leader, generation, assignment(before, "till's")));

    GroupResult.Joined back = groups.joined(groups.ask(staticJoin("", "till", "orders")));

    assertEquals(generation, back.generation());
    assertEquals(GroupPhase.STABLE, groups.phase());
    assertNotEquals(before, back.memberId());
    GroupRequest.Sync sync =
        new GroupRequest.Sync(GROUP, generation, back.memberId(), Optional.of("till"), Optional.empty(), Optional.empty(), List.of());
    assertEquals(assignment("", "till's").bytes(), ((GroupResult.Synced) groups.get(sync)).assignment());
    Optional<String> till = Optional.of("till");
    assertEquals(GroupError.FENCED_INSTANCE, groups.errorOf(new GroupRequest.Heartbeat(GROUP, generation, before, till)));
    assertEquals(GroupError.FENCED_INSTANCE, groups.errorOf(staticJoin(before, "till", "orders")));
    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(heartbeat(before, generation)));
    assertEquals(
        GroupError.FENCED_INSTANCE,
        groups.errorOf(new GroupRequest.Commit(GROUP, OptionalInt.of(generation), before, till, List.of())));
  }

  @Test
  void aStaticMemberThatComesBackWantingSomethingElseRebalances() {
    long comes = groups.ask(staticJoin("", "till", "orders"));
    groups.ask(sync(groups.joined(comes).memberId(), 1));

    long back = groups.ask(staticJoin("", "till", "payments"));

    assertEquals(2, groups.joined(back).generation());
  }

  /** It must not take itself for the leader of a generation that is assigned already, unless it can be told to skip that. */
  @Test
  void aStaticLeaderThatComesBackDoesNotAssignAgain() {
    long comes = groups.ask(staticJoin("", "till", "orders"));
    String before = groups.joined(comes).memberId();
    groups.ask(sync(before, 1));

    GroupResult.Joined old = groups.joined(groups.ask(staticJoin("", "till", "orders")));
    GroupRequest.Join plain = staticJoin("", "till", "orders");
    GroupRequest.Join able =
        new GroupRequest.Join(
            GROUP, "", plain.instanceId(), "c", "h", "consumer", plain.protocols(), SESSION_MS, REBALANCE_MS, true, true,
            GroupRequest.Assigning.BY_MEMBER);
    GroupResult.Joined skipping = groups.joined(groups.ask(able));

    assertEquals(before, old.leaderId());
    assertFalse(old.skipAssignment());
    assertEquals(skipping.memberId(), skipping.leaderId());
    assertTrue(skipping.skipAssignment());
  }

  @Test
  void aStaticMemberCanBeRemovedByItsInstance() {
    groups.ask(staticJoin("", "till", "orders"));

    groups.get(new GroupRequest.Leave(GROUP, List.of(new GroupRequest.Leaving("", Optional.of("till")))));

    assertEquals(GroupPhase.EMPTY, groups.phase());
  }

  // ---------------------------------------------------------------- assigned by the coordinator

  @Test
  void nativeMembersShareAndKeepWhatTheyHaveWhereSticky() {
    GroupResult.Joined alone = groups.joined(groups.ask(nativeJoin("", "sticky", "orders")));
    assertEquals(Map.of("orders", List.of(0, 1, 2, 3)), partitions(alone));
    long second = groups.ask(nativeJoin("", "sticky", "orders"));
    long again = groups.ask(nativeJoin(alone.memberId(), "sticky", "orders"));
    List<Integer> kept = partitions(groups.joined(again)).get("orders");
    List<Integer> got = partitions(groups.joined(second)).get("orders");
    assertEquals(2, kept.size());
    assertEquals(2, got.size());

    groups.ask(leave(groups.joined(second).memberId()));
    long last = groups.ask(nativeJoin(alone.memberId(), "sticky", "orders"));

    assertEquals(List.of(0, 1, 2, 3), partitions(groups.joined(last)).get("orders"));
  }

  /** Both kinds in one group: Kafka's member leads and assigns, the native one's join waits for that. */
  @Test
  void aNativeMemberWaitsForKafkasLeaderToAssign() {
    GroupResult.Joined leader = groups.joined(groups.ask(join("")));
    groups.ask(sync(leader.memberId(), 1));
    long nativeOne = groups.ask(nativeJoin("", "range", "orders"));
    groups.ask(join(leader.memberId()));
    assertTrue(groups.isWaiting(nativeOne));
    String id = groups.memberIds().stream().filter(each -> !each.equals(leader.memberId())).findFirst().orElseThrow();
    Opaque assigned = ConsumerProtocol.assignment(Map.of("orders", List.of(2)));

    groups.ask(sync(leader.memberId(), 2, new GroupRequest.Assignment(id, assigned)));

    assertEquals(Map.of("orders", List.of(2)), partitions(groups.joined(nativeOne)));
    assertEquals(GroupPhase.STABLE, groups.phase());
  }

  /** And the other way round: the coordinator has assigned before Kafka's member asks. */
  @Test
  void kafkasMemberGetsWhatTheCoordinatorAssigned() {
    GroupResult.Joined leader = groups.joined(groups.ask(nativeJoin("", "range", "orders")));
    long kafkas = groups.ask(join(""));
    groups.ask(nativeJoin(leader.memberId(), "range", "orders"));

    GroupResult.Joined joined = groups.joined(kafkas);
    GroupResult.Synced synced = (GroupResult.Synced) groups.get(sync(joined.memberId(), joined.generation()));

    assertEquals(2, ConsumerProtocol.partitions(synced.assignment()).orElseThrow().get("orders").size());
    assertEquals(List.of(), joined.members());
  }

  // ---------------------------------------------------------------- generations and offsets

  /** Another coordinator, on what the first has written: whoever was a member is a stranger, and no generation comes twice. */
  @Test
  void generationsGoOnAfterARestartAndLateMembersAreRefused() {
    GroupResult.Joined before = groups.joined(groups.ask(nativeJoin("", "range", "orders")));
    groups.ask(commit(before.memberId(), before.generation(), 5));
    Groups restarted = new Groups();
    groups.written.forEach(restarted.state::apply);
    restarted.perform(restarted.state.opened(Groups.topics(Map.of("orders", new Topics.Shape(ORDERS, 4))), true, 0));
    assertEquals(GroupPhase.EMPTY, restarted.phase());

    assertEquals(GroupError.UNKNOWN_MEMBER, restarted.errorOf(heartbeat(before.memberId(), before.generation())));
    assertEquals(GroupError.UNKNOWN_MEMBER, restarted.errorOf(commit(before.memberId(), before.generation(), 6)));
    GroupResult.Joined after = restarted.joined(restarted.ask(nativeJoin("", "range", "orders")));

    assertTrue(after.generation() > before.generation());
    assertEquals(5, restarted.stored.find(GROUP, new TopicIdPartition(ORDERS, 0)).orElseThrow().offset());
  }

  /** What is stored is of the time of day; sessions are not, whichever way it is set. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 1})
  void aStepOfTheClockNeitherEndsNorLengthensASession(long days) {
    GroupResult.Joined member = groups.joined(groups.ask(nativeJoin("", "range", "orders")));
    groups.timeOfDay.advance(Duration.ofDays(days));
    groups.ask(commit(member.memberId(), member.generation(), 5));

    groups.pass(Groups.SESSION_MS - 1);
    assertEquals(Set.of(member.memberId()), groups.memberIds());
    groups.pass(1);

    assertEquals(Set.of(), groups.memberIds());
    long steppedMs = groups.timeOfDay.millis();
    assertEquals(
        steppedMs - Groups.SESSION_MS, groups.stored.find(GROUP, new TopicIdPartition(ORDERS, 0)).orElseThrow().commitMs());
    assertEquals(OptionalLong.of(steppedMs), groups.stored.changed(GROUP).orElseThrow().emptySinceMs());
  }

  @Test
  void aGenerationIsWrittenBeforeItIsTold() {
    Decision decision = groups.state.handle(99, nativeJoin("", "range", "orders"), groups.nowMs);

    assertEquals(GroupEvent.GroupChanged.class, decision.events().get(0).getClass());
    assertEquals(1, decision.answers().size());
  }

  @Test
  void offsetsExpireAfterTheLastCommitOrTheLastMember() {
    long day = Duration.ofDays(1).toMillis();
    groups.ask(commit("", -1, 5)); // from outside, now
    GroupRequest.Commit other =
        new GroupRequest.Commit("other", OptionalInt.empty(), "", Optional.empty(), List.of(Groups.offset(ORDERS, 1, 7)));
    groups.passUnseen(3 * day);
    groups.ask(other);
    GroupResult.Joined member = groups.joined(groups.ask(nativeJoin("", "range", "orders")));
    groups.passUnseen(5 * day); // nobody has looked at sessions meanwhile
    groups.perform(groups.state.expireOffsets());
    assertEquals(1, groups.stored.countOf(GROUP), "it has a member");
    assertEquals(1, groups.stored.countOf("other"));

    groups.ask(leave(member.memberId()));
    groups.passUnseen(2 * day);
    groups.perform(groups.state.expireOffsets());
    assertEquals(1, groups.stored.countOf(GROUP), "its last member has left two days ago");
    assertEquals(0, groups.stored.countOf("other"), "committed seven days ago");
    groups.passUnseen(5 * day);
    groups.perform(groups.state.expireOffsets());

    assertEquals(0, groups.stored.groupCount());
    assertEquals(GroupPhase.DEAD, groups.phase());
    assertEquals(0, groups.heldBytes);
  }

  /** The commit is decided, but not on disk, when the topic goes: it must not outlive the topic. */
  @Test
  void aCommitThatIsOnItsWayGoesWithItsTopic() {
    Decision commit = groups.state.handle(1, commit("", -1, 5), groups.nowMs);
    Decision change =
        groups.state.topicsChanged(Groups.topics(Map.of("payments", new Topics.Shape(PAYMENTS, 2))), true, groups.nowMs);
    groups.perform(commit);
    groups.perform(change);

    assertEquals(0, groups.stored.countOf(GROUP));
    assertEquals(
        new GroupResult.Committed(List.of(Optional.of(GroupError.UNKNOWN_TOPIC_OR_PARTITION))), groups.get(commit("", -1, 5)));
  }

  @Test
  void metadataAndEpochComeBack() {
    GroupRequest.OffsetToCommit offset = new GroupRequest.OffsetToCommit(new TopicIdPartition(ORDERS, 0), 5, 3, "täxt");
    groups.ask(new GroupRequest.Commit(GROUP, OptionalInt.empty(), "", Optional.empty(), List.of(offset)));

    StoredOffset stored = new StoredOffset(5, 3, "täxt", groups.timeOfDay.millis());
    assertEquals(Optional.of(stored), groups.stored.find(GROUP, offset.partition()));
  }

  // ---------------------------------------------------------------- limits

  @Test
  void groupsAndMembersAreBounded() {
    for (int i = 0; i < 50; i++) {
      groups.ask(join(""));
    }
    assertEquals(GroupError.GROUP_FULL, groups.errorOf(join("")));
    for (int i = 1; i < 100; i++) {
      groups.ask(
          new GroupRequest.Commit("g" + i, OptionalInt.empty(), "", Optional.empty(), List.of(Groups.offset(ORDERS, 0, 1))));
    }

    assertEquals(
        GroupError.TOO_MANY_GROUPS,
        groups.errorOf(
            new GroupRequest.Commit("more", OptionalInt.empty(), "", Optional.empty(), List.of(Groups.offset(ORDERS, 0, 1)))));
  }

  /** What is charged is given back, to the byte, whatever members and offsets have gone through. */
  @Test
  void everythingThatGoesGivesItsMemoryBack() {
    List<GroupResult.Joined> two = two();
    groups.ask(commit(two.get(0).memberId(), two.get(0).generation(), 5));
    long more = groups.ask(join("", protocol("range", "orders", "payments")));
    groups.perform(groups.state.cancel(GROUP, more, groups.nowMs));
    assertTrue(groups.heldBytes > 2000, groups.heldBytes + " bytes");
    groups.pass(10L * REBALANCE_MS);
    assertEquals(GroupPhase.EMPTY, groups.phase());

    groups.ask(new GroupRequest.DeleteGroups(List.of(GROUP)));

    assertEquals(0, groups.heldBytes);
  }

  @Test
  void membersThatDoNotFitIntoTheMemoryAreRefused() {
    GroupConfig small =
        new GroupConfig(
            Duration.ofSeconds(1), Duration.ofMinutes(30), Duration.ZERO, Duration.ofDays(7), 100, 1000, 4096, 64 << 10, 1 << 20, Groups.EPOCHS);
    Groups bounded = new Groups(small);
    int joined = 0;
    while (!GroupError.MEMORY.equals(bounded.errorOf(join("", protocol("range", "orders".repeat(500)))))) {
      joined++;
    }

    assertTrue(joined > 3 && joined < 64, joined + " members");
    assertTrue(bounded.heldBytes <= 64 << 10, bounded.heldBytes + " bytes");
  }
}
