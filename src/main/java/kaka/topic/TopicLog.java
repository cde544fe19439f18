package kaka.topic;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import kaka.log.Advice;
import kaka.log.Disk;
import kaka.log.InternalLog;
import kaka.log.LogConfig;
import kaka.log.LogDamagedException;
import kaka.log.LogReader;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionLog;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;

/** The registry's own log, {@code __topics-0}: the storage code of every partition, one {@link TopicEvent} a record. */
final class TopicLog implements Closeable {
  static final String DIRECTORY = InternalLog.TOPICS.directory();

  /** A partition's directory, also one that is being deleted; lost+found, which may not be looked into, is none. */
  private static final Pattern PARTITION = Pattern.compile(".+-(\\d+|delete)");

  static final UUID ID = InternalLog.TOPICS.id();

  private final PartitionLog log;
  private final Path directory;
  private final Clock clock;

  private TopicLog(PartitionLog log, Path directory, Clock clock) {
    this.log = log;
    this.directory = directory;
    this.clock = clock;
  }

  /** @throws LogDamagedException if it is damaged, or missing beside partitions */
  static TopicLog open(Disk disk, Path dataDirectory, LogConfig broker, Clock clock) throws IOException {
    Path directory = dataDirectory.resolve(DIRECTORY);
    try {
      return open(disk, dataDirectory, directory, broker, clock);
    } catch (LogDamagedException e) {
      boolean isLogItself = e.file().equals(directory) || e.file().toString().endsWith(".log");
      throw isLogItself ? withAdvice(e, dataDirectory) : e;
    }
  }

  private static LogDamagedException withAdvice(LogDamagedException e, Path dataDirectory) {
    return new LogDamagedException(
        e.file(),
        e.position(),
        e.reason(),
        "Nothing was changed. With the broker stopped, restore " + DIRECTORY + " from a copy; or have it made anew from the"
            + " partitions' directories and what is intact of it: `kaka log rebuild-topics " + Advice.shell(dataDirectory)
            + " --yes`, without --yes it only says what it would do");
  }

  /** A new one in a directory of its own. */
  static TopicLog create(Disk disk, Path directory, LogConfig broker, Clock clock) throws IOException {
    return new TopicLog(PartitionLog.create(disk, directory, ID, config(broker), clock), directory, clock);
  }

  private static LogConfig config(LogConfig broker) {
    // What exists is told by everything in this log, so nothing of it expires, and it syncs whatever the topics do.
    return new LogConfig(
        broker.segmentBytes(), broker.segmentAge(), broker.indexIntervalBytes(), Duration.ZERO, -1, Duration.ZERO, 0)
        .withPreallocation(broker.preallocation());
  }

  private static TopicLog open(Disk disk, Path dataDirectory, Path directory, LogConfig broker, Clock clock)
      throws IOException {
    if (PartitionDirectory.isCreated(disk, directory)) {
      return new TopicLog(PartitionLog.open(disk, directory, ID, config(broker), clock), directory, clock);
    }
    for (String name : disk.list(dataDirectory)) {
      if (PARTITION.matcher(name).matches() && PartitionDirectory.isCreated(disk, dataDirectory.resolve(name))) {
        throw new LogDamagedException(directory, 0, "it is missing, but there are partitions, " + name + " for one");
      }
    }
    return create(disk, directory, broker, clock);
  }

  /**
   * Every event so far, oldest first.
   *
   * @throws LogDamagedException if one is not as it was written
   */
  List<TopicEvent> events() throws IOException {
    List<TopicEvent> events = new ArrayList<>();
    try (LogReader reader = log.snapshot().reader(log.snapshot().logStartOffset())) {
      for (long at = 0; at < reader.sizeBytes(); ) {
        RecordBatch batch = reader.batchAt(at);
        for (Record record : batch.records()) {
          events.add(TopicEvent.parse(record.key(), record.value()));
        }
        at += batch.sizeBytes();
      }
    } catch (InvalidBatchException e) {
      throw new IOException("topic log: " + e.getMessage(), e);
    } catch (LogDamagedException e) {
      throw withAdvice(e, directory.getParent());
    }
    return events;
  }

  /** Returns when the events, all or none, are on disk; after an exception the log must not be written again. */
  void append(TopicEvent... events) throws IOException {
    RecordBatchBuilder builder = new RecordBatchBuilder(256);
    for (TopicEvent event : events) {
      builder.append(clock.millis(), event.key(), event.value(), List.of());
    }
    log.append(builder.build());
    log.flush();
  }

  /** A log whose write failed is only let go of. */
  @Override
  public void close() throws IOException {
    log.close();
  }
}
