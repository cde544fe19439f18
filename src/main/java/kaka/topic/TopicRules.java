package kaka.topic;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import kaka.log.DescriptorBudget;
import kaka.log.Disk;
import kaka.log.LogConfig;

/** Decides what topics can be created and how they can change. Changes nothing, and asks no more than the disk's free space. */
final class TopicRules {
  /** Files that a partition has open: its active segment, and its recovery point. */
  private static final int FILES_PER_PARTITION = 2;

  private final TopicsConfig config;
  private final LogConfig brokerLog;
  private final Disk disk;
  private final Path dataDirectory;
  private final DescriptorBudget descriptors;

  TopicRules(TopicsConfig config, LogConfig brokerLog, Disk disk, Path dataDirectory, DescriptorBudget descriptors) {
    this.config = config;
    this.brokerLog = brokerLog;
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    this.descriptors = descriptors;
  }

  /**
   * A new topic.
   *
   * @param partitionCount 0 for the broker's default
   * @param existing those there are
   */
  TopicDecision create(String name, int partitionCount, Map<String, String> settings, RoutingTable existing) {
    Optional<String> problem = TopicName.problemOf(name);
    if (problem.isPresent()) {
      return invalid(problem.get());
    }
    if (existing.find(name).isPresent()) {
      return new TopicDecision.Refused(TopicRefusal.EXISTS, "topic '" + name + "' exists");
    }
    try {
      int count = partitionCount == 0 ? config.defaultPartitions() : partitionCount;
      TopicSettings own = new TopicSettings(settings);
      own.over(brokerLog);
      return ifRoom(new Topic(name, UUID.randomUUID(), count, own), count);
    } catch (IllegalArgumentException e) {
      return invalid(e.getMessage());
    }
  }

  /** A topic that is used and not there: as the broker's defaults are, if it creates topics so, and with that partition. */
  TopicDecision createUsed(String name, int partition, RoutingTable existing) {
    return config.autoCreate() && partition < config.defaultPartitions()
        ? create(name, 0, Map.of(), existing)
        : new TopicDecision.Refused(TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION, "no topic '" + name + "'");
  }

  /** More partitions; fewer would lose records, and as many are no change that anybody means. */
  TopicDecision addPartitions(Topic topic, int partitionCount) {
    if (partitionCount <= topic.partitionCount()) {
      return invalid(
          "topic '" + topic.name() + "' has " + topic.partitionCount() + " partitions: " + partitionCount
              + " are not more, and none can be taken away");
    }
    try {
      return ifRoom(topic.withPartitionCount(partitionCount), partitionCount - topic.partitionCount());
    } catch (IllegalArgumentException e) {
      return invalid(e.getMessage());
    }
  }

  /** @param changes name to value; an empty one takes the topic's own setting away, so that the broker's is in force */
  TopicDecision alter(Topic topic, Map<String, String> changes) {
    Map<String, String> own = new HashMap<>(topic.settings().values());
    try {
      changes.forEach(
          (name, value) -> {
            TopicSettings.requireKnown(name);
            if (value.isEmpty()) {
              own.remove(name);
            } else {
              own.put(name, value);
            }
          });
      TopicSettings settings = new TopicSettings(own);
      settings.over(brokerLog);
      return new TopicDecision.Accepted(topic.withSettings(settings));
    } catch (IllegalArgumentException e) {
      return invalid(e.getMessage());
    }
  }

  /** Refused before anything is touched: a partition that cannot be created would be failed for good. */
  private TopicDecision ifRoom(Topic topic, int newPartitions) {
    return noRoomFor(newPartitions)
        .<TopicDecision>map(why -> new TopicDecision.Refused(TopicRefusal.STORAGE_FAILED, why))
        .orElseGet(() -> new TopicDecision.Accepted(topic));
  }

  private Optional<String> noRoomFor(int newPartitions) {
    if (!descriptors.hasRoomFor(newPartitions * FILES_PER_PARTITION)) {
      return Optional.of(
          newPartitions + " more partitions: the broker may have " + descriptors.maxOpen() + " files open and has "
              + descriptors.openCount() + " (ulimit -n, LimitNOFILE)");
    }
    try {
      boolean isNearlyFull = disk.usableBytes(dataDirectory) < brokerLog.minFreeBytes();
      return isNearlyFull ? Optional.of("disk nearly full") : Optional.empty();
    } catch (IOException e) {
      return Optional.of("free space is not known: " + e.getMessage());
    }
  }

  private static TopicDecision invalid(String message) {
    return new TopicDecision.Refused(TopicRefusal.INVALID, message);
  }
}
