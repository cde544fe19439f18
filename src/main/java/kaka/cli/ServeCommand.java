package kaka.cli;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import kaka.broker.Broker;
import kaka.broker.BrokerStartException;
import kaka.config.ConfigException;
import kaka.config.KakaConfig;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code kaka serve}: runs the broker until SIGTERM, SIGINT or a failure. */
final class ServeCommand implements Callable<Integer> {
  /** What the exit itself may take after the broker's own limit. */
  private static final Duration HALT_MARGIN = Duration.ofSeconds(5);

  /** What makes a broker of the settings. */
  interface Starter {
    Broker start(KakaConfig config) throws BrokerStartException;
  }

  /** How far it has come; who asks it to stop and who says that it is ready must agree. */
  private enum Phase {
    STARTING,
    RUNNING,
    STOPPING
  }

  private final Starter starter;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.STARTING);
  private CommandSpec spec;

  ServeCommand() {
    this(Broker::start);
  }

  /** @param starter a broker on another disk, for one that can be made to fail */
  ServeCommand(Starter starter) {
    this.starter = starter;
  }

  /** The command as picocli's model, made from {@link ServeFlag} so that flags are listed once. */
  static CommandSpec spec() {
    ServeCommand command = new ServeCommand();
    CommandSpec spec = CommandSpec.wrapWithoutInspection(command).name("serve");
    command.spec = spec;
    spec.usageMessage()
        .sortOptions(false)
        .description("Run the broker. Flags are short forms of settings, see kaka config.")
        .footer("", "Example:  kaka serve --dir /var/lib/kaka --host 0.0.0.0");
    for (ServeFlag flag : ServeFlag.values()) {
      spec.addOption(OptionSpec.builder(flag.flag())
          .type(String.class)
          .paramLabel(flag.label())
          .description(flag.description())
          .build());
    }
    spec.addOption(OptionSpec.builder("-h", "--help").usageHelp(true).description("Show this help.").build());
    return spec;
  }

  @Override
  public Integer call() {
    Map<ServeFlag, String> values = new EnumMap<>(ServeFlag.class);
    for (ServeFlag flag : ServeFlag.values()) {
      String value = spec.findOption(flag.flag()).getValue();
      if (value != null) {
        values.put(flag, value);
      }
    }
    return run(new ServeArguments(values));
  }

  /** Starts a broker, says so on stdout, and returns the exit code once it has stopped. */
  int run(ServeArguments arguments) {
    StartAhead ahead = StartAhead.begin();
    KakaConfig config;
    try {
      config = KakaConfig.load(arguments.sources());
    } catch (ConfigException e) {
      e.problems().forEach(problem -> System.err.println("kaka: " + problem));
      return ExitCode.USAGE;
    }
    ahead.awaitLogging();
    LogSetup.setLevel(config.logLevel());
    if (config.logFormat().equals("json")) {
      LogSetup.writeJson();
    }

    AtomicReference<Broker> started = new AtomicReference<>();
    StopSignals.handle(() -> {
      if (phase.getAndSet(Phase.STOPPING) == Phase.RUNNING) {
        stop(started.get(), config.shutdownTimeout());
      } else {
        System.exit(ExitCode.OK); // still starting: Akka's own hook ends what has begun
      }
    });
    try {
      started.set(starter.start(config));
    } catch (BrokerStartException | RuntimeException e) {
      if (phase.get() == Phase.STOPPING) {
        return ExitCode.OK; // the stop took away what the start needed
      }
      if (e instanceof RuntimeException bug) {
        throw bug;
      }
      System.err.println("kaka: " + e.getMessage());
      return ExitCode.FAILED;
    }
    if (!phase.compareAndSet(Phase.STARTING, Phase.RUNNING)) {
      return ExitCode.OK; // asked to stop before it was ready, so it never is
    }
    StartAhead.beforeReady();
    StartMessage.print(System.out, config, started.get().report());
    StartAhead.afterReady();
    return exitCode(started.get());
  }

  /** Blocks for as long as the broker runs. */
  private int exitCode(Broker broker) {
    try {
      broker.whenTerminated().toCompletableFuture().join();
    } catch (CompletionException e) {
      System.err.println("kaka: stop failed: " + e.getCause());
      return ExitCode.FAILED;
    }
    if (phase.get() != Phase.STOPPING) {
      System.err.println("kaka: the broker ended without being asked to; the log lines above say why");
      return ExitCode.FAILED;
    }
    return ExitCode.OK;
  }

  /** Whether the stop went well is the main thread's to see; this one sees that it ends. */
  private static void stop(Broker broker, Duration shutdownTimeout) {
    try {
      broker.stop().toCompletableFuture().get(shutdownTimeout.plus(HALT_MARGIN).toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      System.err.println("kaka: stop not done after " + shutdownTimeout.toSeconds() + " s (kaka.shutdown-timeout), ending at once");
      Runtime.getRuntime().halt(ExitCode.FAILED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
