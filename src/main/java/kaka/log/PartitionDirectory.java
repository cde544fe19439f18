package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/** What can be asked of a partition's directory, and done to it, while nobody has its log open. */
public final class PartitionDirectory {
  private PartitionDirectory() {}

  /** Whether {@link PartitionLog#create} has once been completed here, so that {@link PartitionLog#open} is what comes next. */
  public static boolean isCreated(Disk disk, Path directory) throws IOException {
    return disk.exists(new LogFiles(directory).metadata());
  }

  /**
   * Which topic's log is here.
   *
   * @throws LogDamagedException if its mark is missing or is none
   */
  public static UUID topicIdOf(Disk disk, Path directory) throws IOException {
    LogFiles files = new LogFiles(directory);
    if (!disk.exists(files.metadata())) {
      throw new LogDamagedException(files.metadata(), 0, "missing: it was never completely created, or not copied");
    }
    return PartitionMetadata.read(disk, files);
  }

  /** Whether a complete log of that topic, and of no other, is here. */
  public static boolean isOf(Disk disk, Path directory, UUID topicId) throws IOException {
    return isCreated(disk, directory) && PartitionMetadata.read(disk, new LogFiles(directory)).equals(topicId);
  }

  /**
   * Deletes a log that is closed. A crash leaves it as it was, or under a name that {@link #finishDeletion} knows.
   *
   * @param directory holds the log of topic {@code topicId}
   */
  public static void delete(Disk disk, Path directory, UUID topicId) throws IOException {
    PartitionDeletion.delete(disk, directory, topicId);
  }

  /** Whether {@link #finishDeletion} would find that {@code directory} is to go; changes nothing. */
  public static boolean isBeingDeleted(Disk disk, Path directory) throws IOException {
    return PartitionDeletion.isBeingDeleted(disk, directory);
  }

  /** Deletes what an interrupted {@link #delete} left, if {@code directory} is that. @return whether it was */
  public static boolean finishDeletion(Disk disk, Path directory) throws IOException {
    return PartitionDeletion.finish(disk, directory);
  }
}
