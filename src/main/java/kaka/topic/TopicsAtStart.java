package kaka.topic;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import kaka.log.Disk;
import kaka.log.LogDamagedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the registry begins with: the topics that its log tells of. Where that is damaged, those that {@link FoundTopics} is
 * certain of: they are served, written and read, and nothing of them expires; none can be created or deleted until an operator
 * has had the log made anew.
 *
 * @param completedCounts of a topic by its id: so many partitions, from number 0, have had their directories
 * @param deleted whose files a stop may have left
 * @param notice what everybody should know who asks about topics; empty if all is well
 */
record TopicsAtStart(
    TopicJournal journal, List<Topic> topics, Map<UUID, Integer> completedCounts, List<Topic> deleted, String notice) {
  private static final Logger LOG = LoggerFactory.getLogger(TopicsAtStart.class);

  TopicsAtStart {
    topics = List.copyOf(topics);
    completedCounts = Map.copyOf(completedCounts);
    deleted = List.copyOf(deleted);
  }

  int completedCount(Topic topic) {
    return completedCounts.get(topic.id());
  }

  /** @throws IOException if the log cannot be read, or tells of what this version does not know */
  static TopicsAtStart read(TopicStorage storage) throws IOException {
    Disk disk = storage.disk();
    Path dataDirectory = storage.dataDirectory();
    try {
      return of(TopicLog.open(disk, dataDirectory, storage.log(), storage.clock()), disk, dataDirectory);
    } catch (LogDamagedException damage) {
      return of(FoundTopics.find(disk, dataDirectory).keepingEverything(), damage);
    }
  }

  /** Also finishes imports, before a partition is opened: an empty one in the place of one is not to be written to. */
  private static TopicsAtStart of(TopicLog log, Disk disk, Path dataDirectory) throws IOException {
    try {
      KnownTopics known = KnownTopics.of(log.events());
      TopicImport.finish(disk, dataDirectory, known);
      Map<UUID, Integer> completedCounts = new HashMap<>();
      known.topics().forEach(topic -> completedCounts.put(topic.id(), known.completedCount(topic)));
      return new TopicsAtStart(TopicJournal.of(log), List.copyOf(known.topics()), completedCounts, known.deleted(), "");
    } catch (IOException e) {
      log.close();
      throw e;
    }
  }

  private static TopicsAtStart of(FoundTopics found, LogDamagedException damage) {
    LOG.error(
        "topic log damaged, topics found by their directories, none can be created or deleted, nothing expires"
            + " topics={} settings_lost={} doubts={} cause=\"{}\"",
        found.topics().size(),
        found.settingsLost(),
        found.doubts(),
        damage.getMessage());
    TopicJournal journal = TopicJournal.closed("the log of topics is damaged: " + damage.getMessage());
    Map<UUID, Integer> completedCounts = new HashMap<>();
    found.topics().forEach(topic -> completedCounts.put(topic.id(), topic.partitionCount()));
    String notice = "topics cannot be created or deleted, nothing expires: " + journal.unchangeable();
    return new TopicsAtStart(journal, found.topics(), completedCounts, List.of(), notice);
  }
}
