package kaka.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import kaka.log.BackupRestore;
import kaka.log.RealDisk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka backup restore}: makes a data directory of a backup. */
@Command(
    name = "restore",
    sortOptions = false,
    description = {
      "Copy the newest backup in TARGET, or the one that is named, to the data directory DIR, which must not be there yet, or be"
          + " empty. DIR appears when it is complete and on disk; the backup stays as it is.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 done, 1 not done, 2 wrong usage.",
      "",
      "Examples:  kaka backup restore /mnt/backup/kaka kaka-data",
      "           kaka backup restore /mnt/backup/kaka/000007-20261130T005211Z kaka-data"
    })
final class BackupRestoreCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "TARGET", description = "Where backups are kept, or one of them.")
  private Path target;

  @Parameters(index = "1", paramLabel = "DIR", description = "The data directory to make.")
  private Path to;

  @Option(names = "--max-rate", paramLabel = "SIZE", description = "Copy at most so much a second, as 50MiB.")
  private String maxRate;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;

  BackupRestoreCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    List<Path> backups = BackupVerifyCommand.backups(target, spec);
    Path backup = backups.get(backups.size() - 1);
    Path directory = to.toAbsolutePath().normalize();
    Pace pace = Pace.of(BackupCommand.rate(maxRate, spec));
    long totalBytes = BackupRestore.sizeBytes(new RealDisk(), backup);
    try (Progress progress = Progress.start(streams, () -> Progress.bar(pace.doneBytes(), totalBytes))) {
      BackupRestore.run(new RealDisk(), backup, directory, pace);
    }
    LogCommand.print(streams, directory + ": " + Amounts.bytes(totalBytes) + " restored from " + backup);
    return ExitCode.OK;
  }
}
