package kaka.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import kaka.bench.Bench;
import kaka.bench.BenchConfig;
import kaka.bench.Load;
import kaka.bench.LoadResult;
import kaka.bench.Span;
import kaka.bench.Traffic;
import kaka.client.ClientConfig;
import kaka.client.KakaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kaka bench}: loads a broker, says how fast it is, and whether all that it acknowledged can be read back. */
@Command(
    name = "bench",
    sortOptions = false,
    description = {
      "Load a broker over its native protocol, and print what it does: records and bytes a second, and latencies. Then read back"
          + " everything that it acknowledged, and compare.",
      "",
      "Loads: produce; fetch, from the start; end-to-end, from when a record is due to a reader that waits at the end; mixed,"
          + " produce beside readers from the start. None named: all four, some seconds each.",
      "",
      "With --rate a request's latency counts from when it was due, even if it had to wait for others before it could be sent:"
          + " what a stall has held up is seen (no coordinated omission). Without it, requests follow answers as fast as they"
          + " can, and latency counts from sending. Run it on another machine than the broker to measure the broker alone.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 done, and all that was acknowledged is there; 1 something was lost, moved or corrupt, or the run failed;"
          + " 2 wrong usage.",
      "",
      "Examples:  kaka bench",
      "           kaka bench produce --connections 64 --window 1 --duration 10",
      "           kaka bench produce end-to-end --rate 5000 --record-bytes 1k --partitions 6",
      "           kaka bench fetch --fetch-bytes 16m --json"
    })
final class BenchCommand implements Callable<Integer> {
  private static final double END_TO_END_RATE = 1000;
  private static final Duration COUNTED_LIMIT = Duration.ofHours(1);

  @Parameters(paramLabel = "LOAD", arity = "0..*", description = "produce, fetch, end-to-end or mixed; several are run in turn.")
  private List<String> loads = List.of();

  @Mixin
  private BrokerOption broker;

  @Option(
      names = {"-s", "--record-bytes"},
      paramLabel = "SIZE",
      defaultValue = "100",
      description = "Bytes of a record's value, at least 24; 1k, 64k, 1m (default: ${DEFAULT-VALUE}).")
  private String recordBytes;

  @Option(
      names = {"-b", "--batch"},
      paramLabel = "N",
      defaultValue = "1",
      description = "Records in one produce request (default: ${DEFAULT-VALUE}).")
  private int batch;

  @Option(
      names = {"-c", "--connections"},
      paramLabel = "N",
      defaultValue = "16",
      description = "Connections that produce, or in fetch those that read (default: ${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = {"-w", "--window"},
      paramLabel = "N",
      defaultValue = "16",
      description = "Produce requests in flight on each connection; a broker takes 64 at a time unless told otherwise"
          + " (default: ${DEFAULT-VALUE}).")
  private int window;

  @Option(
      names = {"-p", "--partitions"},
      paramLabel = "N",
      defaultValue = "1",
      description = "Partitions of a topic that is created; connections are dealt out among them (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Option(
      names = {"-r", "--rate"},
      paramLabel = "N",
      defaultValue = "0",
      description = "Produce so many records a second, all connections together (default: as fast as it goes; end-to-end: 1000).")
  private double rate;

  @Option(
      names = {"-d", "--duration"},
      paramLabel = "SECONDS",
      defaultValue = "3",
      description = "How long each load is measured (default: ${DEFAULT-VALUE}).")
  private double duration;

  @Option(
      names = {"-n", "--records"},
      paramLabel = "N",
      description = "Instead: measure until so many records are acknowledged, or in fetch read.")
  private Long records;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "Load before anything is measured (default: ${DEFAULT-VALUE}).")
  private double warmUp;

  @Option(
      names = "--fetch-bytes",
      paramLabel = "SIZE",
      defaultValue = "1m",
      description = "What an answer to a fetch may hold (default: ${DEFAULT-VALUE}).")
  private String fetchBytes;

  @Option(
      names = "--fill-bytes",
      paramLabel = "SIZE",
      defaultValue = "128m",
      description = "For fetch and mixed: how much is produced first, to be read (default: ${DEFAULT-VALUE}).")
  private String fillBytes;

  @Option(
      names = "--readers",
      paramLabel = "N",
      defaultValue = "1",
      description = "Connections that read in mixed (default: ${DEFAULT-VALUE}).")
  private int readers;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads that drive all connections that produce, and as many for those that read (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "Use this topic, created if need be, and leave it; fetch and mixed read what it has (default: one for each load,"
          + " deleted afterwards).")
  private String topic;

  @Option(names = "--keep", description = "Do not delete the topics that were made for the run.")
  private boolean isKept;

  @Option(names = "--no-verify", description = "Do not read back what was acknowledged, nor check CRCs.")
  private boolean isUnverified;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean isJson;

  @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
  private boolean help;

  @Spec
  private CommandSpec spec;

  private final Streams streams;
  private volatile Bench running;
  private volatile boolean isStopping;

  BenchCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    ClientConfig config = broker.config();
    List<BenchConfig> runs = checkedRuns(config);
    streams.onStopSignal().accept(this::stop);
    BenchText text = new BenchText(streams.out());
    List<LoadResult> results = new ArrayList<>();
    try {
      for (BenchConfig run : runs) {
        if (!isStopping) {
          LoadResult result = run(run);
          if (!isJson) {
            text.print(result, results.isEmpty());
          }
          results.add(result);
        }
      }
    } catch (IOException | KakaException e) {
      streams.complain(e.getMessage());
      return ExitCode.FAILED;
    }
    if (isJson) {
      text.print(BenchJson.of(config.address(), results));
    } else {
      text.printVerdict(results);
    }
    return results.stream().allMatch(LoadResult::isGood) ? ExitCode.OK : ExitCode.FAILED;
  }

  private List<BenchConfig> checkedRuns(ClientConfig config) {
    try {
      Traffic traffic =
          new Traffic(
              connections,
              readers,
              window,
              size("--record-bytes", recordBytes),
              batch,
              size("--fetch-bytes", fetchBytes),
              OptionValue.parse("--fill-bytes", fillBytes, ByteSize::parse),
              rate);
      Duration measured = records == null ? seconds("--duration", duration) : COUNTED_LIMIT;
      if (records != null) {
        OptionValue.atLeast("--records", records, 1);
      }
      Span span = new Span(seconds("--warm-up", warmUp), measured, records == null ? 0 : records);
      List<BenchConfig> runs = new ArrayList<>();
      for (Load load : chosen()) {
        boolean isRateDue = load == Load.END_TO_END && rate == 0;
        Traffic own = isRateDue ? traffic.withRate(END_TO_END_RATE) : traffic;
        runs.add(
            new BenchConfig(config, load, Optional.ofNullable(topic), isKept, partitions, threads, !isUnverified, own, span));
      }
      return runs;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
  }

  private Set<Load> chosen() {
    Set<Load> chosen = new LinkedHashSet<>();
    for (String name : loads) {
      chosen.add(
          Load.named(name)
              .orElseThrow(() -> new IllegalArgumentException(name + ": not a load; produce, fetch, end-to-end or mixed")));
    }
    return chosen.isEmpty() ? new LinkedHashSet<>(List.of(Load.values())) : chosen;
  }

  private static int size(String option, String text) {
    return (int) Math.min(Integer.MAX_VALUE, OptionValue.parse(option, text, ByteSize::parse));
  }

  private static Duration seconds(String option, double seconds) {
    if (!(seconds >= 0 && seconds <= 1e6)) {
      throw new IllegalArgumentException(option + " " + seconds + ": 0 to 1,000,000 seconds");
    }
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  private LoadResult run(BenchConfig config) throws IOException {
    Bench bench = new Bench(config);
    running = bench;
    if (isStopping) {
      bench.stop();
    }
    BenchProgress progress = new BenchProgress(config.load(), bench);
    try (Progress shown = Progress.start(streams, progress::line)) {
      return bench.run();
    }
  }

  /** On a signal: what there is by then is verified, printed, and the topic is deleted. A second signal ends it at once. */
  private void stop() {
    isStopping = true;
    Bench bench = running;
    if (bench != null) {
      bench.stop();
    }
  }
}
