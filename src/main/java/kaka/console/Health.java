package kaka.console;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.log.Advice;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.partition.PartitionView;

/** What is wrong with a broker at this moment, and what to do about it: the one place that decides whether it is ready. */
final class Health {
  /** More of a kind are counted, not listed. */
  static final int MAX_LISTED = 100;

  private final BrokerFacts facts;
  private final DiskSpace diskSpace;

  Health(BrokerFacts facts, DiskSpace diskSpace) {
    this.facts = facts;
    this.diskSpace = diskSpace;
  }

  /** Everything; empty if it is ready. */
  List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    List<PartitionHandle> partitions = facts.routes().table().partitions();
    addPhase(problems, partitions);
    addFailed(problems, partitions);
    add(problems, Problem.Kind.TOPICS_FAILED, topicsProblem(),
        mend(facts.directory().path()) + ", `kaka log rebuild-topics " + Advice.shell(facts.directory().path()) + "` makes the log of topics anew");
    add(problems, Problem.Kind.GROUPS_FAILED, facts.groups().problem(),
        mend(directoryOf("__offsets-0")));
    add(problems, Problem.Kind.TRANSACTIONS_FAILED, facts.transactionsProblem().get(),
        mend(directoryOf("__transactions-0")));
    addDisk(problems);
    return problems;
  }

  private void addPhase(List<Problem> problems, List<PartitionHandle> partitions) {
    switch (facts.lifecycle().phase()) {
      case STARTING -> {
        long open = partitions.stream().filter(each -> each.view().state() != PartitionState.OPENING).count();
        problems.add(
            new Problem(Problem.Kind.STARTING, "", open + " of " + partitions.size() + " partitions opened", "wait"));
      }
      case STOPPING -> problems.add(new Problem(Problem.Kind.STOPPING, "", "the broker is stopping", "wait"));
      case SERVING -> {}
    }
  }

  private static String mend(Path directory) {
    return "free or mend the disk and restart; with the broker stopped, `kaka log check " + Advice.shell(directory) + "` finds damage";
  }

  private Path directoryOf(String name) {
    return facts.directory().path().resolve(name);
  }

  private void addFailed(List<Problem> problems, List<PartitionHandle> partitions) {
    int count = 0;
    for (PartitionHandle partition : partitions) {
      PartitionView view = partition.view();
      if (view.state() == PartitionState.FAILED && ++count <= MAX_LISTED) {
        problems.add(
            new Problem(
                Problem.Kind.PARTITION_FAILED,
                partition.id().toString(),
                view.reason(),
                adviceFor(partition)));
      }
    }
    if (count > MAX_LISTED) {
      problems.add(
          new Problem(
              Problem.Kind.PARTITION_FAILED, "", (count - MAX_LISTED) + " more partitions have failed", "as above"));
    }
  }

  /** Where a partition's files are. */
  Path directoryOf(PartitionHandle partition) {
    return directoryOf(partition.id().toString());
  }

  /** What to do about a partition that has failed. */
  String adviceFor(PartitionHandle failed) {
    return failed.view().snapshot().isPresent()
        ? "it is still read; mend or replace the disk of `" + directoryOf(failed) + "`, then restart"
        : "nothing of it is served; stop the broker and run `kaka log check " + Advice.shell(directoryOf(failed)) + "`";
  }

  private String topicsProblem() {
    String notice = facts.routes().notice();
    return notice.isEmpty() ? facts.lifecycle().topicsProblem() : notice;
  }

  private static void add(List<Problem> problems, Problem.Kind kind, String detail, String advice) {
    if (!detail.isEmpty()) {
      problems.add(new Problem(kind, "", detail, advice));
    }
  }

  private void addDisk(List<Problem> problems) {
    Optional<DiskSpace.Space> space = diskSpace();
    if (space.isEmpty()) {
      problems.add(
          new Problem(
              Problem.Kind.DISK_UNREADABLE, facts.directory().path().toString(), "the disk does not say how much is free", "look at the disk"));
    } else if (space.get().freeBytes() < facts.minFreeBytes()) {
      problems.add(
          new Problem(
              Problem.Kind.DISK_NEARLY_FULL,
              facts.directory().path().toString(),
              space.get().freeBytes() + " bytes are free, produces are refused below " + facts.minFreeBytes(),
              "make room: delete topics or records, shorten retention, or enlarge the disk; produces resume by themselves"));
    }
  }

  /** Nothing if the disk does not say, or hangs. */
  Optional<DiskSpace.Space> diskSpace() {
    return diskSpace.space();
  }
}
