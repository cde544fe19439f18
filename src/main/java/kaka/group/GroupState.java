package kaka.group;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * All groups of a broker, without actors or disk: a request or a deadline gives a {@link Decision}, whose events are to be
 * written and then given to {@link #apply}, which is also what a start replays the log with. Its owner must write and apply events
 * in the order in which they were decided; it may decide more before that, and answers that rest on no event need not wait.
 *
 * <p>Groups that have, or have had, members since the start are {@link ConsumerGroups} or {@link EpochGroups}; of all others only
 * what is durable is known. Belongs to the coordinator's actor.
 *
 * <p>Time is of two kinds. {@code nowMs}, here and in {@link ConsumerGroup}, counts milliseconds from whenever, and nobody can set
 * it: sessions, rebalances and whatever else is an interval in memory go by it. What is stored is of the time of day, which may be
 * set at any time: {@link GroupContext#storedNowMs}. They are never compared.
 */
final class GroupState {
  private static final int MAX_NAME_BYTES = 255;

  private final GroupContext shared;
  private final CommittedOffsets stored;
  private final HeldBytes memory;
  private final Set<String> unstored = new TreeSet<>(); // groups with nothing durable yet
  private final ConsumerGroups groups;
  private final EpochGroups epochs;
  private final GroupAdministration administration;
  private long decidedBytes; // of events that are not applied yet

  /**
   * @param ids for members: each another
   * @param clock the time of day, for what is stored
   */
  GroupState(GroupConfig config, CommittedOffsets stored, GroupMemory budget, Supplier<UUID> ids, Clock clock) {
    this.shared = new GroupContext(config, ids, clock);
    this.stored = stored;
    this.groups = new ConsumerGroups(shared, stored, unstored::remove);
    this.epochs = new EpochGroups(shared, stored);
    this.administration = new GroupAdministration(groups, epochs, stored);
    this.memory = new HeldBytes(config.maxBytes(), budget);
  }

  // ---------------------------------------------------------------- what is durable

  /** An event that is on disk. */
  void apply(GroupEvent event) {
    stored.apply(event);
    if (event instanceof GroupEvent.GroupChanged changed) {
      unstored.remove(changed.group());
      groups.applied(changed.group());
      epochs.applied(changed.group());
    }
  }

  /** An event of a decision is applied, or never will be. */
  void settle(GroupEvent event) {
    decidedBytes -= CommittedOffsets.costOf(event);
    memory.settle(usedBytes());
  }

  /**
   * The log is replayed.
   *
   * @param topics those there are; offsets of others go
   * @param isComplete false if there may be others
   */
  Decision opened(Topics topics, boolean isComplete, long nowMs) {
    Decision decision = new Decision();
    shared.topics(topics);
    OffsetRetention.emptyAll(stored, shared.storedNowMs(), decision);
    epochs.open(nowMs, decision);
    if (isComplete) { // a deletion may not have come to its end here
      OffsetRetention.forgetOthers(stored, topics, decision);
    }
    return decided(decision);
  }

  /** @param isComplete as in {@link #opened} */
  Decision topicsChanged(Topics topics, boolean isComplete, long nowMs) {
    Decision decision = new Decision();
    Set<UUID> before = shared.topics().ids();
    shared.topics(topics);
    List<UUID> gone = before.stream().filter(id -> isComplete && !topics.contains(id)).toList();
    OffsetRetention.forget(stored, gone, decidedBytes > 0, decision);
    groups.topicsChanged(nowMs, decision);
    epochs.topicsChanged(decision);
    return decided(decision);
  }

  /** Forgets offsets whose group has had no member, and that were not committed, for the retention time. */
  Decision expireOffsets() {
    Decision decision = new Decision();
    long limitMs = shared.storedNowMs() - shared.config().offsetsRetention().toMillis();
    OffsetRetention.expire(stored, name -> groups.contains(name) || epochs.contains(name), limitMs, decision);
    return decided(decision);
  }

  // ---------------------------------------------------------------- requests

  /** @param ticket names the request in the answer, which may be in a later decision */
  Decision handle(long ticket, GroupRequest request, long nowMs) {
    Decision decision = new Decision();
    if (request instanceof GroupRequest.Join join) {
      join(ticket, join, nowMs, decision);
    } else if (request instanceof GroupRequest.EpochHeartbeat heartbeat) {
      heartbeat(ticket, heartbeat, nowMs, decision);
    } else if (request instanceof GroupRequest.DescribeEpochGroups describe) {
      decision.answer(ticket, epochs.describe(describe.groups()));
    } else if (request instanceof GroupRequest.Sync sync) {
      sync(ticket, sync, nowMs, decision);
    } else if (request instanceof GroupRequest.Heartbeat heartbeat) {
      withGroup(heartbeat.group(), ticket, decision, group -> group.heartbeat(ticket, heartbeat, nowMs, decision));
    } else if (request instanceof GroupRequest.Leave leave) {
      leave(ticket, leave, nowMs, decision);
    } else if (request instanceof GroupRequest.Commit commit) {
      commit(ticket, commit, OptionalLong.empty(), nowMs, decision);
    } else if (request instanceof GroupRequest.CommitInTransaction commit) {
      commit(ticket, commit.commit(), OptionalLong.of(commit.producerId()), nowMs, decision);
    } else if (request instanceof GroupRequest.EndTransaction end) {
      endTransaction(ticket, end, decision);
    } else if (request instanceof GroupRequest.DeleteGroups delete) {
      administration.deleteGroups(ticket, delete, decision);
    } else if (request instanceof GroupRequest.DeleteOffsets delete) {
      administration.deleteOffsets(ticket, delete, decision);
    } else if (request instanceof GroupRequest.ListGroups list) {
      administration.list(ticket, list, decision);
    } else if (request instanceof GroupRequest.DescribeGroups describe) {
      decision.answer(
          ticket, new GroupResult.GroupsDescribed(describe.groups().stream().map(administration::describe).toList()));
    }
    return decided(decision);
  }

  private void join(long ticket, GroupRequest.Join join, long nowMs, Decision decision) {
    Optional<GroupError> problem = problemOf(join);
    if (problem.isPresent()) {
      decision.refuse(ticket, problem.get());
      return;
    }
    if (!groups.contains(join.group()) && !join.memberId().isEmpty()) {
      decision.refuse(ticket, GroupError.UNKNOWN_MEMBER);
      return;
    }
    if (!groups.contains(join.group())) {
      revive(join.group());
    }
    groups.with(join.group(), group -> group.join(ticket, join, nowMs, decision));
  }

  private Optional<GroupError> problemOf(GroupRequest.Join join) {
    if (!isName(join.group())) {
      return Optional.of(GroupError.INVALID_GROUP_ID);
    }
    GroupConfig config = shared.config();
    if (join.sessionTimeoutMs() < config.minSessionTimeout().toMillis()
        || join.sessionTimeoutMs() > config.maxSessionTimeout().toMillis()
        || join.rebalanceTimeoutMs() < 0) {
      return Optional.of(GroupError.INVALID_SESSION_TIMEOUT);
    }
    if (epochs.hasMembers(join.group())) {
      return Optional.of(GroupError.INCONSISTENT_PROTOCOL);
    }
    boolean isUnknown = join.isNative() && join.protocols().stream().anyMatch(each -> Assignor.of(each.name()).isEmpty());
    if (join.protocols().isEmpty() || join.protocolType().isEmpty() || isUnknown) {
      return Optional.of(GroupError.INCONSISTENT_PROTOCOL);
    }
    if (isOneTooMany(join.group())) {
      return Optional.of(GroupError.TOO_MANY_GROUPS);
    }
    boolean fits = memory.tryGrowTo(usedBytes() + Member.sizeBytes(join) + 2000);
    return fits ? Optional.empty() : Optional.of(GroupError.MEMORY);
  }

  private static boolean isName(String group) {
    return !group.isEmpty() && group.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES;
  }

  private boolean isOneTooMany(String group) {
    boolean isNew = !groups.contains(group) && !epochs.contains(group) && !stored.contains(group);
    return isNew && stored.groupCount() + unstored.size() >= shared.config().maxGroups();
  }

  private void revive(String name) {
    groups.add(name, Math.max(stored.generation(name), epochs.forget(name)));
    if (!stored.contains(name)) {
      unstored.add(name);
    }
  }

  private void heartbeat(long ticket, GroupRequest.EpochHeartbeat heartbeat, long nowMs, Decision decision) {
    String name = heartbeat.group();
    Optional<ConsumerGroup> other = groups.find(name);
    boolean isJoining = heartbeat.epoch() == EpochGroup.JOINING;
    Optional<GroupError> problem = EpochGroups.problemOf(heartbeat);
    if (!isName(name)) {
      problem = Optional.of(GroupError.INVALID_GROUP_ID);
    } else if (other.isPresent() && !(other.get().isVacant() && other.get().phase() == GroupPhase.EMPTY)) {
      problem = Optional.of(GroupError.GROUP_NOT_FOUND);
    } else if (isJoining && isOneTooMany(name)) {
      problem = Optional.of(GroupError.TOO_MANY_GROUPS);
    } else if (problem.isEmpty() && !memory.tryGrowTo(usedBytes() + epochs.costOf(heartbeat))) {
      problem = Optional.of(GroupError.MEMORY);
    }
    if (problem.isPresent()) {
      decision.refuse(ticket, problem.get());
      return;
    }
    int last = Math.max(stored.generation(name), other.map(ConsumerGroup::generation).orElse(0));
    if (isJoining) {
      groups.drop(name);
    }
    boolean hasId = !heartbeat.memberId().isEmpty();
    epochs.heartbeat(ticket, hasId ? heartbeat : heartbeat.withMemberId(shared.newId()), last, nowMs, decision);
    if (epochs.contains(name) && !stored.contains(name)) {
      unstored.add(name);
    }
  }

  private void sync(long ticket, GroupRequest.Sync sync, long nowMs, Decision decision) {
    long assignmentBytes = sync.assignments().stream().mapToLong(each -> each.bytes().sizeBytes()).sum();
    if (!memory.tryGrowTo(usedBytes() + assignmentBytes)) {
      decision.refuse(ticket, GroupError.MEMORY);
    } else {
      withGroup(sync.group(), ticket, decision, group -> group.sync(ticket, sync, nowMs, decision));
    }
  }

  private void withGroup(String name, long ticket, Decision decision, Consumer<ConsumerGroup> then) {
    if (groups.contains(name)) {
      groups.with(name, then);
    } else {
      decision.refuse(ticket, GroupError.UNKNOWN_MEMBER);
    }
  }

  private void leave(long ticket, GroupRequest.Leave leave, long nowMs, Decision decision) {
    Decision others = new Decision(); // told before, so that whoever leaves is told last
    List<GroupResult.LeftMember> left = new ArrayList<>();
    for (GroupRequest.Leaving leaving : leave.members()) {
      Optional<GroupError> error = Optional.of(GroupError.UNKNOWN_MEMBER);
      if (groups.contains(leave.group())) {
        List<Optional<GroupError>> outcome = new ArrayList<>();
        groups.with(leave.group(), group -> outcome.add(group.leave(leaving, nowMs, others)));
        error = outcome.get(0);
      }
      left.add(new GroupResult.LeftMember(leaving.memberId(), leaving.instanceId(), error));
    }
    others.events().forEach(decision::store);
    others.answers().forEach(answer -> decision.answer(answer.ticket(), answer.result()));
    decision.answer(ticket, new GroupResult.Left(left));
  }

  /** What is decided and not applied yet was not answered for, so nobody can count on it. */
  private void endTransaction(long ticket, GroupRequest.EndTransaction end, Decision decision) {
    List<GroupEvent.OffsetCommitted> pending = stored.pending(end.producerId());
    boolean isUnapplied = decidedBytes > 0; // something of it may be among that
    if (!pending.isEmpty() || isUnapplied) {
      decision.store(new GroupEvent.TransactionEnded(end.producerId(), end.isCommit() ? pending : List.of()));
    }
    decision.answer(ticket, GroupResult.TransactionEnded.INSTANCE);
  }

  /** @param producerId of the transaction that it is part of */
  private void commit(
      long ticket, GroupRequest.Commit commit, OptionalLong producerId, long nowMs, Decision decision) {
    Optional<ConsumerGroup> group = groups.find(commit.group());
    boolean isFromOutside = commit.generation().isEmpty() && commit.memberId().isEmpty() && commit.instanceId().isEmpty();
    Optional<GroupError> problem = Optional.empty();
    if (!isName(commit.group())) {
      problem = Optional.of(GroupError.INVALID_GROUP_ID);
    } else if (group.isPresent() && !(isFromOutside && producerId.isPresent())) {
      problem = group.get().checkCommit(commit, nowMs);
    } else if (epochs.contains(commit.group()) && !(isFromOutside && producerId.isPresent())) {
      problem = epochs.checkCommit(commit);
    } else if (group.isEmpty() && !isFromOutside) {
      problem = Optional.of(GroupError.UNKNOWN_MEMBER);
    } else if (isOneTooMany(commit.group())) {
      problem = Optional.of(GroupError.TOO_MANY_GROUPS);
    }
    if (problem.isPresent()) {
      boolean isStale = problem.get() == GroupError.STALE_EPOCH && producerId.isPresent();
      decision.refuse(ticket, isStale ? GroupError.ILLEGAL_GENERATION : problem.get()); // what producers know
      return;
    }
    List<Optional<GroupError>> errors = new ArrayList<>();
    long bytes = 0;
    for (GroupRequest.OffsetToCommit offset : commit.offsets()) {
      StoredOffset toStore = new StoredOffset(offset.offset(), offset.leaderEpoch(), offset.metadata(), shared.storedNowMs());
      GroupEvent event =
          producerId.isPresent()
              ? new GroupEvent.OffsetPending(producerId.getAsLong(), commit.group(), offset.partition(), toStore)
              : new GroupEvent.OffsetCommitted(commit.group(), offset.partition(), toStore);
      Optional<GroupError> error = problemOf(offset);
      if (error.isEmpty()) {
        bytes += CommittedOffsets.costOf(event);
        if (memory.tryGrowTo(usedBytes() + bytes)) {
          decision.store(event);
        } else {
          error = Optional.of(GroupError.MEMORY);
        }
      }
      errors.add(error);
    }
    decision.answer(ticket, new GroupResult.Committed(errors));
  }

  private Optional<GroupError> problemOf(GroupRequest.OffsetToCommit offset) {
    if (offset.metadata().getBytes(StandardCharsets.UTF_8).length > shared.config().maxOffsetMetadataBytes()) {
      return Optional.of(GroupError.METADATA_TOO_LARGE);
    }
    return shared.topics().contains(offset.partition().topicId())
        ? Optional.empty()
        : Optional.of(GroupError.UNKNOWN_TOPIC_OR_PARTITION);
  }

  /** Nobody waits for that answer any more: a member that does not come back leaves at the end of its session. */
  Decision cancel(String name, long ticket, long nowMs) {
    if (groups.contains(name)) {
      groups.with(name, group -> group.cancel(ticket, nowMs));
    }
    return new Decision();
  }

  // ---------------------------------------------------------------- time

  /** When {@link #expire} has something to do, at the earliest. */
  OptionalLong nextDeadlineMs() {
    OptionalLong next = groups.nextDeadlineMs();
    OptionalLong other = epochs.nextDeadlineMs();
    return next.isEmpty() || other.isPresent() && other.getAsLong() < next.getAsLong() ? other : next;
  }

  /** Does what is due. */
  Decision expire(long nowMs) {
    Decision decision = new Decision();
    groups.expire(nowMs, decision);
    epochs.expire(nowMs, decision);
    return decided(decision);
  }

  /** Whether there is something for {@link #matchPatterns} to do. */
  boolean hasUnmatched() {
    return shared.patterns().isBehind();
  }

  /** Finds topics for those who subscribe by patterns; some at a time. */
  Decision matchPatterns() {
    Decision decision = new Decision();
    epochs.matchPatterns(decision);
    return decided(decision);
  }

  /** What was decided cannot be written, and so is not so. */
  void revert(Decision decision, long nowMs) {
    epochs.revert(decision.events(), nowMs);
    unstored.removeIf(name -> !groups.contains(name) && !epochs.contains(name));
  }

  // ---------------------------------------------------------------- helpers

  private Decision decided(Decision decision) {
    for (GroupEvent event : decision.events()) {
      decidedBytes += CommittedOffsets.costOf(event);
    }
    memory.settle(usedBytes());
    return decision;
  }

  /** How many groups are in each phase; those without members, whose offsets are all there is, are empty. */
  Map<GroupPhase, Integer> phases() {
    Set<String> names = stored.names();
    names.addAll(groups.names());
    names.addAll(epochs.names());
    Map<GroupPhase, Integer> phases = new EnumMap<>(GroupPhase.class);
    for (String name : names) {
      GroupPhase phase =
          groups
              .find(name)
              .map(ConsumerGroup::phase)
              .or(() -> epochs.find(name).map(EpochGroup::phase))
              .orElse(GroupPhase.EMPTY);
      phases.merge(phase, 1, Integer::sum);
    }
    return phases;
  }

  private long usedBytes() {
    return stored.sizeBytes() + groups.sizeBytes() + epochs.sizeBytes() + decidedBytes;
  }
}
