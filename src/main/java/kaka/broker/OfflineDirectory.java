package kaka.broker;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import kaka.log.DataDirectory;
import kaka.log.Disk;
import kaka.log.Finding;
import kaka.log.KafkaPartition;
import kaka.log.LogConfig;
import kaka.log.PartitionImport;
import kaka.log.RealDisk;
import kaka.record.TopicPartition;
import kaka.topic.DirectoryCheck;
import kaka.topic.TopicImport;
import kaka.topic.TopicsRebuild;

/** A data directory without its broker: held against one, checked as a whole, its log of topics made anew, another's partition
 * taken in. */
public final class OfflineDirectory implements Closeable {
  private final Disk disk = new RealDisk();
  private final Path path;
  private final Closeable claim;

  private OfflineDirectory(Path path, Closeable claim) {
    this.path = path;
    this.claim = claim;
  }

  /** @throws kaka.log.AlreadyLockedException if a broker has it */
  public static OfflineDirectory open(Path path) throws IOException {
    return new OfflineDirectory(path, DataDirectory.claim(new RealDisk(), path));
  }

  /**
   * As a broker takes it: makes the directory, and what says whose it is, if they are missing.
   *
   * @throws kaka.log.AlreadyLockedException if a broker has it
   */
  public static OfflineDirectory openOrCreate(Path path) throws IOException {
    Disk disk = new RealDisk();
    return new OfflineDirectory(path, DataDirectory.open(disk, path));
  }

  /** For reading only, where no broker can be held off. */
  public static OfflineDirectory openUnclaimed(Path path) {
    return new OfflineDirectory(path, () -> {});
  }

  /** What a check found. */
  public record Checked(List<Finding> findings, int partitionCount, int segmentCount, long checkedBytes) {
    public Checked {
      findings = List.copyOf(findings);
    }
  }

  /** What the log of topics would hold if it were made anew; a line about each. */
  public record TopicsPlan(List<String> topics, List<String> doubts) {
    public TopicsPlan {
      topics = List.copyOf(topics);
      doubts = List.copyOf(doubts);
    }
  }

  /** Bytes that {@link #check} will read of logs. */
  public long logBytes() throws IOException {
    return DirectoryCheck.logBytes(disk, path);
  }

  /** @param progress told how many bytes more were checked */
  public Checked check(LongConsumer progress) throws IOException {
    DirectoryCheck.Result result = DirectoryCheck.run(disk, path, progress);
    return new Checked(result.findings(), result.partitionCount(), result.segmentCount(), result.checkedBytes());
  }

  public TopicsPlan planTopics() throws IOException {
    TopicsRebuild.Plan plan = TopicsRebuild.plan(disk, path);
    return new TopicsPlan(plan.topics(), plan.doubts());
  }

  /** @throws IllegalArgumentException if no topic can have such a partition or such settings */
  public static void requireImportable(TopicPartition id, Map<String, String> settings) {
    TopicImport.requireValid(id, settings);
  }

  /**
   * Makes a directory that Apache Kafka wrote a partition here; see {@link TopicImport}.
   *
   * @throws IllegalArgumentException if there can be no such partition, or it has records
   */
  public PartitionImport.Contents importPartition(
      KafkaPartition source, TopicPartition id, Map<String, String> settings, LogConfig config, LongConsumer progress)
      throws IOException {
    return new TopicImport(disk, path, config, Clock.systemUTC()).run(source, id, settings, progress);
  }

  /** @return where the old log is kept */
  public Path rebuildTopics(LogConfig config) throws IOException {
    return TopicsRebuild.run(disk, path, config, Clock.systemUTC());
  }

  @Override
  public void close() throws IOException {
    claim.close();
  }
}
