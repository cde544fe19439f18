package kaka.topic;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import kaka.log.Disk;
import kaka.log.LogDamagedException;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionImport;
import kaka.log.SegmentScan;
import kaka.record.InvalidBatchException;
import kaka.record.Record;

/**
 * Which topics there are, where the registry's log can no longer tell: those whose partitions' directories say so. A directory
 * is named after topic and partition, and marked with the topic's id. What the log still has intact adds to that: settings and
 * the number of partitions of an id that a directory carries; a deletion. A topic without any directory is not invented.
 *
 * @param topics in the order of their names; the settings of one whose creation is not in the log any more keep everything
 * @param settingsLost names of those
 * @param imports whose copies are complete and not in their places yet
 * @param doubts directories that could not be assigned and why, for people
 */
record FoundTopics(List<Topic> topics, Set<String> settingsLost, List<TopicEvent.Imported> imports, List<String> doubts) {
  private static final Pattern DIRECTORY = Pattern.compile("(.+)-(0|[1-9][0-9]{0,8})");

  /** Nothing expires: what the topic's own settings were, nobody knows. */
  static final Map<String, String> KEEP_EVERYTHING =
      Map.of(TopicSettings.RETENTION_BYTES, "-1", TopicSettings.RETENTION_MS, "-1");

  FoundTopics {
    topics = List.copyOf(topics);
    settingsLost = Set.copyOf(settingsLost);
    imports = List.copyOf(imports);
    doubts = List.copyOf(doubts);
  }

  /** Partition number to the id in its directory, empty where that is not readable. */
  private static final class Directories {
    final TreeMap<Integer, Optional<UUID>> ids = new TreeMap<>();
  }

  /** @throws IOException if the disk cannot be read, or the log has intact events that this version does not know */
  static FoundTopics find(Disk disk, Path dataDirectory) throws IOException {
    return find(disk, dataDirectory, false);
  }

  /** The same, for a log that will tell of imports, too: a partition that was taken in and is not in its place yet counts as found. */
  static FoundTopics findWithImports(Disk disk, Path dataDirectory) throws IOException {
    return find(disk, dataDirectory, true);
  }

  private static FoundTopics find(Disk disk, Path dataDirectory, boolean withImports) throws IOException {
    List<String> doubts = new ArrayList<>();
    TreeMap<String, Directories> byName = directories(disk, dataDirectory, doubts);
    Events events = new Events(events(disk, dataDirectory.resolve(TopicLog.DIRECTORY)));
    List<TopicEvent.Imported> imports = withImports ? imports(disk, dataDirectory, byName, events, doubts) : new ArrayList<>();
    List<Topic> topics = new ArrayList<>();
    Set<String> settingsLost = new HashSet<>();
    byName.forEach(
        (name, found) -> {
          Optional<UUID> id = idOf(name, found, events, doubts);
          if (id.isEmpty()) {
            return;
          }
          Topic created = events.created.get(id.get());
          int partitionCount = found.ids.lastKey() + 1;
          if (created == null) {
            settingsLost.add(name);
            topics.add(new Topic(name, id.get(), partitionCount, new TopicSettings(KEEP_EVERYTHING)));
          } else {
            int count = Math.max(partitionCount, created.partitionCount());
            topics.add(new Topic(name, id.get(), count, created.settings()));
          }
        });
    for (Topic topic : events.created.values()) {
      if (!events.deleted.contains(topic.id()) && !byName.containsKey(topic.name())) {
        doubts.add("topic " + topic.name() + " has no directory: deleted, or lost");
      }
    }
    imports.removeIf(imported -> topics.stream().noneMatch(topic -> topic.id().equals(imported.topicId())));
    return new FoundTopics(topics, settingsLost, imports, doubts);
  }

  /** Copies that are wanted and not in their places; each is put into {@code byName} as it will be. */
  private static List<TopicEvent.Imported> imports(
      Disk disk, Path dataDirectory, TreeMap<String, Directories> byName, Events events, List<String> doubts) throws IOException {
    Map<String, TopicEvent.Imported> wanted = new HashMap<>();
    for (TopicEvent.Imported each : events.imported) {
      if (!events.deleted.contains(each.topicId())) {
        wanted.put(PartitionImport.directory(dataDirectory, each.importId()).getFileName().toString(), each);
      }
    }
    List<TopicEvent.Imported> imports = new ArrayList<>();
    for (String directory : disk.list(dataDirectory)) {
      if (!PartitionImport.isDirectory(directory)) {
        continue;
      }
      TopicEvent.Imported imported = wanted.get(directory);
      Optional<String> name = imported == null ? Optional.empty() : nameOf(imported.topicId(), byName, events);
      if (name.isEmpty()) {
        doubts.add(directory + ": left by an import, and the log tells of no partition that it is for: it would have to be imported again");
        continue;
      }
      byName.computeIfAbsent(name.get(), each -> new Directories()).ids.putIfAbsent(imported.partition(), Optional.of(imported.topicId()));
      imports.add(imported);
    }
    return imports;
  }

  private static Optional<String> nameOf(UUID topicId, TreeMap<String, Directories> byName, Events events) {
    return events.created.containsKey(topicId)
        ? Optional.of(events.created.get(topicId).name())
        : byName.entrySet().stream()
            .filter(found -> found.getValue().ids.containsValue(Optional.of(topicId)))
            .map(Map.Entry::getKey)
            .findFirst();
  }

  private static TreeMap<String, Directories> directories(Disk disk, Path dataDirectory, List<String> doubts)
      throws IOException {
    TreeMap<String, Directories> byName = new TreeMap<>();
    for (String directory : disk.list(dataDirectory)) {
      Matcher matcher = DIRECTORY.matcher(directory);
      if (!matcher.matches() || TopicName.problemOf(matcher.group(1)).isPresent()) {
        continue;
      }
      try {
        if (!disk.isDirectory(dataDirectory.resolve(directory))) {
          continue;
        }
      } catch (IOException e) { // a link to a disk that is not mounted, say
        doubts.add(directory + ": cannot be looked at: " + e.getMessage());
        continue;
      }
      int partition = Integer.parseInt(matcher.group(2));
      if (partition >= TopicsConfig.MAX_PARTITIONS) {
        doubts.add(directory + ": no topic has so many partitions");
        continue;
      }
      Optional<UUID> id = Optional.empty();
      try {
        id = Optional.of(PartitionDirectory.topicIdOf(disk, dataDirectory.resolve(directory)));
      } catch (LogDamagedException e) {
        doubts.add(directory + ": " + e.reason());
      }
      byName.computeIfAbsent(matcher.group(1), name -> new Directories()).ids.put(partition, id);
    }
    return byName;
  }

  /** The one id that all readable marks have; where they differ, or none is readable, the one that the log says lives. */
  private static Optional<UUID> idOf(String name, Directories found, Events events, List<String> doubts) {
    Set<UUID> marks =
        found.ids.values().stream()
            .flatMap(Optional::stream)
            .filter(id -> !events.deleted.contains(id))
            .collect(Collectors.toSet());
    if (marks.size() == 1) {
      return Optional.of(marks.iterator().next());
    }
    List<UUID> living =
        events.created.values().stream()
            .filter(topic -> topic.name().equals(name) && !events.deleted.contains(topic.id()))
            .map(Topic::id)
            .toList();
    if (living.size() == 1 && (marks.isEmpty() || marks.contains(living.get(0)))) {
      return Optional.of(living.get(0));
    }
    doubts.add(
        "topic " + name + ": "
            + (marks.isEmpty() ? "no directory of it says which topic it belongs to" : "its directories belong to different topics"));
    return Optional.empty();
  }

  /** What is intact in the log, also behind damage: each batch has its own CRC. Oldest first. */
  static List<TopicEvent> events(Disk disk, Path directory) throws IOException {
    List<TopicEvent> events = new ArrayList<>();
    if (!disk.isDirectory(directory)) {
      return events;
    }
    for (Path log : SegmentScan.logsOf(disk, directory)) {
      try (SegmentScan scan = SegmentScan.open(disk, log)) {
        for (Optional<SegmentScan.Piece> piece = scan.next(); piece.isPresent(); piece = scan.next()) {
          if (piece.get() instanceof SegmentScan.Whole whole) {
            for (Record record : scan.batch(whole).records()) {
              events.add(TopicEvent.parse(record.key(), record.value()));
            }
          }
        }
      } catch (InvalidBatchException e) {
        throw new IOException(log + ": " + e.getMessage(), e);
      }
    }
    return events;
  }

  private static final class Events {
    final Map<UUID, Topic> created = new LinkedHashMap<>();
    final Set<UUID> deleted = new HashSet<>();
    final List<TopicEvent.Imported> imported = new ArrayList<>();

    Events(List<TopicEvent> all) {
      for (TopicEvent event : all) {
        if (event instanceof TopicEvent.Created creation) {
          created.put(event.topicId(), creation.topic());
        } else if (event instanceof TopicEvent.PartitionsAdded added) {
          created.computeIfPresent(event.topicId(), (id, topic) -> topic.withPartitionCount(added.partitionCount()));
        } else if (event instanceof TopicEvent.SettingsChanged changed) {
          created.computeIfPresent(event.topicId(), (id, topic) -> topic.withSettings(changed.settings()));
        } else if (event instanceof TopicEvent.Deleted) {
          deleted.add(event.topicId());
        } else if (event instanceof TopicEvent.Imported importing) {
          imported.add(importing);
        }
      }
    }
  }

  /** While the registry's log is damaged nothing expires: a setting that was changed later may be in what is lost. */
  FoundTopics keepingEverything() {
    List<Topic> kept = new ArrayList<>();
    for (Topic topic : topics) {
      Map<String, String> settings = new HashMap<>(topic.settings().values());
      settings.putAll(KEEP_EVERYTHING);
      kept.add(new Topic(topic.name(), topic.id(), topic.partitionCount(), new TopicSettings(settings)));
    }
    return new FoundTopics(kept, settingsLost, imports, doubts);
  }
}
