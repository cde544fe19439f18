package kaka.topic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What the events of the registry's log come to, replayed from the first. */
final class KnownTopics {
  private final Map<UUID, Topic> topics = new LinkedHashMap<>();
  private final Map<UUID, Integer> completed = new HashMap<>();
  private final List<Topic> deleted = new ArrayList<>();
  private final List<TopicEvent.Imported> imports = new ArrayList<>();

  static KnownTopics of(List<TopicEvent> events) {
    KnownTopics known = new KnownTopics();
    events.forEach(known::apply);
    return known;
  }

  private void apply(TopicEvent event) {
    UUID id = event.topicId();
    if (event instanceof TopicEvent.Created created) {
      topics.put(id, created.topic());
    } else if (event instanceof TopicEvent.PartitionsAdded added) {
      topics.computeIfPresent(id, (same, topic) -> topic.withPartitionCount(added.partitionCount()));
    } else if (event instanceof TopicEvent.SettingsChanged changed) {
      topics.computeIfPresent(id, (same, topic) -> topic.withSettings(changed.settings()));
    } else if (event instanceof TopicEvent.Imported imported) {
      imports.add(imported);
    } else if (event instanceof TopicEvent.Completed && topics.containsKey(id)) {
      completed.put(id, topics.get(id).partitionCount());
    } else if (event instanceof TopicEvent.Deleted && topics.containsKey(id)) {
      deleted.add(topics.remove(id));
    }
  }

  /** Those that exist, in the order of their creation. */
  Collection<Topic> topics() {
    return topics.values();
  }

  /** How many partitions of it, from number 0, have had their directories: one of these that is missing is a loss. */
  int completedCount(Topic topic) {
    return completed.getOrDefault(topic.id(), 0);
  }

  /** Those that were deleted, whose files a stop may have left. */
  List<Topic> deleted() {
    return deleted;
  }

  /** Those of topics that exist, done or not. */
  List<TopicEvent.Imported> imports() {
    return imports.stream().filter(imported -> topics.containsKey(imported.topicId())).toList();
  }

  Topic topic(TopicEvent.Imported imported) {
    return topics.get(imported.topicId());
  }
}
