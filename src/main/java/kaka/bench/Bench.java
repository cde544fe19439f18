package kaka.bench;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import kaka.client.Admin;
import kaka.client.KakaClient;

/**
 * One run of one load: the topic is made, and filled if the load reads; the load runs; what was acknowledged is read back; the
 * topic goes. {@link Stage} does each of the steps that talk much.
 */
public final class Bench {
  /** What a run is at. */
  public enum Phase {
    STARTING("starting"),
    FILLING("filling"),
    RUNNING("running"),
    VERIFYING("verifying");

    private final String label;

    Phase(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  /**
   * Where a run is, for a progress line.
   *
   * @param seconds since this phase's clock started
   * @param records of this phase so far
   */
  public record Status(Phase phase, double seconds, long records) {}

  private static final Duration FILL_LIMIT = Duration.ofHours(1);
  private static final int VERIFY_BYTES = 1 << 20;

  private final BenchConfig config;
  private final Consumer<Admin> beforeVerification;
  private final List<Produced> stages = new ArrayList<>();
  private volatile Phase phase = Phase.STARTING;
  private volatile Stage stage;
  private volatile boolean isStopping;

  public Bench(BenchConfig config) {
    this(config, admin -> {});
  }

  /** @param beforeVerification for tests, which damage something here and see it found */
  Bench(BenchConfig config, Consumer<Admin> beforeVerification) {
    this.config = config;
    this.beforeVerification = beforeVerification;
  }

  /**
   * Runs it.
   *
   * @throws IOException if a connection was lost, refused or answered with what makes no sense
   * @throws kaka.client.KakaException if the broker cannot be reached, or refuses the topic
   */
  public LoadResult run() throws IOException {
    try (KakaClient client = KakaClient.connect(config.broker())) {
      BenchTopic topic = BenchTopic.open(client.admin(), config);
      Throwable failure = null;
      try {
        return run(client, topic);
      } catch (IOException | RuntimeException e) {
        failure = e;
        throw e;
      } finally {
        if (topic.isOwn() && !config.isKept()) {
          delete(topic, failure);
        }
      }
    }
  }

  private static void delete(BenchTopic topic, Throwable failure) {
    try {
      topic.delete();
    } catch (RuntimeException e) {
      if (failure == null) {
        throw e;
      }
      failure.addSuppressed(e);
    }
  }

  /** From any thread: ends it as soon as it can be, with what there is by then. */
  public void stop() {
    isStopping = true;
    Stage running = stage;
    if (running != null && phase != Phase.VERIFYING) {
      running.end();
    }
  }

  /** From any thread. */
  public Status status() {
    Stage running = stage;
    Optional<Times> times = running == null ? Optional.empty() : running.times();
    return times.isEmpty()
        ? new Status(phase, 0, 0)
        : new Status(phase, (System.nanoTime() - times.get().startNs()) / 1e9, running.records());
  }

  private LoadResult run(KakaClient client, BenchTopic topic) throws IOException {
    Load load = config.load();
    long[] verifyFrom = topic.ends();
    if (load.needsFill() && topic.isOwn()) {
      fill(client, topic);
    }
    LoadResult result = measure(client, topic);
    if (!config.isVerified() || stages.isEmpty()) {
      return result;
    }
    beforeVerification.accept(client.admin());
    return new LoadResult(
        config, result.produced(), result.fetched(), result.endToEnd(), Optional.of(verify(client, topic, verifyFrom)));
  }

  private void fill(KakaClient client, BenchTopic topic) throws IOException {
    Traffic traffic = config.traffic().forFill();
    long batchBytes = (long) traffic.recordBytes() * traffic.batchRecords();
    long batches = Math.max(topic.partitions(), traffic.fillBytes() / batchBytes);
    Traffic spread = traffic.withConnections(Math.max(traffic.connections(), topic.partitions()));
    Span span = new Span(Duration.ZERO, FILL_LIMIT, batches * traffic.batchRecords());
    Produced filled = produced(client, topic, spread);
    try (Stage filling = begin(Phase.FILLING, span)) {
      filling.openProducers(spread.connections(), config.threads());
      filling.run(producers(spread, span, filled), noReaders());
    }
  }

  private LoadResult measure(KakaClient client, BenchTopic topic) throws IOException {
    Load load = config.load();
    Traffic traffic = config.traffic();
    long[] starts = topic.starts();
    long[] ends = topic.ends();
    if (load.needsFill() && Arrays.equals(starts, ends)) {
      throw new IOException("topic " + topic.name() + " has nothing to fetch");
    }
    try (Stage running = begin(Phase.RUNNING, config.span())) {
      Produced produced = null;
      Stage.Maker producers = noReaders();
      if (load.produces()) {
        produced = produced(client, topic, traffic);
        producers = producers(traffic, config.span(), produced);
        running.openProducers(traffic.connections(), config.threads());
      }
      if (load == Load.END_TO_END) {
        running.openReaders(topic.partitions(), config.threads());
        running.run(producers, followers(client, topic, running, ends, produced));
      } else if (load.fetches()) {
        int readers = load == Load.FETCH ? traffic.connections() : traffic.readers();
        running.openReaders(readers, config.threads());
        BooleanSupplier isEnough = load == Load.MIXED ? running::areProducersDone : () -> false;
        running.run(producers, scanners(client, topic, starts, readers, isEnough));
      } else {
        running.run(producers, noReaders());
      }
      return new LoadResult(
          config,
          load.produces() ? Optional.of(running.produced()) : Optional.empty(),
          load.needsFill() ? Optional.of(running.read()) : Optional.empty(),
          load == Load.END_TO_END ? Optional.of(running.read()) : Optional.empty(),
          Optional.empty());
    }
  }

  /** A stage that a stop from outside finds; one that came too late ends at once. */
  private Stage begin(Phase next, Span span) {
    Stage begun = new Stage(config.broker(), isStopping ? new Span(Duration.ZERO, Duration.ofMillis(1), 0) : span);
    phase = next;
    stage = begun;
    return begun;
  }

  private Produced produced(KakaClient client, BenchTopic topic, Traffic traffic) throws IOException {
    int run = ThreadLocalRandom.current().nextInt();
    Payload payload = new Payload(topic.name(), run, traffic.batchRecords(), traffic.recordBytes());
    if (payload.frameBytes() > client.maxFrameBytes()) {
      throw new IOException(
          "a request would have " + payload.frameBytes() + " bytes, and the broker takes " + client.maxFrameBytes());
    }
    Produced produced = new Produced(payload, traffic.connections(), topic.ends());
    stages.add(produced);
    return produced;
  }

  private static Stage.Maker noReaders() {
    return (number, channel, times, tally) -> {
      throw new IllegalStateException("none was opened");
    };
  }

  private static Stage.Maker producers(Traffic traffic, Span span, Produced produced) {
    return (number, channel, times, tally) -> {
      Schedule schedule =
          traffic.recordsPerSecond() == 0
              ? Schedule.unpaced()
              : Schedule.paced(times.startNs(), traffic.requestsPerSecond(), number, traffic.connections());
      long requests = (span.records() + traffic.batchRecords() - 1) / traffic.batchRecords();
      ProducingConnection.Task task =
          new ProducingConnection.Task(
              number,
              produced.partitionOf(number),
              span.isCounted() ? share(requests, number, traffic.connections()) : Long.MAX_VALUE,
              produced.payload().forThread(),
              new Flight(schedule, traffic.window()),
              produced.ledger(number),
              produced.ackedEnd(produced.partitionOf(number)));
      return new ProducingConnection(channel, task, times, tally);
    };
  }

  private static long share(long all, int number, int connections) {
    return all / connections + (number < all % connections ? 1 : 0);
  }

  private Stage.Maker followers(KakaClient client, BenchTopic topic, Stage running, long[] ends, Produced produced) {
    return (number, channel, times, tally) -> {
      FollowReading reading =
          new FollowReading(
              topic.partition(number),
              ends[number],
              config.isVerified(),
              produced.payload().forThread(),
              times,
              tally,
              running::areProducersDone,
              produced.ackedEnd(number));
      return fetching(client, topic, number, channel, reading, config.traffic().fetchBytes(), tally);
    };
  }

  private Stage.Maker scanners(
      KakaClient client, BenchTopic topic, long[] starts, int readers, BooleanSupplier isEnough) {
    return (number, channel, times, tally) -> {
      int partition = number % topic.partitions();
      boolean isCounted = config.span().isCounted() && config.load() == Load.FETCH;
      long quota = isCounted ? share(config.span().records(), number, readers) : Long.MAX_VALUE;
      ScanReading reading =
          new ScanReading(
              topic.partition(partition), starts[partition], quota, config.isVerified(), isEnough, times, tally);
      return fetching(client, topic, partition, channel, reading, config.traffic().fetchBytes(), tally);
    };
  }

  private static FetchingConnection fetching(
      KakaClient client,
      BenchTopic topic,
      int partition,
      SocketChannel channel,
      Reading reading,
      int fetchBytes,
      Tally tally) {
    return new FetchingConnection(channel, topic.partition(partition), reading, fetchBytes, client.maxFrameBytes(), tally);
  }

  private Verification verify(KakaClient client, BenchTopic topic, long[] from) throws IOException {
    List<ReadBack> readBacks = new ArrayList<>();
    try (Stage verifying = new Stage(config.broker(), new Span(Duration.ZERO, FILL_LIMIT, 0))) {
      phase = Phase.VERIFYING;
      stage = verifying;
      verifying.openReaders(topic.partitions(), config.threads());
      verifying.run(
          noReaders(),
          (partition, channel, times, tally) -> {
            List<ReadBack> ofPartition = stages.stream().map(produced -> produced.readBack(partition)).toList();
            readBacks.addAll(ofPartition);
            VerifyReading reading = new VerifyReading(topic.partition(partition), from[partition], ofPartition, tally);
            return fetching(client, topic, partition, channel, reading, VERIFY_BYTES, tally);
          });
    }
    return readBacks.stream().map(ReadBack::end).reduce(Verification.NOTHING, Verification::plus);
  }
}
