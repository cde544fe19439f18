package kaka.group;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Who is a member of one group, and in which generation: Kafka's classic group protocol, with members of two kinds (see {@link
 * GroupRequest.Assigning}). Nothing of it is durable but the number of the generation, which is an event before it is told.
 *
 * <p>What each event does in each state; a name is the refusal's. {@code DEAD} stands for a group that is not there. Every cell is
 * a row of the test.
 *
 * <pre>
 * event                    EMPTY            PREPARING_REBALANCE    COMPLETING_REBALANCE    STABLE                  DEAD
 * join, new member         -> PREPARING     waits                  -> PREPARING            -> PREPARING            created, as EMPTY
 * join, member, changed    UNKNOWN_MEMBER   waits                  -> PREPARING            -> PREPARING            UNKNOWN_MEMBER
 * join, leader, unchanged  UNKNOWN_MEMBER   waits                  answered again          -> PREPARING            UNKNOWN_MEMBER
 * join, other, unchanged   UNKNOWN_MEMBER   waits                  answered again          answered again          UNKNOWN_MEMBER
 * join, static, anew       -> PREPARING     replaces, waits        replaces, -> PREPARING  replaces, answered (1)  created, as EMPTY
 * sync, leader             UNKNOWN_MEMBER   REBALANCE_IN_PROGRESS  -> STABLE               answered                UNKNOWN_MEMBER
 * sync, other              UNKNOWN_MEMBER   REBALANCE_IN_PROGRESS  waits                   answered                UNKNOWN_MEMBER
 * heartbeat                UNKNOWN_MEMBER   REBALANCE_IN_PROGRESS  done                    done                    UNKNOWN_MEMBER
 * leave, session over      UNKNOWN_MEMBER   may complete           -> PREPARING            -> PREPARING            UNKNOWN_MEMBER
 * commit, member           UNKNOWN_MEMBER   done                   REBALANCE_IN_PROGRESS   done                    UNKNOWN_MEMBER
 * commit, from outside     done             UNKNOWN_MEMBER         UNKNOWN_MEMBER          UNKNOWN_MEMBER          created, done
 * another generation       UNKNOWN_MEMBER   ILLEGAL_GENERATION     ILLEGAL_GENERATION      ILLEGAL_GENERATION      UNKNOWN_MEMBER
 * all have joined, or      -                -> COMPLETING (2), or  -                       -                       -
 *   rebalance deadline                      EMPTY if nobody has
 * sync deadline            -                -                      -> PREPARING (3)        -> PREPARING (3)        -
 * delete group             DEAD             NOT_EMPTY              NOT_EMPTY               NOT_EMPTY               GROUP_NOT_FOUND
 * topics changed           -                -                      -> PREPARING (4)        -> PREPARING (4)        -
 *
 * (1) -> PREPARING if the protocol that would be chosen, or what the member says for it, is another than before.
 * (2) and on to STABLE if the coordinator assigns. Who has not joined by the deadline is no member any more, unless static.
 * (3) without those that have not asked for their assignment; they are no members any more.
 * (4) if the coordinator assigned, and a topic that a member wants was created, deleted or given partitions.
 * </pre>
 *
 * A leave that leaves nobody leads to EMPTY. Belongs to the coordinator's actor.
 */
final class ConsumerGroup {
  private final String name;
  private final GroupContext shared;
  private final Map<String, Member> members = new LinkedHashMap<>(); // by id, in the order of their coming
  private final Map<String, String> staticIds = new HashMap<>(); // instance to member
  private final Map<String, Long> pendingIds = new LinkedHashMap<>(); // given out, not joined yet: until when
  private final int revivedAt; // the generation it came with
  private GroupPhase phase = GroupPhase.EMPTY;
  private int generation;
  private String protocolType;
  private String protocol = "";
  private String leaderId = "";
  private OptionalLong rebalanceDeadlineMs = OptionalLong.empty();
  private OptionalLong syncDeadlineMs = OptionalLong.empty();
  private boolean isInitial; // the first rebalance of an empty group: waits out its delay
  private long initialRestMs; // by how much that delay may still grow
  private boolean hasNewMember;
  private Map<String, Optional<Topics.Shape>> assignedTopics = Map.of(); // what the coordinator's assignment rests on

  /** @param generation the last one that was given out */
  ConsumerGroup(String name, int generation, String protocolType, GroupContext shared) {
    this.name = name;
    this.revivedAt = generation;
    this.generation = generation;
    this.protocolType = protocolType;
    this.shared = shared;
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
    return members.isEmpty() && pendingIds.isEmpty();
  }

  long sizeBytes() {
    long bytes = 500 + 2L * name.length() + 200L * pendingIds.size();
    for (Member member : members.values()) {
      bytes += member.sizeBytes();
    }
    return bytes;
  }

  // ---------------------------------------------------------------- join

  void join(long ticket, GroupRequest.Join join, long nowMs, Decision decision) {
    Optional<GroupError> problem = problemOf(join);
    if (problem.isPresent()) {
      decision.refuse(ticket, problem.get());
    } else if (!join.memberId().isEmpty()) {
      joinKnown(ticket, join, nowMs, decision);
    } else if (join.instanceId().isPresent() && staticIds.containsKey(join.instanceId().get())) {
      replaceStatic(ticket, join, nowMs, decision);
    } else if (join.instanceId().isEmpty() && join.requiresKnownId()) {
      String id = newId(join);
      pendingIds.put(id, nowMs + join.sessionTimeoutMs());
      decision.answer(ticket, new GroupResult.MemberIdRequired(id));
    } else {
      add(newId(join), ticket, join, nowMs, decision);
    }
  }

  private String newId(GroupRequest.Join join) {
    return join.instanceId().orElse(join.clientId()) + "-" + shared.newId();
  }

  private Optional<GroupError> problemOf(GroupRequest.Join join) {
    boolean isMember = members.containsKey(join.memberId());
    boolean isReplacing = join.instanceId().isPresent() && staticIds.containsKey(join.instanceId().get());
    boolean takesPlace = !isMember && !isReplacing && !pendingIds.containsKey(join.memberId());
    if (!join.memberId().isEmpty() && takesPlace) {
      return Optional.of(GroupError.UNKNOWN_MEMBER);
    }
    if (takesPlace && members.size() + pendingIds.size() >= shared.config().maxGroupMembers()) {
      return Optional.of(GroupError.GROUP_FULL);
    }
    List<Member> others =
        members.values().stream()
            .filter(member -> !member.id().equals(join.memberId()))
            .filter(member -> member.instanceId().isEmpty() || !member.instanceId().equals(join.instanceId()))
            .toList();
    if (others.isEmpty()) {
      return Optional.empty();
    }
    boolean fits = join.protocolType().equals(protocolType)
        && join.protocols().stream().anyMatch(each -> others.stream().allMatch(member -> member.supports(each.name())));
    return fits ? Optional.empty() : Optional.of(GroupError.INCONSISTENT_PROTOCOL);
  }

  private void add(String id, long ticket, GroupRequest.Join join, long nowMs, Decision decision) {
    if (members.isEmpty()) {
      protocolType = join.protocolType();
    }
    Member member = new Member(id, join, nowMs);
    member.awaitJoin(ticket);
    members.put(id, member);
    join.instanceId().ifPresent(instance -> staticIds.put(instance, id));
    hasNewMember = true;
    prepare(nowMs, decision);
  }

  private void joinKnown(long ticket, GroupRequest.Join join, long nowMs, Decision decision) {
    if (pendingIds.containsKey(join.memberId())) {
      if (join.instanceId().isPresent()) { // such an id is only given to those without
        decision.refuse(ticket, GroupError.UNKNOWN_MEMBER);
      } else {
        pendingIds.remove(join.memberId());
        add(join.memberId(), ticket, join, nowMs, decision);
      }
      return;
    }
    Optional<GroupError> fence = fence(join.memberId(), join.instanceId());
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
      answerJoined(member, ticket, decision);
    } else {
      member.awaitJoin(ticket).ifPresent(before -> decision.refuse(before, GroupError.REBALANCE_IN_PROGRESS));
      prepare(nowMs, decision);
    }
  }

  /** A static member has come back without its id: it gets another, and whoever uses the old one is fenced. */
  private void replaceStatic(long ticket, GroupRequest.Join join, long nowMs, Decision decision) {
    String instance = join.instanceId().orElseThrow();
    Member old = members.remove(staticIds.get(instance));
    old.takeJoin().ifPresent(waiting -> decision.refuse(waiting, GroupError.FENCED_INSTANCE));
    old.takeSync().ifPresent(waiting -> decision.refuse(waiting, GroupError.FENCED_INSTANCE));
    Member member = new Member(newId(join), join, nowMs);
    member.assign(old.assignment());
    members.put(member.id(), member);
    staticIds.put(instance, member.id());
    boolean wasLeader = old.id().equals(leaderId);
    if (wasLeader) {
      leaderId = member.id();
    }
    boolean isSame = phase == GroupPhase.STABLE
        && chooseProtocol().equals(protocol)
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
      for (Member member : members.values()) {
        boolean isWaitingForAssignment = member.isSyncing() && member.isNative();
        OptionalLong sync = member.takeSync();
        if (isWaitingForAssignment) {
          member.awaitJoin(sync.getAsLong()); // that of this generation will do
        } else {
          sync.ifPresent(ticket -> decision.refuse(ticket, GroupError.REBALANCE_IN_PROGRESS));
        }
      }
      isInitial = phase == GroupPhase.EMPTY && !shared.config().initialRebalanceDelay().isZero();
      phase = GroupPhase.PREPARING_REBALANCE;
      syncDeadlineMs = OptionalLong.empty();
      long rebalanceMs = longestRebalanceMs();
      if (isInitial) {
        long delayMs = Math.min(shared.config().initialRebalanceDelay().toMillis(), rebalanceMs);
        rebalanceDeadlineMs = OptionalLong.of(nowMs + delayMs);
        initialRestMs = rebalanceMs - delayMs;
        hasNewMember = false;
      } else {
        rebalanceDeadlineMs = OptionalLong.of(nowMs + rebalanceMs);
      }
    }
    completeIfAllJoined(nowMs, decision);
  }

  private long longestRebalanceMs() {
    return members.values().stream().mapToLong(member -> member.joined().rebalanceTimeoutMs()).max().orElse(0);
  }

  private void completeIfAllJoined(long nowMs, Decision decision) {
    boolean isWaiting = isInitial && !members.isEmpty() || !pendingIds.isEmpty() && !members.isEmpty();
    if (phase == GroupPhase.PREPARING_REBALANCE && !isWaiting && members.values().stream().allMatch(Member::isJoining)) {
      complete(nowMs, decision);
    }
  }

  private void onRebalanceDeadline(long nowMs, Decision decision) {
    if (isInitial && hasNewMember && initialRestMs > 0) {
      long delayMs = Math.min(shared.config().initialRebalanceDelay().toMillis(), initialRestMs);
      initialRestMs -= delayMs;
      hasNewMember = false;
      rebalanceDeadlineMs = OptionalLong.of(nowMs + delayMs);
    } else {
      complete(nowMs, decision);
    }
  }

  private void complete(long nowMs, Decision decision) {
    for (Member member : List.copyOf(members.values())) {
      if (!member.isJoining() && !member.isStatic()) {
        members.remove(member.id());
      }
    }
    if (members.isEmpty()) {
      becomeEmpty(nowMs, decision);
      return;
    }
    Optional<Member> leader = leader();
    if (leader.isEmpty()) { // static members that are away: their sessions decide
      rebalanceDeadlineMs = OptionalLong.of(nowMs + Math.max(1, longestRebalanceMs()));
      return;
    }
    isInitial = false;
    rebalanceDeadlineMs = OptionalLong.empty();
    leaderId = leader.get().id();
    protocol = chooseProtocol();
    generation++;
    decision.store(new GroupEvent.GroupChanged(name, generation, protocolType, OptionalLong.empty()));
    phase = GroupPhase.COMPLETING_REBALANCE;
    syncDeadlineMs = OptionalLong.of(nowMs + longestRebalanceMs());
    for (Member member : members.values()) {
      member.stayAlive(nowMs);
      member.owesSync(!member.isNative() && member.isJoining());
      if (member.isJoining() && member.isNative()) {
        member.awaitSync(member.takeJoin().getAsLong());
      }
    }
    if (leader.get().isNative()) {
      assign();
      becomeStable(decision);
    }
    for (Member member : members.values()) {
      member.takeJoin().ifPresent(ticket -> answerJoined(member, ticket, decision));
    }
  }

  /** The one there is, if it has joined; else the first that has. */
  private Optional<Member> leader() {
    Member known = members.get(leaderId);
    return known != null && known.isJoining()
        ? Optional.of(known)
        : members.values().stream().filter(Member::isJoining).findFirst();
  }

  /** Of those that all support, the one that most like best; among equals the one that the first member likes best. */
  private String chooseProtocol() {
    Map<String, Integer> votes = new LinkedHashMap<>();
    List<String> candidates =
        members.values().iterator().next().joined().protocols().stream()
            .map(GroupRequest.Protocol::name)
            .filter(each -> members.values().stream().allMatch(member -> member.supports(each)))
            .toList();
    candidates.forEach(candidate -> votes.put(candidate, 0));
    for (Member member : members.values()) {
      member.joined().protocols().stream()
          .map(GroupRequest.Protocol::name)
          .filter(candidates::contains)
          .findFirst()
          .ifPresent(choice -> votes.merge(choice, 1, Integer::sum));
    }
    String best = "";
    for (String candidate : candidates) {
      if (best.isEmpty() || votes.get(candidate) > votes.get(best)) {
        best = candidate;
      }
    }
    return best;
  }

  private void assign() {
    List<Assignor.Wanting> wanting = new ArrayList<>();
    Map<String, Optional<Topics.Shape>> topics = new HashMap<>();
    members.values().stream()
        .sorted((a, b) -> a.instanceId().orElse(a.id()).compareTo(b.instanceId().orElse(b.id())))
        .forEach(
            member -> {
              List<String> wanted = member.topics(protocol).orElse(List.of());
              wanted.forEach(topic -> topics.put(topic, shared.topics().find(topic)));
              wanting.add(new Assignor.Wanting(member.id(), wanted, member.assignedPartitions()));
            });
    assignedTopics = Map.copyOf(topics);
    Assignor.of(protocol)
        .orElse(Assignor.RANGE)
        .assign(wanting, shared.topics())
        .forEach((id, partitions) -> members.get(id).assign(ConsumerProtocol.assignment(partitions)));
  }

  private void becomeStable(Decision decision) {
    phase = GroupPhase.STABLE;
    for (Member member : members.values()) {
      OptionalLong ticket = member.takeSync();
      if (ticket.isPresent() && member.isNative()) {
        answerJoined(member, ticket.getAsLong(), decision);
      } else if (ticket.isPresent()) {
        decision.answer(ticket.getAsLong(), synced(member));
      }
    }
  }

  private void becomeEmpty(long nowMs, Decision decision) {
    phase = GroupPhase.EMPTY;
    generation++;
    leaderId = "";
    protocol = "";
    isInitial = false;
    rebalanceDeadlineMs = OptionalLong.empty();
    syncDeadlineMs = OptionalLong.empty();
    decision.store(new GroupEvent.GroupChanged(name, generation, protocolType, OptionalLong.of(nowMs)));
  }

  private void answerJoined(Member member, long ticket, Decision decision) {
    answerJoined(member, ticket, false, decision);
  }

  private void answerJoined(Member member, long ticket, boolean skipAssignment, Decision decision) {
    if (member.isNative() && phase == GroupPhase.COMPLETING_REBALANCE) {
      member.awaitSync(ticket).ifPresent(before -> decision.refuse(before, GroupError.REBALANCE_IN_PROGRESS));
      return;
    }
    List<GroupResult.JoinedMember> everybody = new ArrayList<>();
    if (member.id().equals(leaderId) && !member.isNative()) {
      members.values().forEach(each ->
          everybody.add(new GroupResult.JoinedMember(each.id(), each.instanceId(), each.metadata(protocol))));
    }
    decision.answer(ticket, joined(member, leaderId, skipAssignment, everybody));
  }

  private GroupResult.Joined joined(
      Member member, String leader, boolean skipAssignment, List<GroupResult.JoinedMember> everybody) {
    Opaque assignment = member.isNative() ? member.assignment() : Opaque.EMPTY;
    return new GroupResult.Joined(
        member.id(), generation, protocolType, protocol, leader, skipAssignment, everybody, assignment);
  }

  // ---------------------------------------------------------------- sync, heartbeat, leave, commit

  /** Why a request of {@code memberId} in {@code inGeneration} is not one of this group's. */
  private Optional<GroupError> fence(String memberId, Optional<String> instanceId, int inGeneration) {
    Optional<GroupError> fence = fence(memberId, instanceId);
    return fence.isPresent() || inGeneration == generation ? fence : Optional.of(GroupError.ILLEGAL_GENERATION);
  }

  private Optional<GroupError> fence(String memberId, Optional<String> instanceId) {
    if (instanceId.isPresent()) {
      String current = staticIds.get(instanceId.get());
      if (current != null && !current.equals(memberId)) {
        return Optional.of(GroupError.FENCED_INSTANCE);
      }
    }
    boolean isMember = members.containsKey(memberId) && (instanceId.isEmpty() || members.get(memberId).instanceId().equals(instanceId));
    return isMember ? Optional.empty() : Optional.of(GroupError.UNKNOWN_MEMBER);
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
    member.owesSync(false);
    member.stayAlive(nowMs);
    if (phase == GroupPhase.STABLE) {
      decision.answer(ticket, synced(member));
      return;
    }
    member.awaitSync(ticket).ifPresent(before -> decision.refuse(before, GroupError.REBALANCE_IN_PROGRESS));
    if (member.id().equals(leaderId)) {
      members.values().forEach(each -> each.assign(Opaque.EMPTY));
      for (GroupRequest.Assignment assignment : sync.assignments()) {
        Member assigned = members.get(assignment.memberId());
        if (assigned != null) {
          assigned.assign(assignment.bytes());
        }
      }
      assignedTopics = Map.of();
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
    if (pendingIds.remove(leaving.memberId()) != null) {
      completeIfAllJoined(nowMs, decision);
      return Optional.empty();
    }
    Optional<String> byInstance = leaving.instanceId().map(staticIds::get);
    String id = leaving.memberId().isEmpty() ? byInstance.orElse("") : leaving.memberId();
    Optional<GroupError> fence = fence(id, leaving.instanceId());
    if (fence.isEmpty()) {
      remove(members.get(id), nowMs, decision);
    }
    return fence;
  }

  private void remove(Member member, long nowMs, Decision decision) {
    members.remove(member.id());
    member.instanceId().ifPresent(staticIds::remove);
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
    Set<String> topics = new java.util.HashSet<>();
    for (Member member : members.values()) {
      String any = protocol.isEmpty() ? member.joined().protocols().get(0).name() : protocol;
      Optional<List<String>> wanted = member.topics(any);
      if (wanted.isEmpty()) {
        return Optional.empty();
      }
      topics.addAll(wanted.get());
    }
    return Optional.of(topics);
  }

  // ---------------------------------------------------------------- time, topics, connections

  /** When something is due next. */
  OptionalLong nextDeadlineMs() {
    long next = Long.MAX_VALUE;
    next = Math.min(next, rebalanceDeadlineMs.orElse(Long.MAX_VALUE));
    next = Math.min(next, syncDeadlineMs.orElse(Long.MAX_VALUE));
    for (long pendingUntilMs : pendingIds.values()) {
      next = Math.min(next, pendingUntilMs);
    }
    for (Member member : members.values()) {
      next = Math.min(next, member.sessionDeadlineMs().orElse(Long.MAX_VALUE));
    }
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }

  /** Does what is due. */
  void expire(long nowMs, Decision decision) {
    if (pendingIds.values().removeIf(untilMs -> nowMs >= untilMs)) {
      completeIfAllJoined(nowMs, decision);
    }
    for (Member member : List.copyOf(members.values())) {
      if (member.isExpired(nowMs) && members.get(member.id()) == member) {
        remove(member, nowMs, decision);
      }
    }
    if (isDue(syncDeadlineMs, nowMs)) {
      syncDeadlineMs = OptionalLong.empty();
      for (Member member : List.copyOf(members.values())) {
        if (member.owesSync()) {
          remove(member, nowMs, decision);
        }
      }
    }
    if (isDue(rebalanceDeadlineMs, nowMs)) {
      onRebalanceDeadline(nowMs, decision);
    }
  }

  private static boolean isDue(OptionalLong deadlineMs, long nowMs) {
    return deadlineMs.isPresent() && nowMs >= deadlineMs.getAsLong();
  }

  /** There are other topics than before: what the coordinator has assigned may be no longer right. */
  void topicsChanged(long nowMs, Decision decision) {
    boolean isAssigned = phase == GroupPhase.STABLE || phase == GroupPhase.COMPLETING_REBALANCE;
    boolean isChanged =
        assignedTopics.entrySet().stream().anyMatch(topic -> !shared.topics().find(topic.getKey()).equals(topic.getValue()));
    if (isAssigned && isChanged) {
      assignedTopics = Map.of();
      prepare(nowMs, decision);
    }
  }

  /** Nobody waits for that answer any more. @return whether anybody here did */
  boolean cancel(long ticket, long nowMs) {
    return members.values().stream().anyMatch(member -> member.cancel(ticket, nowMs));
  }

  GroupResult.Description describe() {
    List<GroupResult.MemberDescription> described = new ArrayList<>();
    for (Member member : members.values()) {
      GroupRequest.Join joined = member.joined();
      described.add(
          new GroupResult.MemberDescription(
              member.id(),
              member.instanceId(),
              joined.clientId(),
              joined.clientHost(),
              member.metadata(protocol),
              member.assignment()));
    }
    return new GroupResult.Description(name, phase, generation, protocolType, protocol, described);
  }
}
