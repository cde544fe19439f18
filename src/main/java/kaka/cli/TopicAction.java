package kaka.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import kaka.client.Admin;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the commands below {@code kaka topic} have in common: ask the broker, print the answer. */
@Command
abstract class TopicAction implements Callable<Integer> {
  @Mixin
  private BrokerOption broker;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;

  TopicAction(Streams streams) {
    this.streams = streams;
  }

  @Override
  public final Integer call() throws IOException {
    check();
    try (KakaClient client = broker.connect()) {
      streams.out().write(run(client.admin()).getBytes(StandardCharsets.UTF_8));
      return ExitCode.OK;
    } catch (KakaException e) {
      streams.complain(e.getMessage());
      return ExitCode.FAILED;
    } catch (IllegalArgumentException e) { // no request can say that, so the broker was not asked
      throw wrong(e.getMessage());
    }
  }

  final ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  /** Looks at the arguments before anybody is asked. */
  void check() {}

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
