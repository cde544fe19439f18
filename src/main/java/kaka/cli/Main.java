package kaka.cli;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import kaka.broker.Version;
import kaka.log.Advice;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code java -jar kaka.jar}: without a command, or with flags only, it is {@code serve}. */
@Command(
    name = "kaka",
    description = "A durable log broker, and the commands to use it. Without a command: serve, with serve's flags.",
    versionProvider = Main.VersionLine.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Exit codes: 0 done or asked to stop, 1 failed, 2 wrong usage or configuration."})
public final class Main implements Callable<Integer> {
  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help; COMMAND --help has each command's.")
  private boolean help;

  @Option(names = {"-V", "--version"}, versionHelp = true, description = "Show the version.")
  private boolean version;

  @Spec
  private CommandSpec spec;

  public static void main(String[] args) {
    int exitCode = run(args);
    System.out.flush();
    System.exit(exitCode);
  }

  private static int run(String[] args) {
    if (isServe(args)) {
      List<String> flags = Arrays.asList(args).subList(args.length > 0 && args[0].equals("serve") ? 1 : 0, args.length);
      Optional<ServeArguments> plain = ServeArguments.ofPlain(flags);
      return plain.isPresent()
          ? new ServeCommand().run(plain.get())
          : prepared(new CommandLine(ServeCommand.spec().name("kaka serve"))).execute(flags.toArray(new String[0]));
    }
    return commandLine(Streams.ofProcess()).execute(args);
  }

  private static boolean isServe(String[] args) {
    return args.length == 0
        || args[0].equals("serve")
        || args[0].startsWith("-") && !List.of("-h", "--help", "-V", "--version").contains(args[0]);
  }

  /** Every command, for help, completion and those that are not serve. */
  static CommandLine commandLine(Streams streams) {
    return prepared(new CommandLine(new Main())
        .addSubcommand("serve", ServeCommand.spec())
        .addSubcommand(new ProduceCommand(streams))
        .addSubcommand(new ConsumeCommand(streams))
        .addSubcommand(TopicCommand.commandLine(streams))
        .addSubcommand(GroupCommand.commandLine(streams))
        .addSubcommand(new BenchCommand(streams))
        .addSubcommand(new StatusCommand(streams))
        .addSubcommand(LogCommand.commandLine(streams))
        .addSubcommand(BackupCommand.commandLine(streams))
        .addSubcommand(new ConfigCommand())
        .addSubcommand(new CompletionCommand()));
  }

  /** Mistakes are one line on stderr; only a bug shows where it happened. */
  private static CommandLine prepared(CommandLine commandLine) {
    return commandLine
        .setParameterExceptionHandler((e, args) -> {
          System.err.println("kaka: " + firstLine(UsageMessage.of(e)) + " (see " + name(e.getCommandLine()) + " --help)");
          return ExitCode.USAGE;
        })
        .setExecutionExceptionHandler((e, command, parsed) -> {
          if (e instanceof RuntimeException) {
            e.printStackTrace();
          } else {
            System.err.println("kaka: " + firstLine(e));
          }
          return ExitCode.FAILED;
        });
  }

  private static String name(CommandLine commandLine) {
    return commandLine.getCommandSpec().qualifiedName();
  }

  private static String firstLine(Exception e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    if (e instanceof IOException trouble) {
      message = Advice.reasonOf(trouble);
    }
    return firstLine(message);
  }

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse("");
  }

  /** Reached by {@code kaka} with neither a command nor serve's flags, which {@link #run} does not let happen. */
  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  static final class VersionLine implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {line()};
    }

    /** {@code kaka 0.1.0, Java 17.0.15+6}. */
    static String line() {
      return "kaka " + Version.current() + ", Java " + Runtime.version();
    }
  }
}
