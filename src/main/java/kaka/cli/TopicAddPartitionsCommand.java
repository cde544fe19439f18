package kaka.cli;

import kaka.client.Admin;
import kaka.client.KakaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kaka topic add-partitions}: a topic gets more partitions. */
@Command(
    name = "add-partitions",
    sortOptions = false,
    description = {
      "Give a topic more partitions; none can be taken away.",
      "",
      "Records stay where they are. A record's key chooses its partition by their number, so the next record of a key may go to"
          + " another partition than those before it: the order of one key's records holds from then on only from there. Running"
          + " producers and consumers notice the new partitions within half a minute.",
      ""
    },
    footer = {"", "Example:  kaka topic add-partitions logs --partitions 8"})
final class TopicAddPartitionsCommand extends TopicAction.OnOne {
  @Option(names = "--partitions", paramLabel = "N", required = true, description = "How many it is to have in all.")
  private int partitions;

  TopicAddPartitionsCommand(Streams streams) {
    super(streams);
  }

  @Override
  void check() {
    if (partitions < 1) {
      throw wrong("--partitions " + partitions + ": at least 1");
    }
  }

  @Override
  String run(Admin admin) {
    int count = KakaException.await(admin.addPartitions(name(), partitions));
    return name() + " has " + partitions(count) + "\n";
  }
}
