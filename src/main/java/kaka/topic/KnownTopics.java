package kaka.topic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What the events of the registry's log come to, replayed from the first. */
final class KnownTopics {
  private final Map<UUID, Topic> topics = new LinkedHashMap<>();
  private final Set<UUID> completed = new HashSet<>();
  private final List<Topic> deleted = new ArrayList<>();
  private final List<TopicEvent.Imported> imports = new ArrayList<>();

  static KnownTopics of(List<TopicEvent> events) {
    KnownTopics known = new KnownTopics();
    events.forEach(known::apply);
    return known;
  }

  private void apply(TopicEvent event) {
    if (event instanceof TopicEvent.Created created) {
      topics.put(created.topicId(), created.topic());
    } else if (event instanceof TopicEvent.Completed) {
      completed.add(event.topicId());
    } else if (event instanceof TopicEvent.Imported imported) {
      imports.add(imported);
    } else {
      Topic gone = topics.remove(event.topicId());
      if (gone != null) {
        deleted.add(gone);
      }
    }
  }

  /** Those that exist, in the order of their creation. */
  Collection<Topic> topics() {
    return topics.values();
  }

  /** Whether every partition of it has had its directory. */
  boolean isCompleted(Topic topic) {
    return completed.contains(topic.id());
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
