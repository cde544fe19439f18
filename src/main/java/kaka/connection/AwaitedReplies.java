package kaka.connection;

import akka.actor.Terminated;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Adapter;
import akka.stream.stage.GraphStageLogic.StageActor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import kaka.group.GroupReply;
import kaka.partition.PartitionReply;
import kaka.topic.TopicReply;
import kaka.transaction.TransactionReply;

/**
 * Who of a connection waits for which reply. Every actor that is asked is watched, once, for as long as it lives: so nobody
 * waits for one that has stopped.
 */
final class AwaitedReplies {
  private final StageActor stage;
  private final Map<Long, ReplyTarget> targets = new HashMap<>();
  private final Set<akka.actor.ActorRef> watched = new HashSet<>();
  private long nextId;

  AwaitedReplies(StageActor stage) {
    this.stage = stage;
  }

  ActorRef<Object> self() {
    return Adapter.toTyped(stage.ref());
  }

  /** Registers who gets the next reply; returns the correlation id to ask with. */
  long expect(ReplyTarget target) {
    akka.actor.ActorRef asked = Adapter.toClassic(target.asked());
    if (watched.add(asked)) {
      stage.watch(asked);
    }
    targets.put(nextId, target);
    return nextId++;
  }

  void forget(long correlationId) {
    targets.remove(correlationId);
  }

  /** A message to the stage. A reply that nobody waits for any more is dropped. */
  void onMessage(Object message) {
    if (message instanceof PartitionReply reply) {
      ReplyTarget target = targets.remove(reply.correlationId());
      if (target != null) {
        target.onPartitionReply(reply);
      }
    } else if (message instanceof TopicReply reply) {
      ReplyTarget target = targets.remove(reply.correlationId());
      if (target != null) {
        target.onTopicReply(reply);
      }
    } else if (message instanceof GroupReply reply) {
      ReplyTarget target = targets.remove(reply.correlationId());
      if (target != null) {
        target.onGroupReply(reply);
      }
    } else if (message instanceof TransactionReply reply) {
      ReplyTarget target = targets.remove(reply.correlationId());
      if (target != null) {
        target.onTransactionReply(reply);
      }
    } else if (message instanceof Terminated terminated) {
      onStopped(terminated.getActor());
    } else {
      throw new IllegalStateException("not for a connection: " + message);
    }
  }

  private void onStopped(akka.actor.ActorRef actor) {
    watched.remove(actor);
    List<ReplyTarget> stranded = new ArrayList<>();
    targets.values().removeIf(target -> Adapter.toClassic(target.asked()).equals(actor) && stranded.add(target));
    stranded.forEach(ReplyTarget::onStopped);
  }
}
