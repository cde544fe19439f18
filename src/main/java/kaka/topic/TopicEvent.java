package kaka.topic;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A change of the set of topics, as it stands in the registry's log: the record's key is the topic's id, its value a few
 * lines {@code name=value} of text, so that a log dump can be read.
 */
sealed interface TopicEvent {
  UUID topicId();

  byte[] value();

  default byte[] key() {
    return topicId().toString().getBytes(StandardCharsets.US_ASCII);
  }

  record Created(Topic topic) implements TopicEvent {
    @Override
    public UUID topicId() {
      return topic.id();
    }

    @Override
    public byte[] value() {
      String lines = "event=created\nversion=1\nname=" + topic.name() + "\npartitions=" + topic.partitionCount() + "\n";
      return (lines + lines(topic.settings())).getBytes(StandardCharsets.UTF_8);
    }
  }

  /** The topic has so many partitions now; those that are new need not have their directories yet. */
  record PartitionsAdded(UUID topicId, int partitionCount) implements TopicEvent {
    @Override
    public byte[] value() {
      return ("event=partitions\nversion=1\npartitions=" + partitionCount + "\n").getBytes(StandardCharsets.UTF_8);
    }
  }

  /** These, and no others, are the topic's own settings now. */
  record SettingsChanged(UUID topicId, TopicSettings settings) implements TopicEvent {
    @Override
    public byte[] value() {
      return ("event=settings\nversion=1\n" + lines(settings)).getBytes(StandardCharsets.UTF_8);
    }
  }

  record Deleted(UUID topicId) implements TopicEvent {
    @Override
    public byte[] value() {
      return "event=deleted\nversion=1\n".getBytes(StandardCharsets.UTF_8);
    }
  }

  /** Every partition that the topic has by now has its directory: from now on one that is missing is a loss, not a creation cut short. */
  record Completed(UUID topicId) implements TopicEvent {
    @Override
    public byte[] value() {
      return "event=completed\nversion=1\n".getBytes(StandardCharsets.UTF_8);
    }
  }

  /** A copy made by an import is the partition's from now on: where its directory is still there, it is put into its place. */
  record Imported(UUID topicId, int partition, UUID importId) implements TopicEvent {
    @Override
    public byte[] value() {
      String lines = "event=imported\nversion=1\npartition=" + partition + "\nimport=" + importId + "\n";
      return lines.getBytes(StandardCharsets.UTF_8);
    }
  }

  String SETTING = "setting.";

  private static String lines(TopicSettings settings) {
    StringBuilder lines = new StringBuilder();
    new TreeMap<>(settings.values())
        .forEach((name, value) -> lines.append(SETTING).append(name).append('=').append(value).append('\n'));
    return lines.toString();
  }

  /** @throws IOException if it is no event that this version knows: the registry must not guess which topics exist */
  static TopicEvent parse(byte[] key, byte[] value) throws IOException {
    Properties lines = new Properties();
    try {
      lines.load(new StringReader(new String(value, StandardCharsets.UTF_8)));
      UUID id = UUID.fromString(new String(key, StandardCharsets.US_ASCII));
      String kind = lines.getProperty("event", "") + "/" + lines.getProperty("version", "");
      return switch (kind) {
        case "created/1" -> new Created(topic(id, lines));
        case "partitions/1" -> new PartitionsAdded(id, partitions(lines));
        case "settings/1" -> new SettingsChanged(id, settings(lines));
        case "completed/1" -> new Completed(id);
        case "deleted/1" -> new Deleted(id);
        case "imported/1" ->
            new Imported(
                id, Integer.parseInt(lines.getProperty("partition", "")), UUID.fromString(lines.getProperty("import", "")));
        default -> throw new IOException("unknown topic event " + kind);
      };
    } catch (IllegalArgumentException | UncheckedIOException e) {
      throw new IOException("not a topic event: " + e.getMessage(), e);
    }
  }

  private static Topic topic(UUID id, Properties lines) {
    return new Topic(lines.getProperty("name", ""), id, partitions(lines), settings(lines));
  }

  private static int partitions(Properties lines) {
    return Integer.parseInt(lines.getProperty("partitions", ""));
  }

  private static TopicSettings settings(Properties lines) {
    Map<String, String> settings = new HashMap<>();
    for (String name : lines.stringPropertyNames()) {
      if (name.startsWith(SETTING)) {
        settings.put(name.substring(SETTING.length()), lines.getProperty(name));
      }
    }
    return new TopicSettings(settings);
  }
}
