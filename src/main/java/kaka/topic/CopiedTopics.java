package kaka.topic;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import kaka.log.Disk;
import kaka.log.InternalLog;
import kaka.log.LogConfig;
import kaka.log.PartitionDirectory;
import kaka.record.TopicPartition;

/**
 * The registry's log in a copy of a data directory whose broker went on meanwhile. It was copied before the partitions: topics
 * that were created since are not in the copy, and those that were deleted since are deleted in it too.
 */
public final class CopiedTopics {
  private final Disk disk;
  private final Path copy;
  private final LogConfig config;
  private final Clock clock;

  /** @param copy of a data directory, which holds the log already */
  public CopiedTopics(Disk disk, Path copy, LogConfig config, Clock clock) {
    this.disk = disk;
    this.copy = copy;
    this.config = config;
    this.clock = clock;
  }

  /** @param isCreated whether its directory must have been there when the log was copied; if not, it may be being created */
  public record Partition(TopicPartition id, UUID topicId, boolean isCreated) {
    /** In the data directory. */
    public String directory() {
      return id.toString();
    }

    /** Whether {@code dataDirectory} has it, and not another topic's of the same name. */
    public boolean isIn(Disk disk, Path dataDirectory) throws IOException {
      return PartitionDirectory.isOf(disk, dataDirectory.resolve(directory()), topicId);
    }
  }

  /** All of all topics. */
  public List<Partition> partitions() throws IOException {
    List<Partition> partitions = new ArrayList<>();
    try (TopicLog log = TopicLog.open(disk, copy, config, clock)) {
      KnownTopics known = KnownTopics.of(log.events());
      for (Topic topic : known.topics()) {
        for (int i = 0; i < topic.partitionCount(); i++) {
          partitions.add(new Partition(new TopicPartition(topic.name(), i), topic.id(), i < known.completedCount(topic)));
        }
      }
    }
    return partitions;
  }

  /** Whether the source's log says by now that the topic is deleted; it is only read. */
  public static boolean isDeleted(Disk disk, Path source, UUID topicId) throws IOException {
    return FoundTopics.events(disk, source.resolve(InternalLog.TOPICS.directory())).stream()
        .anyMatch(event -> event instanceof TopicEvent.Deleted && event.topicId().equals(topicId));
  }

  /** As if they had been deleted before the copy was made. */
  public void delete(Set<UUID> topicIds) throws IOException {
    if (topicIds.isEmpty()) {
      return;
    }
    try (TopicLog log = TopicLog.open(disk, copy, config, clock)) {
      log.append(topicIds.stream().map(TopicEvent.Deleted::new).toArray(TopicEvent[]::new));
    }
  }
}
