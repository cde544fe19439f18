package kaka.broker;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import java.util.HashMap;
import java.util.Map;
import kaka.group.GroupConfig;
import kaka.group.GroupCoordinator;
import kaka.group.GroupHandle;
import kaka.group.GroupMemory;
import kaka.group.Topics;
import kaka.log.OngoingTransactions;
import kaka.partition.MemoryBudget;
import kaka.topic.Routes;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRoute;

/** Joins the group coordinator to what it must hear of, and must not know: the topics, and the broker's budget of memory. */
final class Groups {
  private final GroupHandle handle;
  private final GroupCoordinator.Storage storage;
  private final GroupConfig config;
  private final MemoryBudget budget;
  private final Routes routes;

  Groups(
      GroupCoordinator.Storage storage,
      GroupConfig config,
      MemoryBudget budget,
      Routes routes,
      OngoingTransactions transactions) {
    this.handle = new GroupHandle(transactions);
    this.storage = storage;
    this.config = config;
    this.budget = budget;
    this.routes = routes;
  }

  GroupHandle handle() {
    return handle;
  }

  /** The coordinator, once the registry has published which topics there are. */
  Behavior<GroupCoordinator.Command> coordinator() {
    GroupMemory memory =
        new GroupMemory() {
          @Override
          public boolean tryReserve(long bytes) {
            if (!budget.tryReserve(bytes)) {
              return false;
            }
            budget.attribute(MemoryBudget.Use.GROUPS, bytes);
            return true;
          }

          @Override
          public void release(long bytes) {
            budget.attribute(MemoryBudget.Use.GROUPS, -bytes);
            budget.release(bytes);
          }
        };
    return GroupCoordinator.create(handle, storage, config, memory, topics(routes.table()));
  }

  /** From now on the coordinator is told what changes, before anybody can see it. */
  void bind(ActorRef<GroupCoordinator.Command> coordinator) {
    handle.bind(coordinator);
    routes.onChange(table -> coordinator.tell(topics(table)));
  }

  private GroupCoordinator.TopicsChanged topics(RoutingTable table) {
    Map<String, Topics.Shape> byName = new HashMap<>();
    for (TopicRoute route : table.all()) {
      byName.put(route.topic().name(), new Topics.Shape(route.topic().id(), route.partitions().size()));
    }
    boolean isComplete = routes.notice().isEmpty(); // else topics are those that were found, and there may be others
    return new GroupCoordinator.TopicsChanged(Topics.of(byName), isComplete);
  }
}
