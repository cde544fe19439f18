package kaka.cli;

import kaka.client.Admin;
import kaka.client.KakaClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A command below {@code kaka topic}. */
@Command
abstract class TopicAction extends BrokerAction {
  TopicAction(Streams streams) {
    super(streams);
  }

  @Override
  final String run(KakaClient client) {
    return run(client.admin());
  }

  /** Does it; returns what to print. */
  abstract String run(Admin admin);

  static String partitions(int count) {
    return count + (count == 1 ? " partition" : " partitions");
  }

  /** One that is about a single topic. */
  abstract static class OnOne extends TopicAction {
    @Parameters(
        index = "0",
        paramLabel = "NAME",
        description = "The topic: letters, digits, '.', '_' and '-', at most 249.")
    private String name;

    OnOne(Streams streams) {
      super(streams);
    }

    final String name() {
      return name;
    }
  }
}
