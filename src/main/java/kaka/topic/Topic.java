package kaka.topic;

import java.util.UUID;

/**
 * A topic as the registry's log has it.
 *
 * @param id given at creation; another for a re-created topic, so that it inherits nothing
 * @param partitionCount at least 1
 */
public record Topic(String name, UUID id, int partitionCount, TopicSettings settings) {
  public Topic {
    if (partitionCount < 1 || partitionCount > TopicsConfig.MAX_PARTITIONS) {
      throw new IllegalArgumentException(partitionCount + " partitions: 1 to " + TopicsConfig.MAX_PARTITIONS);
    }
  }

  Topic withPartitionCount(int partitionCount) {
    return new Topic(name, id, partitionCount, settings);
  }

  Topic withSettings(TopicSettings settings) {
    return new Topic(name, id, partitionCount, settings);
  }
}
