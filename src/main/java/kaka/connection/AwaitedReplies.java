package kaka.connection;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.ActorContext;
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
  /** Something that ran elsewhere is done; {@code next} is what the connection does about it, on its own thread. */
  record Done(Runnable next) {}

  private final ActorContext<Object> context;
  private final ActorRef<Object> self;
  private final Map<Long, ReplyTarget> targets = new HashMap<>();
  private final Set<ActorRef<?>> watched = new HashSet<>();
  private long nextId;

  /** @param context the connection's actor, whose thread this is used on, but for {@link #done} */
  AwaitedReplies(ActorContext<Object> context) {
    this.context = context;
    this.self = context.getSelf();
  }

  ActorRef<Object> self() {
    return self;
  }

  /** From any thread: the actor is told. */
  void done(Runnable next) {
    self.tell(new Done(next));
  }

  /** Registers who gets the next reply; returns the correlation id to ask with. */
  long expect(ReplyTarget target) {
    ActorRef<?> asked = target.asked();
    if (watched.add(asked)) {
      context.watch(asked);
    }
    targets.put(nextId, target);
    return nextId++;
  }

  void forget(long correlationId) {
    targets.remove(correlationId);
  }

  /** A message to the actor. A reply that nobody waits for any more is dropped. */
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
    } else {
      throw new IllegalStateException("not for a connection: " + message);
    }
  }

  /** One that is watched. */
  void onStopped(ActorRef<?> actor) {
    watched.remove(actor);
    List<ReplyTarget> stranded = new ArrayList<>();
    targets.values().removeIf(target -> target.asked().equals(actor) && stranded.add(target));
    stranded.forEach(ReplyTarget::onStopped);
  }
}
