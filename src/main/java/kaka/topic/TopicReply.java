package kaka.topic;

/** What the {@link TopicRegistry} answers; {@code correlationId} is the asker's own, given back. */
public sealed interface TopicReply {
  long correlationId();

  /** The topic is there and its partitions have opened, or failed to. */
  record Ready(long correlationId, TopicRoute route) implements TopicReply {}

  /** The topic is gone, its files too. */
  record Gone(long correlationId) implements TopicReply {}

  /** Nothing was changed. */
  record TopicRefused(long correlationId, TopicRefusal reason, String message) implements TopicReply {}
}
