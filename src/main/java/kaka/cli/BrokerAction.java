package kaka.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the commands below {@code kaka topic} and {@code kaka group} have in common: ask the broker, print the answer. */
@Command
abstract class BrokerAction implements Callable<Integer> {
  @Mixin
  private BrokerOption broker;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;

  BrokerAction(Streams streams) {
    this.streams = streams;
  }

  /** What is to be changed is not as it would have to be. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refused(String what) {
      super(what);
    }
  }

  @Override
  public final Integer call() throws IOException {
    check();
    try (KakaClient client = broker.connect()) {
      streams.out().write(run(client).getBytes(StandardCharsets.UTF_8));
      return exitCode();
    } catch (KakaException | Refused e) {
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
  abstract String run(KakaClient client);

  /** When that is printed. */
  int exitCode() {
    return ExitCode.OK;
  }

  final void say(String line) {
    streams.err().println(line);
  }
}
