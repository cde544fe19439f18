package kaka.transaction;

import akka.actor.typed.ActorRef;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import kaka.group.GroupCoordinator;
import kaka.group.GroupError;
import kaka.group.GroupHandle;
import kaka.group.GroupReply;
import kaka.group.GroupRequest;
import kaka.group.GroupResult;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.PartitionState;
import kaka.transaction.Decision.Telling;
import kaka.transaction.TransactionState.Told;

/**
 * Tells partitions, and the coordinator of groups, that a transaction has ended, and understands their answers. Who does not answer,
 * or says that it cannot now, is told again later by its owner. Has the coordinator's actor.
 */
final class MarkerSender {
  /** @param told what became of it */
  record Outcome(Telling telling, Told told) {}

  private final Partitions partitions;
  private final GroupHandle groups;
  private final ActorRef<PartitionReply> partitionReplies;
  private final ActorRef<GroupReply> groupReplies;
  private final Map<Long, Telling> asked = new HashMap<>(); // bounded by the partitions of all transactions
  private long nextId;

  MarkerSender(
      Partitions partitions,
      GroupHandle groups,
      ActorRef<PartitionReply> partitionReplies,
      ActorRef<GroupReply> groupReplies) {
    this.partitions = partitions;
    this.groups = groups;
    this.partitionReplies = partitionReplies;
    this.groupReplies = groupReplies;
  }

  /** @return at once, if nobody needs to be asked */
  Optional<Outcome> send(Telling telling) {
    if (telling.partition().equals(TransactionPartition.OFFSETS)) {
      GroupRequest.EndTransaction end =
          new GroupRequest.EndTransaction(telling.marker().producerId(), telling.marker().isCommit());
      groups.coordinator().tell(new GroupCoordinator.Ask(end, () -> {}, expect(telling), groupReplies));
      return Optional.empty();
    }
    Optional<PartitionHandle> partition = partitions.find(telling.partition());
    if (partition.isEmpty()) {
      return Optional.of(new Outcome(telling, partitions.isComplete() ? Told.GONE : Told.FAILED));
    }
    if (partition.get().view().state() == PartitionState.FAILED) {
      return Optional.of(new Outcome(telling, Told.FAILED));
    }
    partition
        .get()
        .actor()
        .tell(new PartitionActor.EndTransaction(telling.marker(), expect(telling), partitionReplies));
    return Optional.empty();
  }

  private long expect(Telling telling) {
    asked.put(nextId, telling);
    return nextId++;
  }

  /** Whoever has not answered is told once more: late answers to what was asked before count for nothing. */
  void forgetAsked() {
    asked.clear();
  }

  /** Empty if it says nothing for good. */
  Optional<Outcome> onReply(PartitionReply reply) {
    Telling telling = asked.remove(reply.correlationId());
    if (telling == null) {
      return Optional.empty();
    }
    if (reply instanceof PartitionReply.TransactionEnded) {
      return Optional.of(new Outcome(telling, Told.YES));
    }
    return reply instanceof PartitionReply.Refused refused
        ? switch (refused.reason()) {
          case FENCED_PRODUCER -> Optional.of(new Outcome(telling, Told.YES)); // a later one has ended it
          case STORAGE_FAILED -> Optional.of(new Outcome(telling, Told.FAILED));
          default -> Optional.empty();
        }
        : Optional.empty();
  }

  /** Empty if it says nothing for good. */
  Optional<Outcome> onReply(GroupReply reply) {
    Telling telling = asked.remove(reply.correlationId());
    if (telling == null) {
      return Optional.empty();
    }
    if (reply.result() instanceof GroupResult.TransactionEnded) {
      return Optional.of(new Outcome(telling, Told.YES));
    }
    boolean hasFailed = reply.result() instanceof GroupResult.Refused refused && refused.reason() == GroupError.STORAGE;
    return hasFailed ? Optional.of(new Outcome(telling, Told.FAILED)) : Optional.empty();
  }
}
