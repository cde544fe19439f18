package kaka.cli;

import java.io.IOException;
import java.nio.file.Path;
import kaka.broker.OfflineDirectory;
import kaka.log.PartitionCheck;
import kaka.log.RealDisk;
import kaka.log.Reindexing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kaka log reindex}: writes the indexes of a partition anew. */
@Command(
    name = "reindex",
    description = {
      "Write every index of a partition anew from its log, whatever the old ones say; no record is changed.",
      "",
      "A start does that by itself where it sees that an index is wrong. The broker must be stopped.",
      ""
    },
    footer = {"", "Exit codes: 0 done, 1 failed, 2 wrong usage.", "", "Example:  kaka log reindex kaka-data/logs-0"})
final class LogReindexCommand extends ReadingCommand {
  @Parameters(index = "0", paramLabel = "PARTITION_DIRECTORY", description = "As kaka-data/logs-0.")
  private Path path;

  LogReindexCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() throws IOException {
    Path directory = LogCommand.directory(path, spec());
    int intervalBytes = LogCommand.config(spec()).log().indexIntervalBytes();
    RealDisk disk = new RealDisk();
    long totalBytes = PartitionCheck.logBytes(disk, directory);
    try (OfflineDirectory claim = OfflineDirectory.open(directory.getParent())) {
      int count = showing(totalBytes, progress -> Reindexing.run(disk, directory, intervalBytes, progress));
      LogCommand.print(
          streams(), "new indexes for " + count + (count == 1 ? " segment" : " segments") + " of " + directory
              + "; the newest one's is in memory while the broker runs");
      return ExitCode.OK;
    }
  }
}
