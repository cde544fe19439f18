package kaka.cli;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import kaka.broker.DirectoryBackup;
import kaka.config.KakaConfig;
import kaka.log.BackupCounts;
import kaka.log.LogDamagedException;
import kaka.log.RealDisk;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka backup}: copies a data directory, whose broker may be running. */
@Command(
    name = "backup",
    sortOptions = false,
    description = {
      "Add a backup of a data directory to those in TARGET, while its broker runs or is stopped.",
      "",
      "What was acknowledged before the command began is in it, and may be more. Each backup is a directory of its own in"
          + " TARGET and a whole data directory. Finished segments that the backup before has, unchanged, are not copied"
          + " again: they are one file with a name in both. A backup that is interrupted leaves the earlier ones as they"
          + " are, and the next one goes on with what it had.",
      ""
    },
    synopsisSubcommandLabel = "[COMMAND]",
    footer = {
      "",
      "Exit codes: 0 done, 1 not done, or done and a partition is damaged, 2 wrong usage.",
      "",
      "Examples:  kaka backup --dir kaka-data /mnt/backup/kaka",
      "           kaka backup verify /mnt/backup/kaka",
      "           kaka backup restore /mnt/backup/kaka kaka-data"
    })
final class BackupCommand implements Callable<Integer> {
  @Parameters(index = "0", arity = "0..1", paramLabel = "TARGET", description = "Where backups are kept; made if it is missing.")
  private Path target;

  @Option(names = {"-d", "--dir"}, paramLabel = "D", description = "The data directory (default: kaka.log.dir as configured).")
  private Path source;

  @Option(
      names = "--keep",
      paramLabel = "N",
      defaultValue = "3",
      description = "Backups to keep, this one included; older ones are deleted (default: ${DEFAULT-VALUE}).")
  private int keepCount;

  @Option(
      names = "--max-rate",
      paramLabel = "SIZE",
      description = "Copy at most so much a second, as 50MiB, so that the broker keeps its disk (default: as fast as it goes).")
  private String maxRate;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;

  private BackupCommand(Streams streams) {
    this.streams = streams;
  }

  /** The command and those below it. */
  static CommandLine commandLine(Streams streams) {
    return new CommandLine(new BackupCommand(streams))
        .addSubcommand(new BackupVerifyCommand(streams))
        .addSubcommand(new BackupRestoreCommand(streams));
  }

  @Override
  public Integer call() throws IOException {
    if (target == null) {
      throw new ParameterException(spec.commandLine(), "expected TARGET, where backups are kept, or verify, or restore");
    }
    if (keepCount < 1) {
      throw new ParameterException(spec.commandLine(), "--keep " + keepCount + ": at least 1");
    }
    Pace pace = Pace.of(rate(maxRate, spec));
    KakaConfig config = LogCommand.config(spec);
    if (source == null && config.dir().isEmpty()) {
      throw new ParameterException(spec.commandLine(), "kaka.log.dir is empty: say --dir");
    }
    Path from = LogCommand.directory(source == null ? Path.of(config.dir()) : source, spec).toRealPath();
    Path to = target.toAbsolutePath().normalize();
    requireApart(from, to);
    long totalBytes = DirectoryBackup.logBytes(new RealDisk(), from);
    DirectoryBackup.Result result;
    try (Progress progress = Progress.start(streams, () -> Progress.bar(pace.doneBytes(), totalBytes))) {
      result = DirectoryBackup.run(new RealDisk(), from, to, config.log(), keepCount, Clock.systemUTC(), pace);
    }
    for (LogDamagedException damage : result.damages()) {
      streams.complain(damage.getMessage());
    }
    LogCommand.print(streams, result.backup() + ": " + summary(result));
    if (!result.damages().isEmpty()) {
      streams.complain("what is damaged was copied as it is, and no earlier backup was deleted");
      return ExitCode.FAILED;
    }
    return ExitCode.OK;
  }

  /** Neither may be in the other, by whatever names. */
  private void requireApart(Path from, Path to) throws IOException {
    Path there = to;
    while (!java.nio.file.Files.exists(there)) {
      there = there.getParent();
    }
    Path real = there.toRealPath().resolve(there.relativize(to)).normalize();
    if (real.startsWith(from) || from.startsWith(real)) {
      throw new ParameterException(spec.commandLine(), to + " and " + from + " are in one another: give a directory apart");
    }
  }

  /** Bytes a second; 0 if nothing is said. */
  static long rate(String text, CommandSpec spec) {
    if (text == null) {
      return 0;
    }
    try {
      long rate = ConfigFactory.parseMap(Map.of("rate", text)).getBytes("rate");
      if (rate > 0) {
        return rate;
      }
    } catch (ConfigException e) { // said below
    }
    throw new ParameterException(spec.commandLine(), "--max-rate " + text + ": expected a size above 0, as 50MiB");
  }

  private static String summary(DirectoryBackup.Result result) {
    BackupCounts counts = result.counts();
    List<String> parts = new ArrayList<>();
    parts.add(count(result.partitionCount(), "partition"));
    parts.add(count(counts.copiedSegments(), "segment") + " copied (" + Amounts.bytes(counts.copiedBytes()) + ")");
    parts.add(count(counts.linkedSegments(), "segment") + " unchanged (" + Amounts.bytes(counts.linkedBytes()) + ")");
    if (!result.isWhole()) {
      parts.add("transactions were ending meanwhile: of these one may be there in part, " + result.endedCount() + " aborted in the copy");
    }
    if (!result.deleted().isEmpty()) {
      parts.add(count(result.deleted().size(), "older backup") + " deleted");
    }
    return String.join(", ", parts);
  }

  private static String count(long count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }
}
