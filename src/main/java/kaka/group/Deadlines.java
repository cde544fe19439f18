package kaka.group;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/** When which group has something due, at the earliest: a deadline that moves away is only noticed when the old one is due. */
final class Deadlines {
  private record Due(long atMs, String group) {}

  private final Map<String, Long> atMs = new HashMap<>(); // per group, its earliest in the queue
  private final PriorityQueue<Due> queue = new PriorityQueue<>(Comparator.comparingLong(Due::atMs));

  /** Something of {@code group} is due then. */
  void add(String group, OptionalLong deadlineMs) {
    Long known = atMs.get(group);
    if (deadlineMs.isPresent() && (known == null || deadlineMs.getAsLong() < known)) {
      atMs.put(group, deadlineMs.getAsLong());
      queue.add(new Due(deadlineMs.getAsLong(), group));
    }
  }

  void remove(String group) {
    atMs.remove(group);
  }

  OptionalLong next() {
    return queue.isEmpty() ? OptionalLong.empty() : OptionalLong.of(queue.peek().atMs());
  }

  /** Takes a group of which something may be due. */
  Optional<String> take(long nowMs) {
    while (!queue.isEmpty() && queue.peek().atMs() <= nowMs) {
      Due due = queue.remove();
      if (atMs.remove(due.group(), due.atMs())) { // else there was an earlier one, or the group is gone
        return Optional.of(due.group());
      }
    }
    return Optional.empty();
  }
}
