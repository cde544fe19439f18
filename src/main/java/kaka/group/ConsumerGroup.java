package kaka.group;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Who is a member of one group, and in which generation: Kafka's classic group protocol, with members of two kinds (see {@link
 * GroupRequest.Assigning}). Nothing of it is durable but the number of the generation, which is an event before it is told.
 *
 * <p>What each event does in each state says the table of {@link GroupPhase}. Belongs to the coordinator's actor.
 */
final class ConsumerGroup {
  private final String name;
  private final GroupContext shared;
  private final GroupMembers members = new GroupMembers();
  private final CoordinatorAssignment assignment = new CoordinatorAssignment();
  private final RebalanceDelay rebalance;
  private final int revivedAt; // the generation it came with
  private GroupPhase phase = GroupPhase.EMPTY;
  private int generation;
  private String protocolType;
  private String protocol = "";
  private String leaderId = "";
  private OptionalLong syncDeadlineMs = OptionalLong.empty();

  /** @param generation the last one that was given out */
  ConsumerGroup(String name, int generation, String protocolType, GroupContext shared) {
    this.name = name;
    this.revivedAt = generation;
    this.generation = generation;
    this.protocolType = protocolType;
    this.shared = shared;
    this.rebalance = new RebalanceDelay(shared.config().initialRebalanceDelay().toMillis());
  }

  GroupPhase phase() {
    return phase;
  }

  int generation() {
    return generation;
  }

  /** Whether there was a generation since it is here. */
  boolean hasAdvanced() {
    return generation != revivedAt;
  }

  String protocolType() {
    return protocolType;
  }

  /** Whether nobody is, or is about to become, a member. */
  boolean isVacant() {
    return members.isVacant();
  }

  long sizeBytes() {
    return 500 + 2L * name.length() + members.sizeBytes();
  }

  // ---------------------------------------------------------------- join

  void join(long ticket, GroupRequest.Join join, long nowMs, Decision decision) {
    Optional<GroupError> problem = members.problemOf(join, protocolType, shared.config().maxGroupMembers());
    if (problem.isPresent()) {
      decision.refuse(ticket, problem.get());
    } else if (!join.memberId().isEmpty()) {
      joinKnown(ticket, join, nowMs, decision);
    } else if (members.idOf(join.instanceId()).isPresent()) {
      replaceStatic(ticket, join, nowMs, decision);
    } else if (join.instanceId().isEmpty() && join.requiresKnownId()) {
      String id = shared.newId(join);
      members.addPending(id, nowMs + join.sessionTimeoutMs());
      decision.answer(ticket, new GroupResult.MemberIdRequired(id));
    } else {
      add(shared.newId(join), ticket, join, nowMs, decision);
    }
  }

  private void add(String id, long ticket, GroupRequest.Join join, long nowMs, Decision decision) {
    if (members.isEmpty()) {
      protocolType = join.protocolType();
    }
    Member member = new Member(id, join, nowMs);
    member.awaitJoin(ticket);
    members.add(member);
    rebalance.memberHasCome(); // unless it begins one, which forgets that
    prepare(nowMs, decision);
  }

  private void joinKnown(long ticket, GroupRequest.Join join, long nowMs, Decision decision) {
    if (members.isPending(join.memberId())) {
      if (join.instanceId().isPresent()) { // such an id is only given to those without
        decision.refuse(ticket, GroupError.UNKNOWN_MEMBER);
      } else {
        members.removePending(join.memberId());
        add(join.memberId(), ticket, join, nowMs, decision);
      }
      return;
    }
    Optional<GroupError> fence = members.fence(join.memberId(), join.instanceId());
    if (fence.isPresent()) {
      decision.refuse(ticket, fence.get());
      return;
    }
    Member member = members.get(join.memberId());
    boolean isChanged = !member.joined().protocols().equals(join.protocols());
    boolean isAnsweredAgain =
        !isChanged
            && (phase == GroupPhase.COMPLETING_REBALANCE || phase == GroupPhase.STABLE && !member.id().equals(leaderId));
    member.update(join);
    if (isAnsweredAgain) {
      member.stayAlive(nowMs);
      answerJoined(member, ticket, false, decision);
    } else {
      member.awaitJoin(ticket).ifPresent(before -> decision.refuse(before, GroupError.REBALANCE_IN_PROGRESS));
      prepare(nowMs, decision);
    }
  }

  /** A static member has come back without its id: it gets another, and whoever uses the old one is fenced. */
  private void replaceStatic(long ticket, GroupRequest.Join join, long nowMs, Decision decision) {
    Member old = members.get(members.idOf(join.instanceId()).orElseThrow());
    members.remove(old);
    old.takeJoin().ifPresent(waiting -> decision.refuse(waiting, GroupError.FENCED_INSTANCE));
    old.takeSync().ifPresent(waiting -> decision.refuse(waiting, GroupError.FENCED_INSTANCE));
    Member member = new Member(shared.newId(join), join, nowMs);
    member.assign(old.assignment());
    members.add(member);
    boolean wasLeader = old.id().equals(leaderId);
    if (wasLeader) {
      leaderId = member.id();
    }
    boolean isSame = phase == GroupPhase.STABLE
        && members.chooseProtocol().equals(protocol)
        && old.metadata(protocol).equals(member.metadata(protocol));
    if (!isSame) {
      member.awaitJoin(ticket);
      prepare(nowMs, decision);
    } else if (member.isNative() || !wasLeader || join.canSkipAssignment()) {
      answerJoined(member, ticket, wasLeader && !member.isNative(), decision);
    } else { // it must not take itself for the leader, or it would assign
      decision.answer(ticket, joined(member, old.id(), false, List.of()));
    }
  }

  // ---------------------------------------------------------------- rebalance

  private void prepare(long nowMs, Decision decision) {
    if (phase != GroupPhase.PREPARING_REBALANCE) {
      for (Member member : members.all()) {
        member.endSync().ifPresent(ticket -> decision.refuse(ticket, GroupError.REBALANCE_IN_PROGRESS));
      }
      rebalance.begin(phase == GroupPhase.EMPTY, members.longestRebalanceMs(), nowMs);
      phase = GroupPhase.PREPARING_REBALANCE;
      syncDeadlineMs = OptionalLong.empty();
    }
    completeIfAllJoined(nowMs, decision);
  }

  private void completeIfAllJoined(long nowMs, Decision decision) {
    boolean isWaiting = (rebalance.isInitial() || members.hasPending()) && !members.isEmpty();
    if (phase == GroupPhase.PREPARING_REBALANCE && !isWaiting && members.haveAllJoined()) {
      complete(nowMs, decision);
    }
  }

  private void onRebalanceDeadline(long nowMs, Decision decision) {
    if (!rebalance.isExtended(nowMs)) {
      complete(nowMs, decision);
    }
  }

  private void complete(long nowMs, Decision decision) {
    for (Member member : members.copy()) {
      if (!member.isJoining() && !member.isStatic()) {
        members.remove(member);
      }
    }
    if (members.isEmpty()) {
      becomeEmpty(decision);
      return;
    }
    Optional<Member> leader = members.leader(leaderId);
    if (leader.isEmpty()) { // static members that are away: their sessions decide
      rebalance.waitOn(nowMs + Math.max(1, members.longestRebalanceMs()));
      return;
    }
    rebalance.end();
    leaderId = leader.get().id();
    protocol = members.chooseProtocol();
    generation++;
    decision.store(new GroupEvent.GroupChanged(name, generation, protocolType, OptionalLong.empty()));
    phase = GroupPhase.COMPLETING_REBALANCE;
    syncDeadlineMs = OptionalLong.of(nowMs + members.longestRebalanceMs());
    for (Member member : members.all()) {
      member.enter(nowMs);
    }
    if (leader.get().isNative()) {
      assignment.assign(members, protocol, shared.topics());
      becomeStable(decision);
    }
    for (Member member : members.all()) {
      member.takeJoin().ifPresent(ticket -> answerJoined(member, ticket, false, decision));
    }
  }

  private void becomeStable(Decision decision) {
    phase = GroupPhase.STABLE;
    for (Member member : members.all()) {
      OptionalLong ticket = member.takeSync();
      if (ticket.isPresent() && member.isNative()) {
        answerJoined(member, ticket.getAsLong(), false, decision);
      } else if (ticket.isPresent()) {
        decision.answer(ticket.getAsLong(), synced(member));
      }
    }
  }

  private void becomeEmpty(Decision decision) {
    phase = GroupPhase.EMPTY;
    generation++;
    leaderId = "";
    protocol = "";
    rebalance.end();
    syncDeadlineMs = OptionalLong.empty();
    decision.store(new GroupEvent.GroupChanged(name, generation, protocolType, OptionalLong.of(shared.storedNowMs())));
  }

  private void answerJoined(Member member, long ticket, boolean skipAssignment, Decision decision) {
    if (member.isNative() && phase == GroupPhase.COMPLETING_REBALANCE) {
      member.awaitSync(ticket).ifPresent(before -> decision.refuse(before, GroupError.REBALANCE_IN_PROGRESS));
      return;
    }
    boolean isLeading = member.id().equals(leaderId) && !member.isNative();
    List<GroupResult.JoinedMember> everybody = isLeading ? members.everybody(protocol) : List.of();
    decision.answer(ticket, joined(member, leaderId, skipAssignment, everybody));
  }

  private GroupResult.Joined joined(
      Member member, String leader, boolean skipAssignment, List<GroupResult.JoinedMember> everybody) {
    Opaque share = member.isNative() ? member.assignment() : Opaque.EMPTY;
    return new GroupResult.Joined(member.id(), generation, protocolType, protocol, leader, skipAssignment, everybody, share);
  }

  // ---------------------------------------------------------------- sync, heartbeat, leave, commit

  /** Why a request of {@code memberId} in {@code inGeneration} is not one of this group's. */
  private Optional<GroupError> fence(String memberId, Optional<String> instanceId, int inGeneration) {
    Optional<GroupError> fence = members.fence(memberId, instanceId);
    return fence.isPresent() || inGeneration == generation ? fence : Optional.of(GroupError.ILLEGAL_GENERATION);
  }

  void sync(long ticket, GroupRequest.Sync sync, long nowMs, Decision decision) {
    Optional<GroupError> fence = fence(sync.memberId(), sync.instanceId(), sync.generation());
    boolean isSame = sync.protocolType().orElse(protocolType).equals(protocolType) && sync.protocol().orElse(protocol).equals(protocol);
    if (fence.isPresent()) {
      decision.refuse(ticket, fence.get());
    } else if (!isSame) {
      decision.refuse(ticket, GroupError.INCONSISTENT_PROTOCOL);
    } else if (phase == GroupPhase.PREPARING_REBALANCE) {
      decision.refuse(ticket, GroupError.REBALANCE_IN_PROGRESS);
    } else {
      syncMember(members.get(sync.memberId()), ticket, sync, nowMs, decision);
    }
  }

  private void syncMember(Member member, long ticket, GroupRequest.Sync sync, long nowMs, Decision decision) {
    member.hasSynced();
    member.stayAlive(nowMs);
    if (phase == GroupPhase.STABLE) {
      decision.answer(ticket, synced(member));
      return;
    }
    member.awaitSync(ticket).ifPresent(before -> decision.refuse(before, GroupError.REBALANCE_IN_PROGRESS));
    if (member.id().equals(leaderId)) {
      members.all().forEach(known -> known.assign(Opaque.EMPTY));
      for (GroupRequest.Assignment each : sync.assignments()) {
        members.find(each.memberId()).ifPresent(assigned -> assigned.assign(each.bytes()));
      }
      assignment.forget();
      becomeStable(decision);
    }
  }

  private GroupResult.Synced synced(Member member) {
    return new GroupResult.Synced(protocolType, protocol, member.assignment());
  }

  void heartbeat(long ticket, GroupRequest.Heartbeat heartbeat, long nowMs, Decision decision) {
    Optional<GroupError> fence = fence(heartbeat.memberId(), heartbeat.instanceId(), heartbeat.generation());
    if (fence.isPresent()) {
      decision.refuse(ticket, fence.get());
      return;
    }
    members.get(heartbeat.memberId()).stayAlive(nowMs);
    if (phase == GroupPhase.PREPARING_REBALANCE) {
      decision.refuse(ticket, GroupError.REBALANCE_IN_PROGRESS);
    } else {
      decision.answer(ticket, GroupResult.Alive.INSTANCE);
    }
  }

  /** @return why it has not left */
  Optional<GroupError> leave(GroupRequest.Leaving leaving, long nowMs, Decision decision) {
    if (members.removePending(leaving.memberId())) {
      completeIfAllJoined(nowMs, decision);
      return Optional.empty();
    }
    String id = leaving.memberId().isEmpty() ? members.idOf(leaving.instanceId()).orElse("") : leaving.memberId();
    Optional<GroupError> fence = members.fence(id, leaving.instanceId());
    if (fence.isEmpty()) {
      remove(members.get(id), nowMs, decision);
    }
    return fence;
  }

  private void remove(Member member, long nowMs, Decision decision) {
    members.remove(member);
    member.takeJoin().ifPresent(ticket -> decision.refuse(ticket, GroupError.UNKNOWN_MEMBER));
    member.takeSync().ifPresent(ticket -> decision.refuse(ticket, GroupError.UNKNOWN_MEMBER));
    prepare(nowMs, decision);
  }

  /** Whether offsets may be committed so; a member that commits is alive. */
  Optional<GroupError> checkCommit(GroupRequest.Commit commit, long nowMs) {
    boolean isFromOutside = commit.generation().isEmpty() && commit.memberId().isEmpty() && commit.instanceId().isEmpty();
    if (isFromOutside) {
      return phase == GroupPhase.EMPTY ? Optional.empty() : Optional.of(GroupError.UNKNOWN_MEMBER);
    }
    Optional<GroupError> fence = fence(commit.memberId(), commit.instanceId(), commit.generation().orElse(-1));
    if (fence.isPresent()) {
      return fence;
    }
    if (phase == GroupPhase.COMPLETING_REBALANCE) {
      return Optional.of(GroupError.REBALANCE_IN_PROGRESS);
    }
    members.get(commit.memberId()).stayAlive(nowMs);
    return Optional.empty();
  }

  /** The topics its members want; empty if their bytes do not say. */
  Optional<Set<String>> subscribedTopics() {
    return members.subscribedTopics(protocol);
  }

  // ---------------------------------------------------------------- time, topics, connections

  /** When something is due next. */
  OptionalLong nextDeadlineMs() {
    long next = members.nextDeadlineMs().orElse(Long.MAX_VALUE);
    next = Math.min(next, Math.min(rebalance.deadlineMs().orElse(Long.MAX_VALUE), syncDeadlineMs.orElse(Long.MAX_VALUE)));
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }

  /** Does what is due. */
  void expire(long nowMs, Decision decision) {
    if (members.expirePending(nowMs)) {
      completeIfAllJoined(nowMs, decision);
    }
    for (Member member : members.copy()) {
      if (member.isExpired(nowMs) && members.contains(member.id())) {
        remove(member, nowMs, decision);
      }
    }
    if (nowMs >= syncDeadlineMs.orElse(Long.MAX_VALUE)) {
      syncDeadlineMs = OptionalLong.empty();
      for (Member member : members.copy()) {
        if (member.owesSync()) {
          remove(member, nowMs, decision);
        }
      }
    }
    if (nowMs >= rebalance.deadlineMs().orElse(Long.MAX_VALUE)) {
      onRebalanceDeadline(nowMs, decision);
    }
  }

  /** There are other topics than before: what the coordinator has assigned may be no longer right. */
  void topicsChanged(long nowMs, Decision decision) {
    boolean isAssigned = phase == GroupPhase.STABLE || phase == GroupPhase.COMPLETING_REBALANCE;
    if (isAssigned && assignment.isOutdated(shared.topics())) {
      assignment.forget();
      prepare(nowMs, decision);
    }
  }

  /** Nobody waits for that answer any more. @return whether anybody here did */
  boolean cancel(long ticket, long nowMs) {
    return members.all().stream().anyMatch(member -> member.cancel(ticket, nowMs));
  }

  GroupResult.Description describe() {
    return new GroupResult.Description(name, phase, generation, protocolType, protocol, members.describe(protocol), GroupType.CLASSIC);
  }
}
