package kaka.topic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;

/**
 * A topic of which partitions have not opened yet, and who waits for them; commands that change it wait too. Belongs to the
 * registry's actor.
 */
final class OpeningTopic {
  private final TopicRoute route;
  private final int completedCount;
  private final List<Asker> askers = new ArrayList<>();
  private final List<TopicRegistry.Command> held = new ArrayList<>();
  private final Set<PartitionHandle> waitingFor;

  /**
   * @param completedCount how many partitions, by the registry's log, have had their directories
   * @param waitingFor those that are opening
   */
  OpeningTopic(TopicRoute route, int completedCount, Collection<PartitionHandle> waitingFor) {
    this.route = route;
    this.completedCount = completedCount;
    this.waitingFor = new HashSet<>(waitingFor);
  }

  TopicRoute route() {
    return route;
  }

  /** Whether partitions were created that the registry's log does not call complete, and all of them were. */
  boolean isToBeCompleted() {
    List<PartitionHandle> created = route.partitions().subList(completedCount, route.partitions().size());
    return !created.isEmpty() && created.stream().allMatch(each -> each.view().state() == PartitionState.WRITABLE);
  }

  int completedCount() {
    return completedCount;
  }

  void hold(TopicRegistry.Command command) {
    held.add(command);
  }

  List<TopicRegistry.Command> held() {
    return held;
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
