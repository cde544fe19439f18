package kaka.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The table of {@link EpochGroup}, cell by cell. */
class EpochGroupTest {
  private static final int REBALANCE_MS = 30_000;

  private final Groups groups = new Groups();

  private static GroupRequest.EpochHeartbeat beat(String id, int epoch, Optional<String> instance, Optional<PartitionSet> owned, String... topics) {
    boolean isFull = topics.length > 0;
    return new GroupRequest.EpochHeartbeat(
        Groups.GROUP,
        id,
        epoch,
        instance,
        Optional.empty(),
        "client",
        "/127.0.0.1",
        isFull ? OptionalInt.of(REBALANCE_MS) : OptionalInt.empty(),
        isFull ? Optional.of(List.of(topics)) : Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        owned);
  }

  private static GroupRequest.EpochHeartbeat join(String id) {
    return beat(id, 0, Optional.empty(), Optional.of(PartitionSet.NONE), "orders");
  }

  private static GroupRequest.EpochHeartbeat joinAs(String id, String instance) {
    return beat(id, 0, Optional.of(instance), Optional.of(PartitionSet.NONE), "orders");
  }

  private static GroupRequest.EpochHeartbeat beat(String id, int epoch) {
    return beat(id, epoch, Optional.empty(), Optional.empty());
  }

  private static GroupRequest.EpochHeartbeat beat(String id, int epoch, int... owned) {
    return beat(id, epoch, Optional.empty(), Optional.of(orders(owned)));
  }

  private static PartitionSet orders(int... partitions) {
    return PartitionSet.of(Map.of(Groups.ORDERS, java.util.Arrays.stream(partitions).boxed().toList()));
  }

  private GroupResult.Beaten beaten(GroupRequest.EpochHeartbeat request) {
    return (GroupResult.Beaten) groups.get(request);
  }

  private GroupResult.EpochDescription described() {
    return ((GroupResult.EpochGroupsDescribed) groups.get(new GroupRequest.DescribeEpochGroups(List.of(Groups.GROUP)))).groups().get(0);
  }

  private EpochMember member(String id) {
    return described().members().stream().map(GroupResult.EpochMemberDescription::member).filter(each -> each.id().equals(id)).findFirst().orElseThrow();
  }

  /** "m" has all four partitions, and has said so. @return its epoch */
  private int oneMember() {
    GroupResult.Beaten joined = beaten(join("m"));
    assertEquals(orders(0, 1, 2, 3), joined.assignment().orElseThrow());
    beaten(beat("m", joined.epoch(), 0, 1, 2, 3));
    return joined.epoch();
  }

  /** "m" and "n" have two each. @return their epoch */
  private int twoMembers() {
    int epoch = oneMember();
    int next = beaten(join("n")).epoch();
    PartitionSet kept = beaten(beat("m", epoch)).assignment().orElseThrow();
    int[] left = kept.of(Groups.ORDERS);
    assertEquals(next, beaten(beat("m", epoch, left)).epoch());
    PartitionSet others = beaten(beat("n", next)).assignment().orElseThrow();
    beaten(beat("n", next, others.of(Groups.ORDERS)));
    assertEquals(GroupPhase.STABLE, described().phase());
    return next;
  }

  // ---------------------------------------------------------------- joining, and going on

  @Test
  void whoJoinsBeginsAnEpoch() {
    GroupResult.Beaten joined = beaten(join("m"));

    assertEquals(1, joined.epoch());
    assertEquals(orders(0, 1, 2, 3), joined.assignment().orElseThrow());
    assertEquals(1000, joined.heartbeatIntervalMs());
    assertEquals(GroupPhase.STABLE, described().phase());
  }

  @Test
  void whoHasNoIdIsGivenOne() {
    GroupResult.Beaten joined = beaten(join(""));

    assertEquals(joined.epoch(), beaten(beat(joined.memberId(), joined.epoch())).epoch());
  }

  @Test
  void nothingIsToldOrWrittenWhileNothingChanges() {
    int epoch = oneMember();
    int written = groups.written.size();

    GroupResult.Beaten again = beaten(beat("m", epoch));

    assertEquals(Optional.empty(), again.assignment());
    assertEquals(epoch, again.epoch());
    assertEquals(written, groups.written.size());
  }

  /** Its client has begun anew: what it had is free for it, and it is told all of it. */
  @Test
  void whoJoinsAgainHasNothingAndIsToldEverything() {
    twoMembers();
    int written = groups.written.size();

    GroupResult.Beaten again = beaten(join("m"));

    assertEquals(2, again.assignment().orElseThrow().count());
    assertEquals(PartitionSet.NONE, member("m").owned());
    assertEquals(1, groups.written.size() - written, "no new epoch");
  }

  @Test
  void partitionGoesToItsNewOwnerWhenTheOldOneHasGivenItUp() {
    int epoch = oneMember();
    GroupResult.Beaten second = beaten(join("n"));
    assertEquals(PartitionSet.NONE, second.assignment().orElseThrow());

    GroupResult.Beaten told = beaten(beat("m", epoch));
    assertEquals(epoch, told.epoch(), "it may still commit for what it gives up");
    assertEquals(2, told.assignment().orElseThrow().count());
    assertEquals(Optional.empty(), beaten(beat("n", second.epoch())).assignment(), "not given up yet");
    assertEquals(epoch, beaten(beat("m", epoch, 0, 1, 2, 3)).epoch(), "it says that it still has all");
    assertEquals(GroupPhase.RECONCILING, described().phase());

    assertEquals(second.epoch(), beaten(beat("m", epoch, told.assignment().get().of(Groups.ORDERS))).epoch());

    assertEquals(orders(0, 1, 2, 3).minus(told.assignment().get()), beaten(beat("n", second.epoch())).assignment().orElseThrow());
    assertEquals(GroupPhase.STABLE, described().phase());
  }

  /** It may be about to take it; having said so, it gives it up like any other. */
  @Test
  void partitionIsNotTakenFromWhoHasNotSaidThatItHasIt() {
    int epoch = beaten(join("m")).epoch();
    beaten(join("n"));

    assertEquals(Optional.empty(), beaten(beat("m", epoch)).assignment());
    assertEquals(PartitionSet.NONE, member("m").revoking());

    assertEquals(2, beaten(beat("m", epoch, 0, 1, 2, 3)).assignment().orElseThrow().count());
    assertEquals(2, member("m").revoking().count());
  }

  @Test
  void otherWishesBeginAnEpoch() {
    int epoch = oneMember();

    GroupResult.Beaten told = beaten(beat("m", epoch, Optional.empty(), Optional.of(orders(0, 1, 2, 3)), "payments"));

    assertEquals(PartitionSet.NONE, told.assignment().orElseThrow());
    GroupResult.Beaten next = beaten(beat("m", epoch, Optional.empty(), Optional.of(PartitionSet.NONE)));
    assertEquals(epoch + 1, next.epoch());
    assertEquals(PartitionSet.of(Map.of(Groups.PAYMENTS, List.of(0, 1))), next.assignment().orElseThrow());
  }

  // ---------------------------------------------------------------- epochs

  @Test
  void anotherEpochIsFenced() {
    int epoch = twoMembers();

    assertEquals(GroupError.FENCED_EPOCH, groups.errorOf(beat("m", epoch + 1)));
    assertEquals(GroupError.FENCED_EPOCH, groups.errorOf(beat("m", epoch - 1)), "the one before, without what it has");
    assertEquals(GroupError.FENCED_EPOCH, groups.errorOf(beat("m", epoch - 1, 0, 1, 2, 3)), "with more than it was given");
    assertEquals(GroupError.FENCED_EPOCH, groups.errorOf(beat("m", epoch + 5, 0)));
    int[] own = member("m").assigned().of(Groups.ORDERS);
    assertEquals(epoch, beaten(beat("m", epoch - 1, own)).epoch(), "the answer was lost");
  }

  @Test
  void whoIsNoMemberIsTold() {
    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(beat("m", 1)), "no such group");
    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(beat("m", -1)));
    int epoch = oneMember();

    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(beat("n", epoch)));
    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(beat("n", -1)));
    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(beat("n", -2, Optional.of("i"), Optional.empty())));
  }

  @Test
  void whoLeavesFreesItsPartitions() {
    int epoch = twoMembers();

    assertEquals(-1, beaten(beat("n", -1)).epoch());

    assertEquals(orders(0, 1, 2, 3), beaten(beat("m", epoch)).assignment().orElseThrow());
    assertEquals(-1, beaten(beat("m", -1)).epoch());
    assertEquals(GroupPhase.EMPTY, described().phase());
    assertEquals(epoch + 3, beaten(join("m")).epoch(), "an epoch is never given out twice");
  }

  @Test
  void whoSaysNothingForASessionHasLeft() {
    int epoch = twoMembers();
    groups.pass(Groups.SESSION_MS - 1);
    beaten(beat("m", epoch));

    groups.pass(1);

    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(beat("n", epoch)));
    assertEquals(orders(0, 1, 2, 3), beaten(beat("m", epoch)).assignment().orElseThrow());
  }

  /** Though it says that it is alive. */
  @Test
  void whoIsTooSlowInGivingUpHasLeft() {
    int epoch = oneMember();
    int next = beaten(join("n")).epoch();
    beaten(beat("m", epoch));
    for (int passedMs = 0; passedMs < REBALANCE_MS - 5000; passedMs += 5000) {
      groups.pass(5000);
      beaten(beat("m", epoch));
      beaten(beat("n", next));
    }

    groups.pass(5000);

    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(beat("m", epoch)));
    assertEquals(orders(0, 1, 2, 3), beaten(beat("n", next)).assignment().orElseThrow());
  }

  // ---------------------------------------------------------------- topics

  @Test
  void topicsThatChangeBeginAnEpoch() {
    int epoch = oneMember();
    Topics.Shape payments = new Topics.Shape(Groups.PAYMENTS, 2);
    groups.perform(groups.state.topicsChanged(Topics.of(Map.of("orders", new Topics.Shape(Groups.ORDERS, 4))), true, groups.nowMs));
    assertEquals(epoch, beaten(beat("m", epoch)).epoch(), "nobody reads that one");

    groups.perform(groups.state.topicsChanged(Topics.of(Map.of("orders", new Topics.Shape(Groups.ORDERS, 5))), true, groups.nowMs));
    GroupResult.Beaten grown = beaten(beat("m", epoch));
    assertEquals(epoch + 1, grown.epoch());
    assertEquals(orders(0, 1, 2, 3, 4), grown.assignment().orElseThrow());

    groups.perform(groups.state.topicsChanged(Topics.of(Map.of("payments", payments)), true, groups.nowMs));
    assertEquals(PartitionSet.NONE, beaten(beat("m", epoch + 1)).assignment().orElseThrow(), "gone, so that nobody waits for it");

    groups.perform(groups.state.topicsChanged(Topics.of(Map.of("orders", new Topics.Shape(new UUID(9, 9), 1))), true, groups.nowMs));
    assertEquals(PartitionSet.of(Map.of(new UUID(9, 9), List.of(0))), beaten(beat("m", epoch + 2)).assignment().orElseThrow());
  }

  // ---------------------------------------------------------------- static members

  @Test
  void staticMemberIsFollowedByAnotherOfItsName() {
    GroupResult.Beaten first = beaten(joinAs("m", "one"));
    assertEquals(GroupError.UNRELEASED_INSTANCE, groups.errorOf(joinAs("n", "one")));
    assertEquals(GroupError.FENCED_INSTANCE, groups.errorOf(beat("n", first.epoch(), Optional.of("one"), Optional.empty())));
    assertEquals(GroupError.FENCED_INSTANCE, groups.errorOf(beat("n", -2, Optional.of("one"), Optional.empty())));
    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(beat("m", first.epoch(), Optional.of("two"), Optional.empty())));

    assertEquals(-2, beaten(beat("m", -2, Optional.of("one"), Optional.empty())).epoch());
    assertEquals(GroupError.FENCED_EPOCH, groups.errorOf(beat("m", first.epoch(), Optional.of("one"), Optional.empty())), "it is away");
    assertEquals(GroupError.FENCED_INSTANCE, groups.errorOf(beat("n", first.epoch(), Optional.of("one"), Optional.empty())));

    GroupResult.Beaten second = beaten(joinAs("n", "one"));
    assertEquals(first.epoch(), second.epoch(), "no new epoch");
    assertEquals(first.assignment(), second.assignment());
    assertEquals(GroupError.FENCED_INSTANCE, groups.errorOf(beat("m", first.epoch(), Optional.of("one"), Optional.empty())));
  }

  @Test
  void staticMemberMayComeBackItselfOrLeaveForGood() {
    GroupResult.Beaten first = beaten(joinAs("m", "one"));
    beaten(beat("m", -2, Optional.of("one"), Optional.empty()));

    assertEquals(first.assignment(), beaten(joinAs("m", "one")).assignment());

    beaten(beat("m", -1, Optional.of("one"), Optional.empty()));
    assertEquals(GroupPhase.EMPTY, described().phase());
  }

  /** Its share is kept for it for a session, but what it is not to have any more is free at once: it has nothing. */
  @Test
  void whoIsAwayKeepsItsShareForASession() {
    beaten(joinAs("m", "one"));
    beaten(beat("m", -2, Optional.of("one"), Optional.empty()));

    GroupResult.Beaten other = beaten(join("n"));
    assertEquals(2, other.assignment().orElseThrow().count());
    groups.pass(Groups.SESSION_MS - 1);
    assertEquals(Optional.empty(), beaten(beat("n", other.epoch())).assignment());
    groups.pass(1);

    beaten(beat("n", other.epoch(), other.assignment().get().of(Groups.ORDERS)));
    assertEquals(4, member("n").assigned().count());
  }

  // ---------------------------------------------------------------- offsets, and the other protocol

  @Test
  void offsetsAreCommittedInTheMembersEpoch() {
    assertEquals(List.of(Optional.empty()), ((GroupResult.Committed) groups.get(Groups.commit("", -1, 1))).errors());
    int epoch = twoMembers();

    assertEquals(List.of(Optional.empty()), ((GroupResult.Committed) groups.get(Groups.commit("m", epoch, 5))).errors());
    assertEquals(5, groups.stored.find(Groups.GROUP, new TopicIdPartition(Groups.ORDERS, 0)).orElseThrow().offset());
    assertEquals(GroupError.STALE_EPOCH, groups.errorOf(Groups.commit("m", epoch - 1, 6)));
    assertEquals(GroupError.STALE_EPOCH, groups.errorOf(Groups.commit("m", epoch + 1, 6)));
    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(Groups.commit("x", epoch, 6)));
    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(Groups.commit("", -1, 6)), "there are members");
    assertEquals(
        GroupError.ILLEGAL_GENERATION,
        groups.errorOf(new GroupRequest.CommitInTransaction(Groups.commit("m", epoch - 1, 6), 1, (short) 0)),
        "in the words that producers know");

    beaten(beat("m", -1));
    beaten(beat("n", -1));
    assertEquals(GroupError.UNKNOWN_MEMBER, groups.errorOf(Groups.commit("m", epoch, 6)));
    assertEquals(List.of(Optional.empty()), ((GroupResult.Committed) groups.get(Groups.commit("", -1, 6))).errors());
  }

  @Test
  void groupIsDeletedWhenItHasNoMembers() {
    oneMember();
    GroupRequest.DeleteGroups delete = new GroupRequest.DeleteGroups(List.of(Groups.GROUP));
    assertEquals(Map.of(Groups.GROUP, Optional.of(GroupError.NOT_EMPTY)), ((GroupResult.GroupsDeleted) groups.get(delete)).errors());

    beaten(beat("m", -1));

    assertEquals(Map.of(Groups.GROUP, Optional.empty()), ((GroupResult.GroupsDeleted) groups.get(delete)).errors());
    assertEquals(GroupPhase.DEAD, described().phase());
    assertEquals(0, groups.heldBytes);
  }

  /** And generations and epochs go on from one another. */
  @Test
  void groupChangesItsProtocolOnlyWithoutMembers() {
    int epoch = oneMember();
    assertEquals(GroupError.INCONSISTENT_PROTOCOL, groups.errorOf(Groups.join("")));
    beaten(beat("m", -1));

    GroupResult.Joined joined = groups.joined(groups.ask(Groups.join("")));
    assertTrue(joined.generation() > epoch + 1, joined.generation() + " after " + epoch);
    assertEquals(GroupError.GROUP_NOT_FOUND, groups.errorOf(join("m")));
    assertEquals(GroupPhase.DEAD, described().phase(), "of the other type");
    groups.ask(Groups.leave(joined.memberId()));

    assertTrue(beaten(join("m")).epoch() > joined.generation());
  }

  @Test
  void offsetsOfWhatMembersReadAreNotDeleted() {
    oneMember();
    GroupRequest.NamedPartition orders = new GroupRequest.NamedPartition("orders", new TopicIdPartition(Groups.ORDERS, 0));
    GroupRequest.NamedPartition payments = new GroupRequest.NamedPartition("payments", new TopicIdPartition(Groups.PAYMENTS, 0));

    GroupResult deleted = groups.get(new GroupRequest.DeleteOffsets(Groups.GROUP, List.of(orders, payments)));

    assertEquals(
        List.of(Optional.of(GroupError.SUBSCRIBED_TO_TOPIC), Optional.empty()), ((GroupResult.OffsetsDeleted) deleted).errors());
  }

  @Test
  void groupIsListedByItsTypeAndState() {
    oneMember();
    GroupResult.Listing listing = new GroupResult.Listing(Groups.GROUP, "consumer", GroupPhase.STABLE, GroupType.CONSUMER, 1);

    assertEquals(
        new GroupResult.GroupsListed(List.of(listing)), groups.get(new GroupRequest.ListGroups(Set.of(), Set.of(GroupType.CONSUMER))));
    assertEquals(
        new GroupResult.GroupsListed(List.of(listing)), groups.get(new GroupRequest.ListGroups(Set.of(GroupPhase.STABLE))));
    assertEquals(new GroupResult.GroupsListed(List.of()), groups.get(new GroupRequest.ListGroups(Set.of(), Set.of(GroupType.CLASSIC))));
    assertEquals(new GroupResult.GroupsListed(List.of()), groups.get(new GroupRequest.ListGroups(Set.of(GroupPhase.EMPTY))));
  }

  // ---------------------------------------------------------------- bounds

  @Test
  void groupsAndMembersHaveTheirNumber() {
    for (int i = 0; i < 50; i++) {
      beaten(join("m" + i));
    }
    assertEquals(GroupError.GROUP_FULL, groups.errorOf(join("one too many")));
    for (int i = 0; i < 99; i++) {
      groups.ask(new GroupRequest.Commit("g" + i, OptionalInt.empty(), "", Optional.empty(), List.of(Groups.offset(Groups.ORDERS, 0, 1))));
    }
    GroupRequest.EpochHeartbeat other = join("m");
    assertEquals(
        GroupError.TOO_MANY_GROUPS,
        groups.errorOf(
            new GroupRequest.EpochHeartbeat(
                "another", "m", 0, Optional.empty(), Optional.empty(), "", "", other.rebalanceTimeoutMs(), other.topics(), Optional.empty(), Optional.empty(), other.owned())));
  }

  @Test
  void membersThatDoNotFitIntoTheMemoryAreRefused() {
    GroupConfig small =
        new GroupConfig(
            Duration.ofSeconds(1), Duration.ofMinutes(30), Duration.ZERO, Duration.ofDays(7), 100, 1000, 4096, 64 << 10, 1 << 20, Groups.EPOCHS);
    Groups bounded = new Groups(small);
    int joined = 0;
    while (joined < 64 && !GroupError.MEMORY.equals(bounded.errorOf(beat("m" + joined, 0, Optional.empty(), Optional.of(PartitionSet.NONE), "orders".repeat(300))))) {
      joined++;
    }

    assertTrue(joined > 3 && joined < 64, joined + " members");
    assertTrue(bounded.heldBytes <= 64 << 10, bounded.heldBytes + " bytes");
  }

  @Test
  void subscriptionHasItsSize() {
    assertEquals(
        GroupError.SUBSCRIPTION_TOO_LARGE,
        groups.errorOf(beat("m", 0, Optional.empty(), Optional.of(PartitionSet.NONE), "x".repeat(200_000))));
  }
}
