package kaka.topic;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kaka.log.Disk;
import kaka.log.DiskSpaceWatch;
import kaka.log.LogConfig;
import kaka.log.LogResources;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionLog;
import kaka.log.StagingPool;
import kaka.record.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The partitions' directories: {@code <data directory>/<topic>-<partition>}, each marked with its topic's id. */
final class PartitionFiles {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionFiles.class);

  private static final Pattern PARTITION = Pattern.compile("(.+)-\\d+");

  /** For the commits of all partitions: some for each thread that commits, and for partitions that wait for one. */
  private static final long STAGING_BYTES = 8 * 1024 * 1024;

  private final Disk disk;
  private final Path dataDirectory;
  private final Clock clock;
  private final LogResources resources;

  /** Partitions whose removal failed, or is under way, and whose they were. */
  private final Map<Path, UUID> notRemoved = new ConcurrentHashMap<>();

  /** @param storageThreads for what blocks and nobody waits for */
  PartitionFiles(Disk disk, Path dataDirectory, Clock clock, Executor storageThreads) {
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    this.clock = clock;
    this.resources =
        new LogResources(
            new StagingPool(STAGING_BYTES), new DiskSpaceWatch(disk, dataDirectory, clock), storageThreads);
  }

  /**
   * Opens a partition's log, or creates it where its topic's creation may have been cut short.
   *
   * @param mustExist whether the registry knows that the directory was there, so that a missing one is damage
   */
  PartitionLog open(TopicPartition id, UUID topicId, LogConfig config, boolean mustExist) throws IOException {
    Path directory = dataDirectory.resolve(id.toString());
    UUID left = notRemoved.get(directory);
    if (left != null && !left.equals(topicId)) {
      remove(id, left); // a topic of the same name came before, and the disk did not let go of it then
    }
    if (mustExist || PartitionDirectory.isCreated(disk, directory)) {
      return PartitionLog.open(disk, directory, topicId, config, clock, resources);
    }
    return PartitionLog.create(disk, directory, topicId, config, clock, resources);
  }

  /** A removal that fails is tried again when a new topic of that name needs the directory, or at the next start. */
  void remove(TopicPartition id, UUID topicId) throws IOException {
    Path directory = dataDirectory.resolve(id.toString());
    notRemoved.put(directory, topicId);
    if (PartitionDirectory.isOf(disk, directory, topicId)) {
      PartitionDirectory.delete(disk, directory, topicId);
    }
    notRemoved.remove(directory, topicId);
  }

  /**
   * Removes what the deletion of {@code topics} may have left when it was cut short; anything else is let alone. One that
   * cannot be removed keeps no other: the next start tries again. Looks at the directories that are there, not at all that
   * ever were.
   */
  void finishDeletions(Collection<Topic> topics) {
    Map<String, Set<UUID>> deletedIds = new HashMap<>();
    topics.forEach(topic -> deletedIds.computeIfAbsent(topic.name(), name -> new HashSet<>()).add(topic.id()));
    List<String> names;
    try {
      names = disk.list(dataDirectory);
    } catch (IOException e) {
      LOG.warn("deletions not finished, next start goes on cause={}", e.toString());
      return;
    }
    for (String name : names) {
      try {
        finishDeletion(name, deletedIds);
      } catch (IOException e) {
        LOG.warn("deletion not finished, next start goes on directory={} cause={}", name, e.toString());
      }
    }
  }

  private void finishDeletion(String name, Map<String, Set<UUID>> deletedIds) throws IOException {
    Path directory = dataDirectory.resolve(name);
    if (PartitionDirectory.finishDeletion(disk, directory)) {
      LOG.info("deletion finished directory={}", name);
      return;
    }
    Matcher partition = PARTITION.matcher(name);
    if (!partition.matches() || !deletedIds.containsKey(partition.group(1)) || !PartitionDirectory.isCreated(disk, directory)) {
      return;
    }
    UUID id = PartitionDirectory.topicIdOf(disk, directory);
    if (deletedIds.get(partition.group(1)).contains(id)) {
      PartitionDirectory.delete(disk, directory, id);
      LOG.info("deletion finished directory={}", name);
    }
  }
}
