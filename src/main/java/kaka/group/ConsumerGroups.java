package kaka.group;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The {@link ConsumerGroup}s of a broker: those that have members, or whose last generation is not on disk yet. Belongs to the
 * coordinator's actor.
 */
final class ConsumerGroups {
  private final GroupContext shared;
  private final CommittedOffsets stored;
  private final Consumer<String> onDropped;
  private final Map<String, ConsumerGroup> groups = new HashMap<>();
  private final Deadlines deadlines = new Deadlines();
  private long liveBytes;

  /** @param onDropped given the name of each group that is here no more */
  ConsumerGroups(GroupContext shared, CommittedOffsets stored, Consumer<String> onDropped) {
    this.shared = shared;
    this.stored = stored;
    this.onDropped = onDropped;
  }

  boolean contains(String name) {
    return groups.containsKey(name);
  }

  Optional<ConsumerGroup> find(String name) {
    return Optional.ofNullable(groups.get(name));
  }

  Set<String> names() {
    return groups.keySet();
  }

  /** In memory, about. */
  long sizeBytes() {
    return liveBytes;
  }

  /** One that is not here. @param lastGeneration what it goes on from */
  void add(String name, int lastGeneration) {
    ConsumerGroup group = new ConsumerGroup(name, lastGeneration, stored.protocolType(name), shared);
    groups.put(name, group);
    liveBytes += group.sizeBytes();
  }

  /** Lets something happen to a group that is here. */
  void with(String name, Consumer<ConsumerGroup> then) {
    ConsumerGroup group = groups.get(name);
    long before = group.sizeBytes();
    then.accept(group);
    liveBytes += group.sizeBytes() - before;
    deadlines.add(name, group.nextDeadlineMs());
    dropIfVacant(name);
  }

  void topicsChanged(long nowMs, Decision decision) {
    for (String name : List.copyOf(groups.keySet())) {
      with(name, group -> group.topicsChanged(nowMs, decision));
    }
  }

  /** An event of the group is on disk. */
  void applied(String name) {
    dropIfVacant(name);
  }

  /** Once its last generation is on disk, a group without members needs nothing here. */
  private void dropIfVacant(String name) {
    ConsumerGroup group = groups.get(name);
    if (group != null
        && group.isVacant()
        && group.phase() == GroupPhase.EMPTY
        && (!group.hasAdvanced() || stored.generation(name) == group.generation())) {
      drop(name);
    }
  }

  /** It is here no more, if it was. */
  void drop(String name) {
    ConsumerGroup group = groups.remove(name);
    liveBytes -= group == null ? 0 : group.sizeBytes();
    deadlines.remove(name);
    onDropped.accept(name);
  }

  // ---------------------------------------------------------------- time

  /** When {@link #expire} has something to do, at the earliest. */
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
}
