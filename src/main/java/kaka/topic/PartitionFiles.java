package kaka.topic;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.UUID;
import kaka.log.Disk;
import kaka.log.DiskSpaceWatch;
import kaka.log.LogConfig;
import kaka.log.LogResources;
import kaka.log.PartitionLog;
import kaka.log.StagingPool;
import kaka.record.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The partitions' directories: {@code <data directory>/<topic>-<partition>}, each marked with its topic's id. */
final class PartitionFiles {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionFiles.class);

  /** For the commits of all partitions: some for each thread that commits, and for partitions that wait for one. */
  private static final long STAGING_BYTES = 8 * 1024 * 1024;

  private final Disk disk;
  private final Path dataDirectory;
  private final Clock clock;
  private final LogResources resources;

  PartitionFiles(Disk disk, Path dataDirectory, Clock clock) {
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    this.clock = clock;
    this.resources =
        new LogResources(new StagingPool(STAGING_BYTES), new DiskSpaceWatch(disk, dataDirectory, clock));
  }

  /**
   * Opens a partition's log, or creates it where its topic's creation may have been cut short.
   *
   * @param mustExist whether the registry knows that the directory was there, so that a missing one is damage
   */
  PartitionLog open(TopicPartition id, UUID topicId, LogConfig config, boolean mustExist) throws IOException {
    Path directory = dataDirectory.resolve(id.toString());
    if (mustExist || PartitionLog.isCreated(disk, directory)) {
      return PartitionLog.open(disk, directory, topicId, config, clock, resources);
    }
    return PartitionLog.create(disk, directory, topicId, config, clock, resources);
  }

  void remove(TopicPartition id, UUID topicId) throws IOException {
    Path directory = dataDirectory.resolve(id.toString());
    if (PartitionLog.isOf(disk, directory, topicId)) {
      PartitionLog.delete(disk, directory, topicId);
    }
  }

  /** Removes what the deletion of {@code topics} may have left when it was cut short; anything else is let alone. */
  void finishDeletions(Collection<Topic> topics) {
    try {
      for (String name : disk.list(dataDirectory)) {
        if (PartitionLog.finishDeletion(disk, dataDirectory.resolve(name))) {
          LOG.info("deletion finished directory={}", name);
        }
      }
      for (Topic topic : topics) {
        for (int partition = 0; partition < topic.partitionCount(); partition++) {
          remove(new TopicPartition(topic.name(), partition), topic.id());
        }
      }
    } catch (IOException e) {
      LOG.warn("deletion not finished, next start goes on cause={}", e.toString());
    }
  }
}
