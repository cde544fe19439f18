package kaka.group;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who is a member of one group of Kafka's newer protocol (KIP-848), and who has what: members say by heartbeats what they want and
 * have, the coordinator tells each what to give up and to take. All of it is durable but what each is to have in the end, which follows
 * from the rest, and when sessions end: after a start members go on where they were.
 *
 * <p>What is here is what was decided; each change is an event too, and whoever is told of it is told when that is on disk. A step
 * of one member is {@link Reconciliation}'s. What each request does in each state:
 *
 * <pre>
 * request                       no such member      member, same epoch   member, previous epoch (1)  member, any other epoch
 * heartbeat, epoch 0            joins, new epoch    begins anew, with nothing, whatever its epoch was
 * heartbeat                     UNKNOWN_MEMBER      next step            next step                   FENCED_EPOCH
 * heartbeat, other wishes       UNKNOWN_MEMBER      new epoch, next step of it                       FENCED_EPOCH
 * leave, -1                     UNKNOWN_MEMBER      goes, new epoch, whatever its epoch was
 * leave for a while, -2 (2)     UNKNOWN_MEMBER      away: owns nothing, its share is kept until its session is over
 * commit                        UNKNOWN_MEMBER      done                 STALE_EPOCH                 STALE_EPOCH
 * commit, from outside          done if there are no members, else UNKNOWN_MEMBER
 * session over                  -                   goes, new epoch
 * too slow in giving up         -                   goes, new epoch
 * delete group                  done if there are no members, else NOT_EMPTY
 * topics changed                new epoch if a topic that a member wants was created, deleted or given partitions
 *
 * an instance's name (KIP-345)  nobody has it       its member is away   its member is there
 * heartbeat, epoch 0, other id  joins, new epoch    takes the share      UNRELEASED_INSTANCE
 * anything else, other id       UNKNOWN_MEMBER      FENCED_INSTANCE      FENCED_INSTANCE
 *
 * (1) the answer that told the new one was lost, if what the member says that it has is no more than it was given; else fenced.
 * (2) static members only; one that is away is of no epoch: all but joining again is fenced.
 * </pre>
 *
 * Belongs to the coordinator's actor.
 */
final class EpochGroup {
  /** The epochs by which a request joins and leaves; that of who leaves for a while is {@link EpochMember#AWAY}. */
  static final int JOINING = 0;

  static final int LEAVING = -1;

  /** What a member takes here besides what it takes on disk, about. */
  private static final int MEMBER_BYTES = 400;

  private final String name;
  private final GroupContext shared;
  private final Map<String, EpochMember> members = new LinkedHashMap<>(); // by id, in the order of their coming
  private final Map<String, String> staticIds = new HashMap<>(); // instance to member
  private final Map<String, Long> sessionEndMs = new HashMap<>();
  private final Map<String, Long> revokeEndMs = new HashMap<>(); // of those that have partitions to give up
  private final TakenPartitions taken = new TakenPartitions();
  private final EpochTarget target = new EpochTarget();
  private int epoch;

  /** @param epoch the last one that was given out, or the last generation */
  EpochGroup(String name, int epoch, GroupContext shared) {
    this.name = name;
    this.epoch = epoch;
    this.shared = shared;
  }

  int epoch() {
    return epoch;
  }

  boolean isEmpty() {
    return members.isEmpty();
  }

  GroupPhase phase() {
    if (members.isEmpty()) {
      return GroupPhase.EMPTY;
    }
    return members.values().stream().allMatch(this::isSettled) ? GroupPhase.STABLE : GroupPhase.RECONCILING;
  }

  private boolean isSettled(EpochMember member) {
    return member.isAway()
        || member.epoch() == epoch && member.revoking().isEmpty() && member.assigned().equals(target.of(member.id()));
  }

  long sizeBytes() {
    return 500 + 2L * name.length() + (long) MEMBER_BYTES * members.size() + target.sizeBytes();
  }

  // ---------------------------------------------------------------- what was there before

  /** At a start: the members go on. Their time begins anew, and so does the epoch if not all have what they are to have. */
  void restore(Collection<EpochMember> known, long nowMs, Decision decision) {
    load(known, nowMs);
    target.assign(members.values(), shared);
    if (!members.isEmpty() && phase() != GroupPhase.STABLE) {
      bump(decision);
    }
  }

  /** What was decided since is void: back to what is on disk, and nobody is to have anything else. */
  void revert(int storedEpoch, Collection<EpochMember> stored, long nowMs) {
    for (EpochMember member : List.copyOf(members.values())) {
      drop(member);
    }
    epoch = storedEpoch;
    load(stored, nowMs);
    target.freeze(members.values());
  }

  private void load(Collection<EpochMember> known, long nowMs) {
    for (EpochMember member : known) {
      put(member);
      stayAlive(member, nowMs);
    }
  }

  // ---------------------------------------------------------------- heartbeats

  void heartbeat(long ticket, GroupRequest.EpochHeartbeat request, long nowMs, Decision decision) {
    if (request.epoch() == LEAVING || request.epoch() == EpochMember.AWAY) {
      leave(ticket, request, nowMs, decision);
      return;
    }
    Optional<EpochMember> known = Optional.ofNullable(members.get(request.memberId()));
    Optional<EpochMember> holder = request.instanceId().map(staticIds::get).map(members::get);
    Optional<GroupError> problem = problemOf(request, known, holder);
    if (problem.isPresent()) {
      decision.refuse(ticket, problem.get());
    } else {
      beat(ticket, request, known, holder, nowMs, decision);
    }
  }

  private Optional<GroupError> problemOf(
      GroupRequest.EpochHeartbeat request, Optional<EpochMember> known, Optional<EpochMember> holder) {
    boolean isJoining = request.epoch() == JOINING;
    if (holder.isPresent() && !holder.get().id().equals(request.memberId())) {
      GroupError fence = isJoining ? GroupError.UNRELEASED_INSTANCE : GroupError.FENCED_INSTANCE;
      return isJoining && holder.get().isAway() ? Optional.empty() : Optional.of(fence);
    }
    if (known.isEmpty()) {
      boolean isFull = members.size() >= shared.config().maxGroupMembers();
      return !isJoining ? Optional.of(GroupError.UNKNOWN_MEMBER) : isFull ? Optional.of(GroupError.GROUP_FULL) : Optional.empty();
    }
    if (request.instanceId().isPresent() && holder.isEmpty()) { // the id is another instance's, or nobody's
      return Optional.of(GroupError.UNKNOWN_MEMBER);
    }
    return isJoining || isCurrent(request, known.get()) ? Optional.empty() : Optional.of(GroupError.FENCED_EPOCH);
  }

  private static boolean isCurrent(GroupRequest.EpochHeartbeat request, EpochMember member) {
    boolean isRepeated =
        request.epoch() == member.previousEpoch()
            && request.owned().map(member.assigned()::containsAll).orElse(false)
            && !member.isAway();
    return request.epoch() == member.epoch() || isRepeated;
  }

  private void beat(
      long ticket,
      GroupRequest.EpochHeartbeat request,
      Optional<EpochMember> known,
      Optional<EpochMember> holder,
      long nowMs,
      Decision decision) {
    boolean isTakeOver = known.isEmpty() && holder.isPresent();
    EpochMember before = known.or(() -> holder.map(away -> away.takenOverBy(request.memberId()))).orElse(EpochMember.joining(request));
    if (isTakeOver) {
      remove(holder.get(), decision);
      target.rename(holder.get().id(), before.id());
    }
    EpochMember member = before.updated(request);
    put(member);
    if (known.isEmpty() && !isTakeOver || !member.subscription().equals(before.subscription())) {
      bump(decision);
    }
    Reconciliation.Says says =
        request.epoch() == JOINING
            ? Reconciliation.Says.IT_JOINS
            : request.owned().isPresent() ? Reconciliation.Says.WHAT_IT_OWNS : Reconciliation.Says.NOTHING_NEW;
    taken.release(member);
    EpochMember next =
        Reconciliation.next(
            member, target.of(member.id()), epoch, says, taken::isFree, (topic, partition) -> shared.topics().contains(topic));
    taken.take(member);
    put(next);
    if (!known.equals(Optional.of(next))) {
      decision.store(new GroupEvent.MemberChanged(name, next));
    }
    if (!next.revoking().equals(before.revoking())) {
      revokeEndMs.remove(next.id());
    }
    stayAlive(next, nowMs);
    boolean isTold = request.isFull() || !next.assigned().equals(before.assigned());
    answer(ticket, next.id(), next.epoch(), isTold ? Optional.of(next.assigned()) : Optional.empty(), decision);
  }

  private void answer(long ticket, String memberId, int memberEpoch, Optional<PartitionSet> assignment, Decision decision) {
    int intervalMs = (int) shared.config().epochs().heartbeatInterval().toMillis();
    decision.answer(ticket, new GroupResult.Beaten(memberId, memberEpoch, intervalMs, assignment));
  }

  private void leave(long ticket, GroupRequest.EpochHeartbeat request, long nowMs, Decision decision) {
    Optional<EpochMember> known = Optional.ofNullable(members.get(request.memberId()));
    Optional<String> holder = request.instanceId().map(staticIds::get);
    if (holder.isPresent() && !holder.get().equals(request.memberId())) {
      decision.refuse(ticket, GroupError.FENCED_INSTANCE);
    } else if (known.isEmpty() || request.instanceId().isPresent() && holder.isEmpty()) {
      decision.refuse(ticket, GroupError.UNKNOWN_MEMBER);
    } else {
      if (request.epoch() == EpochMember.AWAY && known.get().instanceId().isPresent()) {
        EpochMember away = known.get().away();
        put(away);
        stayAlive(away, nowMs);
        decision.store(new GroupEvent.MemberChanged(name, away));
      } else {
        remove(known.get(), decision);
        bump(decision);
      }
      answer(ticket, request.memberId(), request.epoch(), Optional.empty(), decision);
    }
  }

  // ---------------------------------------------------------------- the next epoch

  /** Whoever is away owns nothing: what it is not to have any more is free at once. */
  private void bump(Decision decision) {
    epoch++;
    OptionalLong emptySinceMs = members.isEmpty() ? OptionalLong.of(shared.storedNowMs()) : OptionalLong.empty();
    decision.store(new GroupEvent.GroupChanged(name, epoch, ConsumerProtocol.TYPE, emptySinceMs, GroupType.CONSUMER));
    target.assign(members.values(), shared);
    for (EpochMember member : List.copyOf(members.values())) {
      PartitionSet kept = member.assigned().and(target.of(member.id()));
      if (member.isAway() && !kept.equals(member.assigned())) {
        EpochMember less = member.at(EpochMember.AWAY, kept, PartitionSet.NONE);
        put(less);
        decision.store(new GroupEvent.MemberChanged(name, less));
      }
    }
  }

  /** There are other topics than before, or a pattern has found others. */
  void topicsChanged(Decision decision) {
    if (!members.isEmpty() && target.isOutdated(members.values(), shared)) {
      bump(decision);
    }
  }

  // ---------------------------------------------------------------- members

  private void put(EpochMember member) {
    EpochMember before = members.put(member.id(), member);
    member.subscription().pattern().ifPresent(shared.patterns()::use);
    if (before != null) {
      taken.release(before);
      before.subscription().pattern().ifPresent(shared.patterns()::release);
    }
    taken.take(member);
    member.instanceId().ifPresent(instance -> staticIds.put(instance, member.id()));
  }

  private void remove(EpochMember member, Decision decision) {
    drop(member);
    decision.store(new GroupEvent.MemberRemoved(name, member.id()));
  }

  private void drop(EpochMember member) {
    members.remove(member.id());
    taken.release(member);
    member.subscription().pattern().ifPresent(shared.patterns()::release);
    member.instanceId().ifPresent(instance -> staticIds.remove(instance, member.id()));
    sessionEndMs.remove(member.id());
    revokeEndMs.remove(member.id());
  }

  // ---------------------------------------------------------------- commits

  /** Whether offsets may be committed so. */
  Optional<GroupError> checkCommit(OptionalInt memberEpoch, String memberId) {
    if (memberEpoch.isEmpty()) {
      return members.isEmpty() ? Optional.empty() : Optional.of(GroupError.UNKNOWN_MEMBER);
    }
    EpochMember member = members.get(memberId);
    if (member == null) {
      return Optional.of(GroupError.UNKNOWN_MEMBER);
    }
    return member.epoch() == memberEpoch.getAsInt() ? Optional.empty() : Optional.of(GroupError.STALE_EPOCH);
  }

  /** The topics its members want. */
  Set<String> subscribedTopics() {
    Set<String> topics = new TreeSet<>();
    members.values().forEach(member -> topics.addAll(EpochTarget.wanted(member, shared)));
    return topics;
  }

  // ---------------------------------------------------------------- time

  private void stayAlive(EpochMember member, long nowMs) {
    sessionEndMs.put(member.id(), nowMs + shared.config().epochs().sessionTimeout().toMillis());
    if (member.revoking().isEmpty() && target.of(member.id()).containsAll(member.assigned())) {
      revokeEndMs.remove(member.id());
    } else {
      revokeEndMs.putIfAbsent(member.id(), nowMs + member.rebalanceTimeoutMs());
    }
  }

  /** When something is due next. */
  OptionalLong nextDeadlineMs() {
    long next = Long.MAX_VALUE;
    for (long endMs : sessionEndMs.values()) {
      next = Math.min(next, endMs);
    }
    for (long endMs : revokeEndMs.values()) {
      next = Math.min(next, endMs);
    }
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }

  /** Members that have said nothing for too long, or have not given up what they had to, are no members any more. */
  void expire(long nowMs, Decision decision) {
    List<EpochMember> gone = new ArrayList<>();
    for (EpochMember member : members.values()) {
      long endMs = Math.min(sessionEndMs.get(member.id()), revokeEndMs.getOrDefault(member.id(), Long.MAX_VALUE));
      if (nowMs >= endMs) {
        gone.add(member);
      }
    }
    gone.forEach(member -> remove(member, decision));
    if (!gone.isEmpty()) {
      bump(decision);
    }
  }

  // ---------------------------------------------------------------- for people

  GroupResult.EpochDescription describe() {
    List<GroupResult.EpochMemberDescription> described = new ArrayList<>();
    members.values().forEach(each -> described.add(new GroupResult.EpochMemberDescription(each, target.of(each.id()))));
    return new GroupResult.EpochDescription(name, phase(), epoch, EpochTarget.assignor(members.values()), described);
  }

  /** In the words of the classic protocol. */
  GroupResult.Description describeAsClassic() {
    List<GroupResult.MemberDescription> described = new ArrayList<>();
    for (EpochMember member : members.values()) {
      described.add(
          new GroupResult.MemberDescription(
              member.id(),
              member.instanceId(),
              member.clientId(),
              member.clientHost(),
              ConsumerProtocol.subscription(EpochTarget.wanted(member, shared)),
              ConsumerProtocol.assignment(EpochTarget.byName(member.assigned(), shared.topics()))));
    }
    return new GroupResult.Description(
        name, phase(), epoch, ConsumerProtocol.TYPE, EpochTarget.assignor(members.values()), described, GroupType.CONSUMER);
  }
}
