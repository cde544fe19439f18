package kaka.topic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import kaka.partition.PartitionHandle;

/**
 * The topics of which partitions have not opened yet, and who waits for all of them; and which of the others have partitions
 * that the registry's log does not call complete. Belongs to the registry's actor.
 */
final class OpeningTopics {
  private final Map<UUID, OpeningTopic> topics = new HashMap<>();
  private final Map<UUID, Integer> completedCounts = new HashMap<>(); // of those that are not complete
  private final List<TopicRegistry.AwaitOpened> waiting = new ArrayList<>();

  /**
   * @param opening partitions of it
   * @param completedCount how many partitions, by the registry's log, have had their directories
   */
  void begin(TopicRoute route, List<PartitionHandle> opening, int completedCount) {
    topics.put(route.topic().id(), new OpeningTopic(route, completedCount, opening));
  }

  Optional<OpeningTopic> find(Topic topic) {
    return Optional.ofNullable(topics.get(topic.id()));
  }

  /** A partition has opened, failed or stopped. @return its topic, if that has opened by it; it is not among these any more */
  Optional<OpeningTopic> settle(UUID topicId, PartitionHandle partition) {
    OpeningTopic topic = topics.get(topicId);
    if (topic == null || !topic.settle(partition)) {
      return Optional.empty();
    }
    topics.remove(topicId);
    if (topic.completedCount() < topic.route().partitions().size()) {
      completedCounts.put(topicId, topic.completedCount());
    }
    return Optional.of(topic);
  }

  /** By the registry's log it has all its partitions. */
  void completed(UUID topicId) {
    completedCounts.remove(topicId);
  }

  /** How many partitions of a topic that has opened are complete, from number 0. */
  int completedCount(TopicRoute route) {
    return completedCounts.getOrDefault(route.topic().id(), route.partitions().size());
  }

  /** It is deleted. @return it, if it was opening */
  Optional<OpeningTopic> remove(UUID topicId) {
    completedCounts.remove(topicId);
    return Optional.ofNullable(topics.remove(topicId));
  }

  boolean isEmpty() {
    return topics.isEmpty();
  }

  /** Waits until there is none. */
  void hold(TopicRegistry.AwaitOpened await) {
    waiting.add(await);
  }

  /** Who waited, if there is none any more. */
  List<TopicRegistry.AwaitOpened> released() {
    List<TopicRegistry.AwaitOpened> released = topics.isEmpty() ? List.copyOf(waiting) : List.of();
    waiting.removeAll(released);
    return released;
  }
}
