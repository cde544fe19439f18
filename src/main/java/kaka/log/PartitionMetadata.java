package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code partition.metadata}, Kafka's file: which topic a directory belongs to. It is the last thing that creating a partition
 * writes, so where it is, a segment must be too.
 *
 * <pre>
 * version: 0
 * topic_id: dbWqJoBJR5yJzIlrCGBq0Q
 * </pre>
 */
final class PartitionMetadata {
  private static final Pattern CONTENT = Pattern.compile("version: 0\ntopic_id: ([A-Za-z0-9_-]{22})\n?");

  private PartitionMetadata() {}

  static void write(Disk disk, LogFiles files, UUID topicId) throws IOException {
    WholeFile.replace(disk, files.metadata(), content(topicId));
  }

  static String content(UUID topicId) {
    return "version: 0\ntopic_id: " + TopicIds.text(topicId) + "\n";
  }

  /** @throws LogDamagedException if it is no such file */
  static UUID read(Disk disk, LogFiles files) throws IOException {
    Path file = files.metadata();
    Matcher matcher = CONTENT.matcher(WholeFile.read(disk, file));
    if (!matcher.matches()) {
      throw new LogDamagedException(file, 0, "not \"version: 0\" and a topic id");
    }
    try {
      return TopicIds.parse(matcher.group(1));
    } catch (IllegalArgumentException e) {
      throw new LogDamagedException(file, 0, e.getMessage());
    }
  }

  /** @throws LogDamagedException if the directory belongs to another topic */
  static void check(Disk disk, LogFiles files, UUID topicId) throws IOException {
    String advice = Advice.forText(files.metadata(), "the records beside it are this topic's", content(topicId));
    UUID found;
    try {
      found = read(disk, files);
    } catch (LogDamagedException e) {
      throw new LogDamagedException(e.file(), e.position(), e.reason(), advice);
    }
    if (!found.equals(topicId)) {
      throw new LogDamagedException(
          files.metadata(), 0, "belongs to topic id " + TopicIds.text(found) + ", not " + TopicIds.text(topicId), advice);
    }
  }
}
