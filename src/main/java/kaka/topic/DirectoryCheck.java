package kaka.topic;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongConsumer;
import kaka.log.Advice;
import kaka.log.DataDirectory;
import kaka.log.Disk;
import kaka.log.Finding;
import kaka.log.InternalLog;
import kaka.log.PartitionCheck;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionImport;
import kaka.record.TopicPartition;

/**
 * Looks at a whole data directory and changes nothing: its own file, the registry's log, every partition, and whether the
 * registry's topics and the partitions' directories agree. No broker may have the directory meanwhile.
 */
public final class DirectoryCheck {
  private final Disk disk;
  private final Path dataDirectory;
  private final LongConsumer progress;
  private final List<Finding> findings = new ArrayList<>();
  private final Map<UUID, Integer> completedCounts = new HashMap<>();
  private final Set<UUID> deletedIds = new HashSet<>();
  private int partitionCount;
  private int segmentCount;
  private long checkedBytes;

  private DirectoryCheck(Disk disk, Path dataDirectory, LongConsumer progress) {
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    this.progress = progress;
  }

  /** @param partitionCount directories looked at, the registry's included */
  public record Result(List<Finding> findings, int partitionCount, int segmentCount, long checkedBytes) {
    public Result {
      findings = List.copyOf(findings);
    }
  }

  /** Bytes of all logs, to measure progress by; of those that can be looked at. */
  public static long logBytes(Disk disk, Path dataDirectory) throws IOException {
    long bytes = 0;
    for (String name : disk.list(dataDirectory)) {
      try {
        if (PartitionCheck.isPartition(disk, dataDirectory.resolve(name))) {
          bytes += PartitionCheck.logBytes(disk, dataDirectory.resolve(name));
        }
      } catch (IOException e) {
        continue; // the check itself says so, if it is one of ours
      }
    }
    return bytes;
  }

  /** @param progress told how many bytes more were checked */
  public static Result run(Disk disk, Path dataDirectory, LongConsumer progress) throws IOException {
    DirectoryCheck check = new DirectoryCheck(disk, dataDirectory, progress);
    check.run();
    return new Result(check.findings, check.partitionCount, check.segmentCount, check.checkedBytes);
  }

  private void run() throws IOException {
    findings.addAll(DataDirectory.findings(disk, dataDirectory));
    Path registry = dataDirectory.resolve(TopicLog.DIRECTORY);
    Optional<Map<String, Topic>> topics = topics(registry);
    Set<String> looked = new HashSet<>(Set.of(TopicLog.DIRECTORY));
    for (Topic topic : topics.orElse(Map.of()).values()) {
      for (int partition = 0; partition < topic.partitionCount(); partition++) {
        String name = new TopicPartition(topic.name(), partition).toString();
        looked.add(name);
        checkPartitionOf(topic, partition, dataDirectory.resolve(name));
      }
    }
    for (InternalLog each : List.of(InternalLog.OFFSETS, InternalLog.TRANSACTIONS)) {
      Path directory = dataDirectory.resolve(each.directory());
      if (PartitionCheck.isPartition(disk, directory)) { // before the first start with it there is none
        add(PartitionCheck.run(disk, directory, Optional.of(each.id()), progress));
      }
    }
    for (String name : disk.list(dataDirectory)) {
      Path directory = dataDirectory.resolve(name);
      boolean isInternal = Arrays.stream(InternalLog.values()).anyMatch(each -> name.startsWith(each.directory()));
      if (looked.contains(name) || isInternal || !isPartition(directory)) {
        continue;
      }
      if (PartitionImport.isDirectory(name)) {
        findings.add(Finding.note(directory, "left by an import: the next start puts it into its place, or the next import deletes it"));
        continue;
      }
      if (topics.isPresent() && isLeftByDeletion(directory)) {
        findings.add(Finding.note(directory, "left by a deletion that was cut short: the next start finishes it"));
        continue;
      }
      if (topics.isPresent()) {
        findings.add(
            new Finding(
                Finding.Level.FAULT,
                directory,
                0,
                "belongs to no topic that the registry has: its records are not served",
                "If it is no left-over of a topic that was deleted: `kaka log rebuild-topics " + Advice.shell(dataDirectory)
                    + "` says what could be had back"));
      }
      add(PartitionCheck.run(disk, directory, Optional.empty(), progress));
    }
  }

  /** What is nobody's and cannot be looked at, as lost+found, is left alone by the broker too. */
  private boolean isPartition(Path directory) {
    try {
      return PartitionCheck.isPartition(disk, directory);
    } catch (IOException e) {
      findings.add(new Finding(Finding.Level.NOTE, directory, 0, "no topic's, and cannot be looked at: " + e.getMessage(), ""));
      return false;
    }
  }

  /** As the start will see it: its name says so, or it has the id of a topic that was deleted. */
  private boolean isLeftByDeletion(Path directory) {
    try {
      return PartitionDirectory.isBeingDeleted(disk, directory)
          || PartitionDirectory.isCreated(disk, directory)
              && deletedIds.contains(PartitionDirectory.topicIdOf(disk, directory));
    } catch (IOException e) {
      return false; // what is wrong with it is said below
    }
  }

  private void checkPartitionOf(Topic topic, int partition, Path directory) throws IOException {
    Optional<String> problem = Optional.empty();
    try {
      if (partition >= completedCounts.get(topic.id()) && !PartitionDirectory.isCreated(disk, directory)) {
        findings.add(Finding.note(directory, "its creation was cut short: the next start finishes it"));
        return;
      }
      if (!disk.isDirectory(directory)) {
        String what = disk.exists(directory) ? "not a directory" : "missing";
        problem = Optional.of(what + ", but topic " + topic.name() + " has " + topic.partitionCount() + " partitions");
      }
    } catch (IOException e) {
      problem = Optional.of("cannot be looked at: " + e.getMessage());
    }
    if (problem.isPresent()) {
      findings.add(
          new Finding(
              Finding.Level.DAMAGE, directory, 0, problem.get(), "Restore it from a copy; without it this partition does not open"));
      return;
    }
    add(PartitionCheck.run(disk, directory, Optional.of(topic.id()), progress));
  }

  private void add(PartitionCheck.Result result) {
    partitionCount++;
    segmentCount += result.segmentCount();
    checkedBytes += result.checkedBytes();
    findings.addAll(result.findings());
  }

  /** By name; empty if the registry's log cannot say. */
  private Optional<Map<String, Topic>> topics(Path registry) throws IOException {
    String rebuild = "`kaka log rebuild-topics " + Advice.shell(dataDirectory) + "` says how it could be made anew";
    if (!disk.isDirectory(registry)) {
      findings.add(new Finding(Finding.Level.DAMAGE, registry, 0, "the log of topics is missing", "Restore it from a copy; " + rebuild));
      return Optional.empty();
    }
    PartitionCheck.Result result = PartitionCheck.run(disk, registry, Optional.of(TopicLog.ID), progress);
    boolean isDamaged = result.findings().stream().anyMatch(finding -> finding.level() == Finding.Level.DAMAGE);
    if (!isDamaged) {
      add(result);
      return Optional.of(living(FoundTopics.events(disk, registry)));
    }
    partitionCount++;
    segmentCount += result.segmentCount();
    checkedBytes += result.checkedBytes();
    for (Finding each : result.findings()) {
      boolean isOfLog = each.level() == Finding.Level.DAMAGE && each.file().toString().endsWith(".log");
      String what = isOfLog ? each.what() + " (the log of topics: while it is damaged none can be created or deleted)" : each.what();
      String advice = isOfLog ? "Restore it from a copy; " + rebuild : each.advice();
      findings.add(new Finding(each.level(), each.file(), each.position(), what, advice));
    }
    return Optional.empty();
  }

  private Map<String, Topic> living(List<TopicEvent> events) {
    KnownTopics known = KnownTopics.of(events);
    known.deleted().forEach(topic -> deletedIds.add(topic.id()));
    Map<String, Topic> byName = new LinkedHashMap<>();
    for (Topic topic : known.topics()) {
      byName.put(topic.name(), topic);
      completedCounts.put(topic.id(), known.completedCount(topic));
    }
    return byName;
  }
}
