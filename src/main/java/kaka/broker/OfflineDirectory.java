package kaka.broker;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.function.LongConsumer;
import kaka.log.DataDirectory;
import kaka.log.Disk;
import kaka.log.Finding;
import kaka.log.LogConfig;
import kaka.log.RealDisk;
import kaka.topic.DirectoryCheck;
import kaka.topic.TopicsRebuild;

/** A data directory without its broker: held against one, checked as a whole, its log of topics made anew. */
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

  /** @return where the old log is kept */
  public Path rebuildTopics(LogConfig config) throws IOException {
    return TopicsRebuild.run(disk, path, config, Clock.systemUTC());
  }

  @Override
  public void close() throws IOException {
    claim.close();
  }
}
