package kaka.topic;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import kaka.log.Disk;
import kaka.log.LogConfig;

/**
 * Makes the registry's log anew from what {@link FoundTopics} finds, where it is damaged or missing, and keeps the old one
 * aside. No broker may have the directory meanwhile.
 *
 * <p>The new log is written under another name and gets a third when it is complete; then the old one moves aside and the new
 * one into its place. A crash leaves one of the two in place, or the complete new one under its third name: the same call then
 * goes on.
 */
public final class TopicsRebuild {
  private static final String WRITING = TopicLog.DIRECTORY + ".new";
  private static final String COMPLETE = TopicLog.DIRECTORY + ".rebuilt";
  private static final String OLD = TopicLog.DIRECTORY + ".damaged-";

  private TopicsRebuild() {}

  /**
   * What a rebuild would come to.
   *
   * @param topics a line about each
   * @param doubts what could not be assigned to a topic, and why: it stays where it is and is not served
   */
  public record Plan(List<String> topics, List<String> doubts) {
    public Plan {
      topics = List.copyOf(topics);
      doubts = List.copyOf(doubts);
    }
  }

  /** Changes nothing. */
  public static Plan plan(Disk disk, Path dataDirectory) throws IOException {
    FoundTopics found = FoundTopics.findWithImports(disk, dataDirectory);
    List<String> lines = new ArrayList<>();
    for (Topic topic : found.topics()) {
      int partitions = topic.partitionCount();
      String settings =
          found.settingsLost().contains(topic.name())
              ? ", its own settings are lost: nothing of it will expire"
              : topic.settings().values().isEmpty() ? "" : ", settings " + topic.settings().values();
      lines.add(
          topic.name() + ": " + partitions + (partitions == 1 ? " partition" : " partitions") + ", id " + topic.id() + settings);
      found.imports().stream()
          .filter(imported -> imported.topicId().equals(topic.id()))
          .forEach(imported -> lines.add(topic.name() + "-" + imported.partition() + ": imported; the next start puts it into its place"));
    }
    return new Plan(lines, found.doubts());
  }

  /** @return where the old log is kept; the new one's place if there was no old one */
  public static Path run(Disk disk, Path dataDirectory, LogConfig config, Clock clock) throws IOException {
    Path complete = dataDirectory.resolve(COMPLETE);
    if (!disk.exists(complete)) {
      write(disk, dataDirectory, config, clock);
    }
    Path place = dataDirectory.resolve(TopicLog.DIRECTORY);
    Path old = place;
    if (disk.exists(place)) {
      old = unused(disk, dataDirectory);
      disk.move(place, old);
    }
    disk.move(complete, place);
    disk.syncDirectory(dataDirectory);
    return old;
  }

  private static void write(Disk disk, Path dataDirectory, LogConfig config, Clock clock) throws IOException {
    FoundTopics found = FoundTopics.findWithImports(disk, dataDirectory);
    Path writing = dataDirectory.resolve(WRITING);
    if (disk.exists(writing)) { // a crash left it
      for (String name : disk.list(writing)) {
        disk.delete(writing.resolve(name));
      }
      disk.delete(writing);
    }
    try (TopicLog log = TopicLog.create(disk, writing, config, clock)) {
      for (Topic topic : found.topics()) {
        log.append(new TopicEvent.Created(topic));
        log.append(new TopicEvent.Completed(topic.id())); // a directory that is missing is a loss
      }
      for (TopicEvent.Imported imported : found.imports()) { // the next start, or import, puts it into its place
        log.append(imported);
      }
    }
    disk.move(writing, dataDirectory.resolve(COMPLETE));
    disk.syncDirectory(dataDirectory);
  }

  private static Path unused(Disk disk, Path dataDirectory) throws IOException {
    int n = 1;
    while (disk.exists(dataDirectory.resolve(OLD + n))) {
      n++;
    }
    return dataDirectory.resolve(OLD + n);
  }
}
