package kaka.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import kaka.broker.OfflineDirectory;
import kaka.log.BackupTarget;
import kaka.log.Finding;
import kaka.log.RealDisk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

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
final class BackupVerifyCommand extends ReadingCommand {
  @Parameters(index = "0", paramLabel = "TARGET", description = "Where backups are kept, or one of them.")
  private Path target;

  @Option(names = "--all", description = "All backups, not the newest only.")
  private boolean isAll;

  BackupVerifyCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() throws IOException {
    List<Path> backups = backups(target, spec());
    int wrong = 0;
    for (Path backup : isAll ? backups : backups.subList(backups.size() - 1, backups.size())) {
      wrong += verify(backup);
    }
    return wrong == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  /** @return how many things are wrong */
  private int verify(Path backup) throws IOException {
    try (OfflineDirectory offline = OfflineDirectory.openUnclaimed(backup)) {
      OfflineDirectory.Checked checked = showing(offline.logBytes(), offline::check);
      List<Finding> wrong = checked.findings().stream().filter(Finding::isWrong).toList();
      for (Finding finding : wrong) {
        LogCommand.print(streams(), finding.level() + "  " + finding.file() + " at byte " + finding.position() + ": " + finding.what() + ".");
      }
      LogCommand.print(
          streams(),
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
