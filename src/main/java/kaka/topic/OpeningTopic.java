package kaka.topic;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import kaka.partition.PartitionHandle;

/** A topic whose partitions have not all opened, and who waits for them. Belongs to the registry's actor. */
final class OpeningTopic {
  private final TopicRoute route;
  private final boolean completed;
  private final List<Asker> askers = new ArrayList<>();
  private final Set<PartitionHandle> waitingFor;

  /** @param completed whether the registry's log says that every partition has had its directory */
  OpeningTopic(TopicRoute route, boolean completed) {
    this.route = route;
    this.completed = completed;
    this.waitingFor = new HashSet<>(route.partitions());
  }

  TopicRoute route() {
    return route;
  }

  boolean isCompleted() {
    return completed;
  }

  void add(Asker asker) {
    askers.add(asker);
  }

  List<Asker> askers() {
    return askers;
  }

  /** One has opened, failed or stopped; true if it was the last one waited for. */
  boolean settle(PartitionHandle partition) {
    return waitingFor.remove(partition) && waitingFor.isEmpty();
  }
}
