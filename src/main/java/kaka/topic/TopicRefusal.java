package kaka.topic;

/** Why the registry did not do what it was asked for. */
public enum TopicRefusal {
  EXISTS,
  /** The name, the partition count or a setting is not one that a topic can have. */
  INVALID,
  UNKNOWN_TOPIC_OR_PARTITION,
  /** The registry's own log failed or is damaged: topics stay as they are until a restart, or a repair. */
  STORAGE_FAILED,
  SHUTTING_DOWN
}
