package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Deletes a partition's directory so that a crash leaves either the partition or a name that says it is being deleted:
 * renamed to {@code <name>.<topicId>-delete} first.
 */
final class PartitionDeletion {
  private static final String SUFFIX = "-delete";
  private static final int MAX_NAME_SIZE = 255; // of a file system's

  /** No partition's directory ends so: its name ends in a number. */
  private static final Pattern DELETED = Pattern.compile(".+\\.[A-Za-z0-9_-]{" + TopicIds.TEXT_SIZE + "}" + SUFFIX);

  private PartitionDeletion() {}

  static void delete(Disk disk, Path directory, UUID topicId) throws IOException {
    Path renamed = directory.resolveSibling(deletedName(String.valueOf(directory.getFileName()), topicId));
    disk.move(directory, renamed);
    disk.syncDirectory(WholeFile.parentOf(directory));
    finish(disk, renamed);
  }

  /** Deletes what is left of {@code directory} if its name says so. @return whether it does */
  static boolean finish(Disk disk, Path directory) throws IOException {
    if (!DELETED.matcher(String.valueOf(directory.getFileName())).matches()) {
      return false;
    }
    for (String name : disk.list(directory)) {
      disk.delete(directory.resolve(name));
    }
    disk.delete(directory);
    disk.syncDirectory(WholeFile.parentOf(directory));
    return true;
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
