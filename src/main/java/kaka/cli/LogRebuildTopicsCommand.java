package kaka.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import kaka.broker.OfflineDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka log rebuild-topics}: makes the log of topics anew. */
@Command(
    name = "rebuild-topics",
    sortOptions = false,
    description = {
      "Make the log of topics anew, where it is damaged or missing, from the partitions' directories and what is intact of it.",
      "",
      "Prints each topic that it will have. A topic whose creation is not readable any more loses its own settings: nothing"
          + " of it expires until it is told otherwise. The old log stays beside the new one. Without --yes it only says what it"
          + " would do. The broker must be stopped.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 done, 1 not done (without --yes, too), 2 wrong usage.",
      "",
      "Example:  kaka log rebuild-topics kaka-data --yes"
    })
final class LogRebuildTopicsCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "DIRECTORY", description = "The data directory.")
  private Path path;

  @Option(names = "--yes", description = "Do it.")
  private boolean isConfirmed;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;

  LogRebuildTopicsCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    Path directory = LogCommand.directory(path, spec);
    try (OfflineDirectory offline = OfflineDirectory.open(directory)) {
      OfflineDirectory.TopicsPlan plan = offline.planTopics();
      for (String topic : plan.topics()) {
        LogCommand.print(streams, topic);
      }
      plan.doubts().forEach(doubt -> streams.err().println("left out: " + doubt));
      if (!isConfirmed) {
        streams.complain("nothing was changed; say --yes to make the log of topics anew with these " + plan.topics().size());
        return ExitCode.FAILED;
      }
      Path old = offline.rebuildTopics(LogCommand.config(spec).log());
      streams.err().println("the log of topics is new; the old one, if there was one, is " + old.getFileName());
      return ExitCode.OK;
    }
  }
}
