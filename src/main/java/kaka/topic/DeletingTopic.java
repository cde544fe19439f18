package kaka.topic;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;

/** A topic whose partitions have not all gone; commands for its name wait until they have. Belongs to the registry's actor. */
final class DeletingTopic {
  private final String name;
  private final Asker asker;
  private final List<TopicRegistry.Command> waiting = new ArrayList<>();
  private final Set<PartitionHandle> waitingFor;

  /** Tells the partitions that are running to delete themselves. */
  DeletingTopic(TopicRoute route, RunningPartitions running, Asker asker) {
    this.name = route.topic().name();
    this.asker = asker;
    this.waitingFor = running.among(route.partitions());
    this.waitingFor.forEach(partition -> partition.actor().tell(PartitionActor.Delete.INSTANCE));
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
