package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes a partition's directory so that a crash leaves either the partition or a name that says it is being deleted:
 * renamed to {@code <name>.<topicId>-delete} first.
 */
final class PartitionDeletion {
  private static final String SUFFIX = "-delete";
  private static final int MAX_NAME_SIZE = 255; // of a file system's

  private static final String TEMPORARY = ".tmp";
  private static final String CUT = ".cut";
  private static final Logger LOG = LoggerFactory.getLogger(PartitionDeletion.class);

  /** No partition's directory ends so: its name ends in a number. */
  private static final Pattern DELETED = Pattern.compile(".+\\.([A-Za-z0-9_-]{" + TopicIds.TEXT_SIZE + "})" + SUFFIX);

  private PartitionDeletion() {}

  static void delete(Disk disk, Path directory, UUID topicId) throws IOException {
    Path renamed = directory.resolveSibling(deletedName(String.valueOf(directory.getFileName()), topicId));
    disk.move(directory, renamed);
    disk.syncDirectory(WholeFile.parentOf(directory));
    finish(disk, renamed);
  }

  /**
   * Deletes what is left of {@code directory} if its name says that its deletion was begun, and what is in it that it is a
   * partition's: {@code partition.metadata} of the topic that the name tells goes last. Files that are not a partition's are
   * never touched; the directory then stays.
   *
   * @return whether it was such a directory
   */
  static boolean finish(Disk disk, Path directory) throws IOException {
    if (!isBeingDeleted(disk, directory)) {
      return false;
    }
    LogFiles files = new LogFiles(directory);
    List<String> foreign = new ArrayList<>();
    for (String name : disk.list(directory)) {
      Path file = directory.resolve(name);
      if (!isOfPartition(file) || disk.isDirectory(file)) {
        foreign.add(name);
      } else if (!file.equals(files.metadata())) {
        disk.delete(file);
      }
    }
    if (!foreign.isEmpty()) {
      LOG.warn("deletion leaves files that are not a partition's directory={} files={}", directory, foreign);
      return true;
    }
    if (disk.exists(files.metadata())) {
      disk.syncDirectory(directory); // the others have gone for good before what tells whose they were goes
      disk.delete(files.metadata());
    }
    disk.delete(directory);
    disk.syncDirectory(WholeFile.parentOf(directory));
    return true;
  }

  /** Whether its name says so, and nothing in it that it is another topic's, or nobody's. */
  static boolean isBeingDeleted(Disk disk, Path directory) throws IOException {
    Matcher matcher = DELETED.matcher(String.valueOf(directory.getFileName()));
    if (!matcher.matches() || !disk.isDirectory(directory)) {
      return false;
    }
    LogFiles files = new LogFiles(directory);
    if (!disk.exists(files.metadata())) {
      return disk.list(directory).isEmpty(); // the last step of a deletion is left
    }
    try {
      return TopicIds.text(PartitionMetadata.read(disk, files)).equals(matcher.group(1));
    } catch (LogDamagedException e) {
      LOG.warn("directory left, its name says deleted, its contents do not say whose directory={}", directory);
      return false;
    }
  }

  private static boolean isOfPartition(Path file) {
    String name = String.valueOf(file.getFileName());
    if (name.endsWith(TEMPORARY)) {
      name = name.substring(0, name.length() - TEMPORARY.length());
    }
    return LogFiles.isPartOfLog(file.resolveSibling(name)) || name.endsWith(CUT);
  }

  /** A name that a file system takes: the topic's part is cut where it must be, the partition's number stays. */
  static String deletedName(String name, UUID topicId) {
    String tail = "." + TopicIds.text(topicId) + SUFFIX;
    int kept = MAX_NAME_SIZE - tail.length();
    if (name.length() > kept) {
      String number = name.substring(name.lastIndexOf('-'));
      name = name.substring(0, kept - number.length()) + number;
    }
    return name + tail;
  }
}
