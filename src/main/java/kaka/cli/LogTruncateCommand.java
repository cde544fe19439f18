package kaka.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import kaka.broker.OfflineDirectory;
import kaka.log.ActiveProducer;
import kaka.log.Disk;
import kaka.log.LogTruncation;
import kaka.log.RealDisk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka log truncate}: gives up the end of a partition's log. */
@Command(
    name = "truncate",
    sortOptions = false,
    description = {
      "Cut a partition's log so that OFFSET is the next one to be given: the records from there on are gone for consumers.",
      "",
      "What is cut stays beside the log in .cut files, which kaka log dump reads. Without --yes it only says what it would do."
          + " The broker must be stopped. After a crash, run it again.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 done, 1 not done (without --yes, too), 2 wrong usage.",
      "",
      "Example:  kaka log truncate kaka-data/logs-0 --to-offset 93124 --yes"
    })
final class LogTruncateCommand implements Callable<Integer> {
  private static final int MAX_SHOWN = 10;

  @Parameters(index = "0", paramLabel = "PARTITION_DIRECTORY", description = "As kaka-data/logs-0.")
  private Path path;

  @Option(names = "--to-offset", required = true, paramLabel = "OFFSET", description = "The first offset that goes.")
  private long toOffset;

  @Option(names = "--yes", description = "Do it.")
  private boolean isConfirmed;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;

  LogTruncateCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    Path directory = LogCommand.directory(path, spec);
    Disk disk = new RealDisk();
    try (OfflineDirectory claim = OfflineDirectory.open(directory.getParent())) {
      long bytes = LogTruncation.bytesAfter(disk, directory, toOffset);
      String open = open(LogTruncation.openTransactions(disk, directory, toOffset));
      if (!isConfirmed) {
        streams.complain(
            "this would cut " + bytes + " bytes, offset " + toOffset + " and all after it, from " + directory
                + " and keep them in .cut files; say --yes to do it");
        if (!open.isEmpty()) {
          streams.complain("it would leave " + open);
        }
        return ExitCode.FAILED;
      }
      LogTruncation.Result result = LogTruncation.truncate(disk, directory, toOffset);
      String kept = result.kept().isEmpty() ? "" : ", kept in " + String.join(", ", result.kept().stream().map(Path::toString).toList());
      LogCommand.print(streams, directory + " ends before offset " + result.nextOffset() + ": cut " + result.cutBytes() + " bytes" + kept);
      if (!open.isEmpty()) {
        LogCommand.print(streams, "it leaves " + open);
      }
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
  }

  /** Empty if none is. */
  private static String open(List<ActiveProducer> producers) {
    if (producers.isEmpty()) {
      return "";
    }
    String first =
        producers.stream()
            .limit(MAX_SHOWN)
            .map(each -> "producer " + each.producerId() + " epoch " + each.epoch() + " from offset " + each.transactionStart().orElseThrow())
            .collect(Collectors.joining(", "));
    String more = producers.size() > MAX_SHOWN ? " and " + (producers.size() - MAX_SHOWN) + " more" : "";
    return "transactions open that nobody may end (" + first + more + "): what is behind them is hidden from readers of what is"
        + " committed until kafka-transactions.sh abort ends them";
  }
}
