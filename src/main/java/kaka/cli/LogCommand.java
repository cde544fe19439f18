package kaka.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import kaka.config.ConfigException;
import kaka.config.ConfigSources;
import kaka.config.KakaConfig;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code kaka log}: looks into the files of a stopped broker, and repairs them where an operator says how. */
@Command(
    name = "log",
    description = {
      "Look into a data directory, repair it, and take in what Apache Kafka wrote.",
      "",
      "All but dump need the broker stopped. Nothing here changes a file but truncate, reindex, rebuild-topics and import.",
      ""
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Example:  kaka log check kaka-data"})
final class LogCommand implements Callable<Integer> {
  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private LogCommand() {}

  /** The command and those below it. */
  static CommandLine commandLine(Streams streams) {
    return new CommandLine(new LogCommand())
        .addSubcommand(new LogDumpCommand(streams))
        .addSubcommand(new LogCheckCommand(streams))
        .addSubcommand(new LogTruncateCommand(streams))
        .addSubcommand(new LogReindexCommand(streams))
        .addSubcommand(new LogRebuildTopicsCommand(streams))
        .addSubcommand(new LogImportCommand(streams));
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "expected dump, check, truncate, reindex, rebuild-topics or import");
  }

  /** What is configured here, for the defaults of these commands. */
  static KakaConfig config(CommandSpec spec) {
    try {
      return KakaConfig.load(ConfigSources.ofProcess(Optional.empty(), List.of()));
    } catch (ConfigException e) {
      throw new ParameterException(spec.commandLine(), "configuration: " + String.join("; ", e.problems()));
    }
  }

  /** {@code path}, absolute and without dots, if it is a directory. */
  static Path directory(Path path, CommandSpec spec) {
    if (!Files.isDirectory(path)) {
      throw new ParameterException(spec.commandLine(), path + " is not a directory");
    }
    return path.toAbsolutePath().normalize();
  }

  static void print(Streams streams, String line) throws IOException {
    streams.out().write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
