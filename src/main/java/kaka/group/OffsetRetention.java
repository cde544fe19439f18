package kaka.group;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/** Which of the offsets there are should be there no longer: events that say so. */
final class OffsetRetention {
  /** Events that one look for expired offsets gives at most. */
  static final int EXPIRED_AT_ONCE = 1000;

  private OffsetRetention() {}

  /** At a start: members of the classic protocol have not outlived the broker, so their groups have none from now on. */
  static void emptyAll(CommittedOffsets stored, long nowMs, Decision decision) {
    for (String name : stored.names()) {
      Optional<GroupEvent.GroupChanged> changed = stored.changed(name);
      if (changed.isPresent() && changed.get().emptySinceMs().isEmpty() && stored.members(name).isEmpty()) {
        GroupEvent.GroupChanged last = changed.get();
        decision.store(
            new GroupEvent.GroupChanged(name, last.generation(), last.protocolType(), OptionalLong.of(nowMs), last.type()));
      }
    }
  }

  /** Of topics that are not among {@code topics}. */
  static void forgetOthers(CommittedOffsets stored, Topics topics, Decision decision) {
    stored.topicIds().stream()
        .filter(id -> !topics.contains(id))
        .forEach(id -> decision.store(new GroupEvent.TopicRemoved(id)));
  }

  /**
   * Of topics that have gone.
   *
   * @param isCommitOnItsWay whether a commit may be decided and not applied yet
   */
  static void forget(CommittedOffsets stored, Collection<UUID> gone, boolean isCommitOnItsWay, Decision decision) {
    if (!gone.isEmpty()) {
      Set<UUID> known = stored.topicIds();
      gone.stream()
          .filter(id -> known.contains(id) || isCommitOnItsWay)
          .forEach(id -> decision.store(new GroupEvent.TopicRemoved(id)));
    }
  }

  /**
   * Of groups that have had no member since {@code limitMs}, what was not committed since.
   *
   * @param isLive whether a group has, or has just had, members
   */
  static void expire(CommittedOffsets stored, Predicate<String> isLive, long limitMs, Decision decision) {
    for (String name : stored.names()) {
      Optional<GroupEvent.GroupChanged> changed = stored.changed(name);
      boolean isGone = !isLive.test(name) && changed.map(last -> isEmptySince(last, limitMs)).orElse(true);
      int room = EXPIRED_AT_ONCE - decision.events().size();
      if (!isGone || room <= 0) {
        continue;
      }
      List<TopicIdPartition> old = stored.committedUpTo(name, limitMs, room);
      if (old.size() == stored.countOf(name)) {
        decision.store(new GroupEvent.GroupRemoved(name));
      } else {
        old.forEach(partition -> decision.store(new GroupEvent.OffsetRemoved(name, partition)));
      }
    }
  }

  private static boolean isEmptySince(GroupEvent.GroupChanged last, long limitMs) {
    return last.emptySinceMs().isPresent() && last.emptySinceMs().getAsLong() <= limitMs;
  }
}
