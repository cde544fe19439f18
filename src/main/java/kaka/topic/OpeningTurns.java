package kaka.topic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import kaka.partition.PartitionHandle;

/**
 * Which of the partitions that are created may make their files now: so many at a time, first come, first served. Ten thousand
 * at once would keep every storage thread from those that are written to.
 */
final class OpeningTurns {
  private final int limit;
  private final Set<PartitionHandle> waiting = new LinkedHashSet<>();
  private final Set<PartitionHandle> opening = new HashSet<>();

  OpeningTurns(int limit) {
    this.limit = limit;
  }

  /** @return those of all that wait whose turn it is now */
  List<PartitionHandle> add(Collection<PartitionHandle> created) {
    waiting.addAll(created);
    return next();
  }

  /** One has opened, or stopped, maybe before its turn. @return those whose turn it is now */
  List<PartitionHandle> end(PartitionHandle partition) {
    waiting.remove(partition);
    opening.remove(partition);
    return next();
  }

  private List<PartitionHandle> next() {
    List<PartitionHandle> next = new ArrayList<>();
    for (Iterator<PartitionHandle> each = waiting.iterator(); opening.size() < limit && each.hasNext(); ) {
      PartitionHandle first = each.next();
      each.remove();
      opening.add(first);
      next.add(first);
    }
    return next;
  }
}
