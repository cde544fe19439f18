package kaka.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import kaka.broker.OfflineDirectory;
import kaka.log.BackupTarget;
import kaka.log.Finding;
import kaka.log.RealDisk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka backup verify}: reads a backup and says what is wrong. */
@Command(
    name = "verify",
    description = {
      "Read the newest backup in TARGET, or all, as kaka log check does, and say what is wrong. Changes nothing.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 nothing is wrong, 1 something is, or it could not be read, 2 wrong usage.",
      "",
      "Example:  kaka backup verify /mnt/backup/kaka"
    })
final class BackupVerifyCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "TARGET", description = "Where backups are kept, or one of them.")
  private Path target;

  @Option(names = "--all", description = "All backups, not the newest only.")
  private boolean isAll;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;
  private final AtomicLong doneBytes = new AtomicLong();

  BackupVerifyCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    List<Path> backups = backups(target, spec);
    int wrong = 0;
    for (Path backup : isAll ? backups : backups.subList(backups.size() - 1, backups.size())) {
      wrong += verify(backup);
    }
    return wrong == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  /** @return how many things are wrong */
  private int verify(Path backup) throws IOException {
    doneBytes.set(0);
    try (OfflineDirectory offline = OfflineDirectory.openUnclaimed(backup)) {
      long totalBytes = offline.logBytes();
      OfflineDirectory.Checked checked;
      try (Progress progress = Progress.start(streams, () -> Progress.bar(doneBytes.get(), totalBytes))) {
        checked = offline.check(doneBytes::addAndGet);
      }
      List<Finding> wrong = checked.findings().stream().filter(Finding::isWrong).toList();
      for (Finding finding : wrong) {
        LogCommand.print(streams, finding.level() + "  " + finding.file() + " at byte " + finding.position() + ": " + finding.what() + ".");
      }
      LogCommand.print(
          streams,
          backup + ": " + checked.partitionCount() + " partitions, " + Amounts.bytes(checked.checkedBytes()) + " read, "
              + (wrong.isEmpty() ? "nothing is wrong" : wrong.size() + " things are wrong"));
      return wrong.size();
    }
  }

  /** Those in {@code target}, the oldest first, at least one; or {@code target} itself, if it is one. */
  static List<Path> backups(Path target, CommandSpec spec) throws IOException {
    Path path = LogCommand.directory(target, spec);
    if (path.getParent() != null && BackupTarget.backups(new RealDisk(), path.getParent()).contains(path)) {
      return List.of(path);
    }
    List<Path> backups = BackupTarget.backups(new RealDisk(), path);
    if (backups.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "there is no complete backup in " + path);
    }
    return backups;
  }
}
