package kaka.topic;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;
import kaka.log.Disk;
import kaka.log.KafkaPartition;
import kaka.log.LogConfig;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionImport;
import kaka.record.TopicPartition;

/**
 * Makes a directory that Apache Kafka wrote a partition here. No broker may have the data directory meanwhile.
 *
 * <p>The copy is complete and synced, under a name that is no partition's, before the registry's log says, in one batch, that
 * the topic exists and the copy is its partition's. Before that a crash leaves what the next import deletes, after it what
 * {@link #finish} puts into its place, at the next start or import.
 */
public final class TopicImport {
  private final Disk disk;
  private final Path dataDirectory;
  private final LogConfig config;
  private final Clock clock;

  public TopicImport(Disk disk, Path dataDirectory, LogConfig config, Clock clock) {
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    this.config = config;
    this.clock = clock;
  }

  /**
   * @param settings of the topic, if it is created; what they do not say about retention is "keep everything"
   * @throws IllegalArgumentException if there can be no such topic, or it has no such partition, or that has records
   * @throws IOException if the source is not as it must be, or a disk refuses; nothing was changed but, after the copy was
   *     wanted, maybe its place
   */
  public PartitionImport.Contents run(
      KafkaPartition source, TopicPartition id, Map<String, String> settings, LongConsumer progress) throws IOException {
    requireValid(id, settings);
    try (TopicLog log = TopicLog.open(disk, dataDirectory, config, clock)) {
      KnownTopics known = KnownTopics.of(log.events());
      finish(disk, dataDirectory, known);
      discardUnwanted();
      Optional<Topic> existing = known.topics().stream().filter(topic -> topic.name().equals(id.topic())).findAny();
      Topic topic = existing.isPresent() ? existing.get() : newTopic(id, settings);
      Path partition = dataDirectory.resolve(id.toString());
      requirePlace(topic, id, partition);
      requireRoom(source.sizeBytes());
      UUID importId = UUID.randomUUID();
      Path copy = PartitionImport.directory(dataDirectory, importId);
      PartitionImport.Contents contents =
          PartitionImport.copy(disk, source, copy, topic.id(), config.indexIntervalBytes(), progress);
      TopicEvent.Imported imported = new TopicEvent.Imported(topic.id(), id.partition(), importId);
      if (existing.isPresent()) {
        log.append(imported);
      } else {
        log.append(new TopicEvent.Created(topic), imported);
      }
      PartitionImport.place(disk, copy, partition, topic.id());
      return contents;
    }
  }

  /** @throws IllegalArgumentException if no topic can have such a partition or such settings */
  public static void requireValid(TopicPartition id, Map<String, String> settings) {
    new TopicSettings(settings);
    TopicName.problemOf(id.topic())
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException(problem);
            });
    if (id.partition() < 0 || id.partition() >= TopicsConfig.MAX_PARTITIONS) {
      throw new IllegalArgumentException("partition " + id.partition() + ": 0 to " + (TopicsConfig.MAX_PARTITIONS - 1));
    }
  }

  private static Topic newTopic(TopicPartition id, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(FoundTopics.KEEP_EVERYTHING);
    all.putAll(settings);
    return new Topic(id.topic(), UUID.randomUUID(), id.partition() + 1, new TopicSettings(all));
  }

  private void requirePlace(Topic topic, TopicPartition id, Path partition) throws IOException {
    if (id.partition() >= topic.partitionCount()) {
      throw new IllegalArgumentException(
          "topic " + topic.name() + " has " + topic.partitionCount() + " partitions, no " + id.partition());
    }
    if (!disk.isDirectory(partition)) {
      return;
    }
    if (PartitionDirectory.isCreated(disk, partition) && !PartitionDirectory.isOf(disk, partition, topic.id())) {
      throw new IllegalArgumentException(partition + " belongs to another topic");
    }
    if (!PartitionImport.isEmpty(disk, partition)) {
      throw new IllegalArgumentException(partition + " has records: only an empty partition can be imported into");
    }
  }

  private void requireRoom(long bytes) throws IOException {
    long usable = disk.usableBytes(dataDirectory);
    if (usable - bytes < config.minFreeBytes()) {
      throw new IOException("not enough room: " + bytes + " bytes are to be copied, " + usable + " are free");
    }
  }

  /** What an import left that was cut short before it was wanted. */
  private void discardUnwanted() throws IOException {
    for (String name : disk.list(dataDirectory)) {
      if (PartitionImport.isDirectory(name)) {
        PartitionImport.discard(disk, dataDirectory.resolve(name));
      }
    }
  }

  /** Puts every copy that is wanted, and not there yet, into its place. */
  static void finish(Disk disk, Path dataDirectory, KnownTopics known) throws IOException {
    for (TopicEvent.Imported imported : known.imports()) {
      TopicPartition id = new TopicPartition(known.topic(imported).name(), imported.partition());
      PartitionImport.place(
          disk,
          PartitionImport.directory(dataDirectory, imported.importId()),
          dataDirectory.resolve(id.toString()),
          imported.topicId());
    }
  }
}
