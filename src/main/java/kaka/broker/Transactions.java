package kaka.broker;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import java.util.Optional;
import kaka.group.GroupHandle;
import kaka.log.OngoingTransactions;
import kaka.partition.PartitionHandle;
import kaka.topic.Routes;
import kaka.transaction.Partitions;
import kaka.transaction.TransactionConfig;
import kaka.transaction.TransactionCoordinator;
import kaka.transaction.TransactionHandle;
import kaka.transaction.TransactionPartition;

/** Joins the transaction coordinator to what it must ask, and must not know: the topics, and the coordinator of groups. */
final class Transactions {
  private final TransactionHandle handle;
  private final TransactionCoordinator.Storage storage;
  private final TransactionConfig config;
  private final Routes routes;
  private final GroupHandle groups;

  Transactions(
      TransactionCoordinator.Storage storage,
      TransactionConfig config,
      Routes routes,
      GroupHandle groups,
      OngoingTransactions ongoing) {
    this.handle = new TransactionHandle(ongoing);
    this.storage = storage;
    this.config = config;
    this.routes = routes;
    this.groups = groups;
  }

  TransactionHandle handle() {
    return handle;
  }

  /** The coordinator, once every partition has opened or failed, and that of groups is there. */
  Behavior<TransactionCoordinator.Command> coordinator() {
    Partitions partitions =
        new Partitions() {
          @Override
          public Optional<PartitionHandle> find(TransactionPartition partition) {
            return routes
                .table()
                .find(partition.partition().topic())
                .filter(route -> route.topic().id().equals(partition.topicId()))
                .flatMap(route -> route.partition(partition.partition().partition()));
          }

          @Override
          public boolean isComplete() {
            return routes.notice().isEmpty(); // else topics are those that were found, and there may be others
          }
        };
    return TransactionCoordinator.create(handle, storage, config, partitions, groups);
  }

  void bind(ActorRef<TransactionCoordinator.Command> coordinator) {
    handle.bind(coordinator);
  }
}
