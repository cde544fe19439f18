package kaka.topic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import kaka.partition.PartitionHandle;

/** A topic whose partitions have not all gone; commands for its name wait until they have. Belongs to the registry's actor. */
final class DeletingTopic {
  private final String name;
  private final Asker asker;
  private final List<TopicRegistry.Command> waiting = new ArrayList<>();
  private final Set<PartitionHandle> waitingFor;

  /** @param waitingFor partitions that are deleting themselves */
  DeletingTopic(String name, Collection<PartitionHandle> waitingFor, Asker asker) {
    this.name = name;
    this.asker = asker;
    this.waitingFor = new HashSet<>(waitingFor);
  }

  String name() {
    return name;
  }

  Asker asker() {
    return asker;
  }

  void hold(TopicRegistry.Command command) {
    waiting.add(command);
  }

  List<TopicRegistry.Command> waiting() {
    return waiting;
  }

  boolean isGone() {
    return waitingFor.isEmpty();
  }

  /** One has stopped; true if it was the last one waited for. */
  boolean settle(PartitionHandle partition) {
    return waitingFor.remove(partition) && waitingFor.isEmpty();
  }
}
