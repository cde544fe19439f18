package kaka.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import kaka.broker.OfflineDirectory;
import kaka.log.Finding;
import kaka.log.PartitionCheck;
import kaka.log.RealDisk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code kaka log check}: reads everything and says what is wrong. */
@Command(
    name = "check",
    description = {
      "Read a whole data directory, or one partition's, and say what is wrong: every CRC, that batches and segments follow on"
          + " each other, the indexes, the recovery point, and whether the topics and the directories agree.",
      "",
      "Changes nothing. The broker must be stopped.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 nothing is wrong, 1 something is, or it could not be read, 2 wrong usage.",
      "",
      "Examples:  kaka log check",
      "           kaka log check kaka-data/logs-0"
    })
final class LogCheckCommand extends ReadingCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "DIRECTORY",
      description = "A data directory, or a partition's (default: kaka.log.dir as configured).")
  private Path path;

  @Option(names = "--json", description = "Print a JSON object a line for each finding.")
  private boolean isJson;

  LogCheckCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() throws IOException {
    Path directory = LogCommand.directory(path == null ? configured() : path, spec());
    boolean isPartition = PartitionCheck.isPartition(new RealDisk(), directory);
    try (OfflineDirectory offline = open(isPartition ? directory.getParent() : directory)) {
      OfflineDirectory.Checked checked = isPartition ? partition(directory) : showing(offline.logBytes(), offline::check);
      int wrong = 0;
      for (Finding finding : checked.findings()) {
        wrong += finding.isWrong() ? 1 : 0;
        LogCommand.print(streams(), isJson ? json(finding) : text(finding));
      }
      streams().err().println(summary(checked, wrong));
      return wrong == 0 ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private Path configured() {
    String dir = LogCommand.config(spec()).dir();
    if (dir.isEmpty()) {
      throw new ParameterException(spec().commandLine(), "kaka.log.dir is empty: which directory?");
    }
    return Path.of(dir);
  }

  /** On a disk that can only be read no broker runs, and none can be held off. */
  private static OfflineDirectory open(Path dataDirectory) throws IOException {
    try {
      return OfflineDirectory.open(dataDirectory);
    } catch (FileSystemException e) {
      if (Files.isWritable(dataDirectory)) {
        throw e;
      }
      return OfflineDirectory.openUnclaimed(dataDirectory);
    }
  }

  private OfflineDirectory.Checked partition(Path directory) throws IOException {
    PartitionCheck.Result result =
        showing(
            PartitionCheck.logBytes(new RealDisk(), directory),
            progress -> PartitionCheck.run(new RealDisk(), directory, Optional.empty(), progress));
    return new OfflineDirectory.Checked(result.findings(), 1, result.segmentCount(), result.checkedBytes());
  }

  private static String text(Finding finding) {
    String first = finding.level() + "  " + finding.file() + " at byte " + finding.position() + ": " + finding.what() + ".";
    return finding.advice().isEmpty() ? first : first + "\n    " + finding.advice() + ".";
  }

  private static String json(Finding finding) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("level", Json.string(finding.level().toString()));
    fields.put("file", Json.string(finding.file().toString()));
    fields.put("position", Long.toString(finding.position()));
    fields.put("what", Json.string(finding.what()));
    fields.put("advice", Json.string(finding.advice()));
    return Json.object(fields);
  }

  private static String summary(OfflineDirectory.Checked checked, int wrong) {
    List<String> counts =
        List.of(
            checked.partitionCount() + (checked.partitionCount() == 1 ? " partition" : " partitions"),
            checked.segmentCount() + (checked.segmentCount() == 1 ? " segment" : " segments"),
            Amounts.bytes(checked.checkedBytes()));
    return "checked " + String.join(", ", counts) + ": "
        + (wrong == 0 ? "nothing is wrong" : wrong + (wrong == 1 ? " thing is wrong" : " things are wrong"));
  }
}
