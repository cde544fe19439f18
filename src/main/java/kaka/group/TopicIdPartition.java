package kaka.group;

import java.util.UUID;

/** A partition of one topic's life: a topic that was deleted and created again has another id. */
public record TopicIdPartition(UUID topicId, int partition) {
  public TopicIdPartition {
    if (partition < 0) {
      throw new IllegalArgumentException("partition " + partition);
    }
  }
}
