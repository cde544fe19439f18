package kaka.group;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The {@link EpochGroup}s of a broker: those that have members, or whose last change is not on disk yet. Belongs to the coordinator's
 * actor.
 */
final class EpochGroups {
  /** Bytes of names that one member may subscribe to: its record is to stay small. */
  private static final int MAX_SUBSCRIPTION_BYTES = 512 << 10;

  /** What a partition takes as one that a member has, is to have, and on disk. */
  private static final int BYTES_PER_PARTITION = 16;

  private final GroupContext shared;
  private final CommittedOffsets stored;
  private final Map<String, EpochGroup> groups = new HashMap<>();
  private final Deadlines deadlines = new Deadlines();
  private long liveBytes;

  EpochGroups(GroupContext shared, CommittedOffsets stored) {
    this.shared = shared;
    this.stored = stored;
  }

  /** The log is replayed: members go on where they were. */
  void open(long nowMs, Decision decision) {
    for (String name : stored.names()) {
      if (!stored.members(name).isEmpty()) {
        withNew(name, stored.generation(name), group -> group.restore(stored.members(name), nowMs, decision));
      }
    }
  }

  boolean contains(String name) {
    return groups.containsKey(name);
  }

  boolean hasMembers(String name) {
    return contains(name) && !groups.get(name).isEmpty();
  }

  Set<String> names() {
    return groups.keySet();
  }

  Optional<EpochGroup> find(String name) {
    return Optional.ofNullable(groups.get(name));
  }

  /** In memory, about. */
  long sizeBytes() {
    return liveBytes + shared.patterns().sizeBytes();
  }

  // ---------------------------------------------------------------- requests

  /** What a request may take at most, besides what is there. */
  long costOf(GroupRequest.EpochHeartbeat request) {
    boolean isSmall = request.topics().isEmpty() && request.pattern().isEmpty() && request.epoch() != EpochGroup.JOINING;
    if (isSmall) {
      return 0;
    }
    long bytes = 4000 + 2 * EpochMember.joining(request).sizeBytes();
    for (String topic : request.topics().orElse(List.of())) {
      bytes += (long) BYTES_PER_PARTITION * shared.topics().find(topic).map(Topics.Shape::partitionCount).orElse(0);
    }
    return bytes + request.pattern().filter(each -> !each.isEmpty()).map(shared.patterns()::costOf).orElse(0L);
  }

  /** Why it is none that could be answered, whatever the groups are. */
  static Optional<GroupError> problemOf(GroupRequest.EpochHeartbeat request) {
    if (request.assignor().isPresent() && !EpochTarget.isAssignor(request.assignor().get())) {
      return Optional.of(GroupError.UNSUPPORTED_ASSIGNOR);
    }
    if (request.pattern().isPresent() && !request.pattern().get().isEmpty() && !TopicPatterns.isGood(request.pattern().get())) {
      return Optional.of(GroupError.INVALID_PATTERN);
    }
    long nameBytes = request.topics().orElse(List.of()).stream().mapToLong(topic -> 2L + topic.length() * 3L).sum();
    return nameBytes > MAX_SUBSCRIPTION_BYTES ? Optional.of(GroupError.SUBSCRIPTION_TOO_LARGE) : Optional.empty();
  }

  /** @param lastEpoch of the group if it is not here: what it goes on from */
  void heartbeat(long ticket, GroupRequest.EpochHeartbeat request, int lastEpoch, long nowMs, Decision decision) {
    decision.keepOrder();
    String name = request.group();
    if (contains(name)) {
      with(name, group -> group.heartbeat(ticket, request, nowMs, decision));
    } else if (request.epoch() != EpochGroup.JOINING) {
      decision.refuse(ticket, GroupError.UNKNOWN_MEMBER);
    } else {
      withNew(name, lastEpoch, group -> group.heartbeat(ticket, request, nowMs, decision));
    }
  }

  Optional<GroupError> checkCommit(GroupRequest.Commit commit) {
    OptionalInt epoch = commit.memberId().isEmpty() && commit.instanceId().isEmpty() ? commit.generation() : OptionalInt.of(commit.generation().orElse(-1));
    return groups.get(commit.group()).checkCommit(epoch, commit.memberId());
  }

  /** By their names, those there are. */
  GroupResult.EpochGroupsDescribed describe(List<String> names) {
    return new GroupResult.EpochGroupsDescribed(
        names.stream().map(this::describe).toList(), shared.topics());
  }

  private GroupResult.EpochDescription describe(String name) {
    EpochGroup group = groups.get(name);
    if (group == null && stored.type(name) == GroupType.CONSUMER) {
      group = new EpochGroup(name, stored.generation(name), shared);
    }
    return group == null ? GroupResult.EpochDescription.none(name) : group.describe();
  }

  // ---------------------------------------------------------------- what happens

  void topicsChanged(Decision decision) {
    for (String name : List.copyOf(groups.keySet())) {
      with(name, group -> group.topicsChanged(decision));
    }
  }

  /** Tries patterns on topics, some of them. */
  void matchPatterns(Decision decision) {
    if (shared.patterns().work()) {
      topicsChanged(decision);
    }
  }

  OptionalLong nextDeadlineMs() {
    return deadlines.next();
  }

  void expire(long nowMs, Decision decision) {
    for (Optional<String> due = deadlines.take(nowMs); due.isPresent(); due = deadlines.take(nowMs)) {
      if (contains(due.get())) {
        with(due.get(), group -> group.expire(nowMs, decision));
      }
    }
  }

  /** An event of the group is on disk: if it has no members, nothing more is needed here. */
  void applied(String name) {
    if (contains(name) && groups.get(name).isEmpty() && stored.generation(name) == groups.get(name).epoch()) {
      forget(name);
    }
  }

  /** What was decided is void. */
  void revert(List<GroupEvent> events, long nowMs) {
    Set<String> names = new HashSet<>();
    for (GroupEvent event : events) {
      if (event instanceof GroupEvent.MemberChanged changed) {
        names.add(changed.group());
      } else if (event instanceof GroupEvent.MemberRemoved removed) {
        names.add(removed.group());
      } else if (event instanceof GroupEvent.GroupChanged changed) {
        names.add(changed.group());
      }
    }
    names.retainAll(groups.keySet());
    for (String name : names) {
      with(name, group -> group.revert(stored.generation(name), stored.members(name), nowMs));
      if (!hasMembers(name)) {
        forget(name);
      }
    }
  }

  /** It is of the other type from now on, or no more. @return the last epoch of it that was given out here */
  int forget(String name) {
    EpochGroup group = groups.remove(name);
    deadlines.remove(name);
    if (group == null) {
      return 0;
    }
    liveBytes -= group.sizeBytes();
    return group.epoch();
  }

  private void withNew(String name, int epoch, Consumer<EpochGroup> then) {
    EpochGroup group = new EpochGroup(name, epoch, shared);
    groups.put(name, group);
    liveBytes += group.sizeBytes();
    with(name, then);
    if (group.isEmpty()) { // nobody was let in
      forget(name);
    }
  }

  private void with(String name, Consumer<EpochGroup> then) {
    EpochGroup group = groups.get(name);
    long before = group.sizeBytes();
    then.accept(group);
    liveBytes += group.sizeBytes() - before;
    deadlines.add(name, group.nextDeadlineMs());
  }
}
