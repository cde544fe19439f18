package kaka.server;

import java.util.Optional;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.topic.TopicReply;

/** Whatever of a connection waits for an actor's reply. Exactly one of these is called, once, or none if the connection ends. */
interface ReplyTarget {
  default void onPartitionReply(PartitionReply reply) {
    throw new IllegalStateException("not asked for: " + reply);
  }

  default void onTopicReply(TopicReply reply) {
    throw new IllegalStateException("not asked for: " + reply);
  }

  /** The partition whose actor's stop would leave this without a reply. */
  default Optional<PartitionHandle> partition() {
    return Optional.empty();
  }

  /** That partition's actor has stopped. */
  default void onPartitionStopped() {}
}
