package kaka.connection;

import akka.actor.typed.ActorRef;
import kaka.group.GroupReply;
import kaka.partition.PartitionReply;
import kaka.topic.TopicReply;
import kaka.transaction.TransactionReply;

/** Whatever of a connection waits for an actor's reply. Exactly one of these is called, once, or none if the connection ends. */
public interface ReplyTarget {
  default void onPartitionReply(PartitionReply reply) {
    throw new IllegalStateException("not asked for: " + reply);
  }

  default void onTopicReply(TopicReply reply) {
    throw new IllegalStateException("not asked for: " + reply);
  }

  default void onGroupReply(GroupReply reply) {
    throw new IllegalStateException("not asked for: " + reply);
  }

  default void onTransactionReply(TransactionReply reply) {
    throw new IllegalStateException("not asked for: " + reply);
  }

  /** Whose reply it is. */
  ActorRef<?> asked();

  /** That actor has stopped without a reply. */
  void onStopped();
}
