package kaka.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import kaka.broker.OfflineDirectory;
import kaka.log.PartitionCheck;
import kaka.log.RealDisk;
import kaka.log.Reindexing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

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
final class LogReindexCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "PARTITION_DIRECTORY", description = "As kaka-data/logs-0.")
  private Path path;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;
  private final AtomicLong doneBytes = new AtomicLong();

  LogReindexCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    Path directory = LogCommand.directory(path, spec);
    int intervalBytes = LogCommand.config(spec).log().indexIntervalBytes();
    RealDisk disk = new RealDisk();
    long totalBytes = PartitionCheck.logBytes(disk, directory);
    try (OfflineDirectory claim = OfflineDirectory.open(directory.getParent());
        Progress progress =
            Progress.start(streams, () -> Amounts.bytes(doneBytes.get()) + " of " + Amounts.bytes(totalBytes))) {
      int count = Reindexing.run(disk, directory, intervalBytes, doneBytes::addAndGet);
      LogCommand.print(
          streams, "new indexes for " + count + (count == 1 ? " segment" : " segments") + " of " + directory
              + "; the newest one's is in memory while the broker runs");
      return ExitCode.OK;
    }
  }
}
