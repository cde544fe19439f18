package kaka.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the commands share that read whole logs where no broker runs, which takes its time: their help, and how far they are. */
abstract class ReadingCommand implements Callable<Integer> {
  /** Reads, and tells of the bytes that it has read since it last did. */
  interface Work<T> {
    T run(LongConsumer progress) throws IOException;
  }

  @Option(names = {"-h", "--help"}, order = 1, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;

  ReadingCommand(Streams streams) {
    this.streams = streams;
  }

  final CommandSpec spec() {
    return spec;
  }

  final Streams streams() {
    return streams;
  }

  /** Does {@code work}, showing how much of {@code totalBytes} is done. */
  final <T> T showing(long totalBytes, Work<T> work) throws IOException {
    AtomicLong doneBytes = new AtomicLong(); // shown by another thread
    try (Progress progress = Progress.start(streams, () -> Progress.bar(doneBytes.get(), totalBytes))) {
      return work.run(doneBytes::addAndGet);
    }
  }
}
