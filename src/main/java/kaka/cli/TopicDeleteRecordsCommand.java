package kaka.cli;

import java.util.List;
import kaka.client.Admin;
import kaka.client.KakaException;
import kaka.client.TopicDescription;
import kaka.record.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kaka topic delete-records}: deletes the oldest records of a partition, or all of a topic's. */
@Command(
    name = "delete-records",
    sortOptions = false,
    description = {
      "Delete the records of a partition up to an offset, or all records of a partition or a topic, at once and for good.",
      "",
      "The topic stays, with its settings, and the next record gets the offset that it would have got. Offsets are those that"
          + " 'topic describe' shows. Works on a full disk, and frees it segment by segment, or wholly with --all. A topic with"
          + " cleanup.policy=compact is refused: delete keys there by records without a value.",
      ""
    },
    footer = {
      "",
      "Prints, for each partition, the offset of the oldest record that is left.",
      "",
      "Examples:  kaka topic delete-records logs --partition 0 --before-offset 93124",
      "           kaka topic delete-records logs --all"
    })
final class TopicDeleteRecordsCommand extends TopicAction.OnOne {
  @Option(names = {"-p", "--partition"}, paramLabel = "N", description = "Which partition (with --all, default: every one).")
  private Integer partition;

  @Option(names = "--before-offset", paramLabel = "O", description = "The first record that stays.")
  private Long beforeOffset;

  @Option(names = "--all", description = "Instead of an offset: every record there is now.")
  private boolean isAll;

  TopicDeleteRecordsCommand(Streams streams) {
    super(streams);
  }

  @Override
  void check() {
    if (isAll == (beforeOffset != null)) {
      throw wrong("expected either --before-offset or --all");
    }
    if (!isAll && partition == null) {
      throw wrong("--before-offset counts in one partition: expected --partition");
    }
    if (partition != null && partition < 0) {
      throw wrong("--partition " + partition + ": at least 0");
    }
    if (beforeOffset != null && beforeOffset < 0) {
      throw wrong("--before-offset " + beforeOffset + ": at least 0");
    }
  }

  @Override
  String run(Admin admin) {
    List<Integer> partitions =
        partition != null
            ? List.of(partition)
            : KakaException.await(admin.describeTopic(name())).partitions().stream()
                .map(TopicDescription.Partition::partition)
                .toList();
    StringBuilder lines = new StringBuilder();
    for (int number : partitions) {
      TopicPartition one = new TopicPartition(name(), number);
      long start = KakaException.await(isAll ? admin.deleteAllRecords(one) : admin.deleteRecords(one, beforeOffset));
      lines.append(one).append(" starts at ").append(start).append('\n');
    }
    return lines.toString();
  }
}
