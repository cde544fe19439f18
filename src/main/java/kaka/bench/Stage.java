package kaka.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.client.ClientConfig;

/**
 * One stage of a run: all connections are opened, then the clock starts, loops drive them until they are through, and all are
 * closed. What is used by its connections is made when the clock starts, since it depends on it.
 */
final class Stage implements AutoCloseable {
  /** Connections of one kind, dealt out among loops. */
  private static final class Side {
    private final List<SocketChannel> channels = new ArrayList<>();
    private final List<BenchLoop> loops = new ArrayList<>();
    private final List<Tally> tallies = new ArrayList<>();
  }

  private final ClientConfig broker;
  private final Span span;
  private final Side producers = new Side();
  private final Side readers = new Side();
  private volatile boolean areProducersDone;
  private volatile Times times;

  Stage(ClientConfig broker, Span span) {
    this.broker = broker;
    this.span = span;
  }

  /** Makes a connection of a kind: of its number, its socket, and the tally of its loop. */
  interface Maker {
    BenchConnection make(int number, SocketChannel channel, Times times, Tally tally);
  }

  void openProducers(int connections, int threads) throws IOException {
    open(producers, "kaka-bench-produce-", connections, threads);
  }

  void openReaders(int connections, int threads) throws IOException {
    open(readers, "kaka-bench-fetch-", connections, threads);
  }

  private void open(Side side, String name, int connections, int threads) throws IOException {
    for (int i = 0; i < Math.min(connections, threads); i++) {
      side.loops.add(new BenchLoop(name + i));
      side.tallies.add(new Tally());
    }
    for (int i = 0; i < connections; i++) {
      side.channels.add(connect());
    }
  }

  private SocketChannel connect() throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.socket().connect(
          new InetSocketAddress(broker.host(), broker.port()), (int) broker.connectTimeout().toMillis());
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw new IOException("cannot connect to " + broker.address() + ": " + e.getMessage(), e);
    }
  }

  /** Runs it to its end; throws what went wrong first. */
  void run(Maker ofProducers, Maker ofReaders) throws IOException {
    Times clock = new Times(System.nanoTime(), span);
    times = clock;
    make(producers, ofProducers, clock);
    make(readers, ofReaders, clock);
    readers.loops.forEach(BenchLoop::start);
    producers.loops.forEach(BenchLoop::start);
    Optional<IOException> failure = join(producers);
    failure.ifPresent(e -> end());
    areProducersDone = true;
    failure = failure.or(() -> join(readers));
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  private static void make(Side side, Maker maker, Times clock) throws IOException {
    for (int i = 0; i < side.channels.size(); i++) {
      int loop = i % side.loops.size();
      side.loops.get(loop).add(maker.make(i, side.channels.get(i), clock, side.tallies.get(loop)));
    }
  }

  private static Optional<IOException> join(Side side) {
    Optional<IOException> failure = Optional.empty();
    for (BenchLoop loop : side.loops) {
      Optional<IOException> ended = loop.join();
      failure = failure.or(() -> ended);
    }
    return failure;
  }

  /** From any thread: it is over as soon as what is in flight is answered. */
  void end() {
    Times clock = times;
    if (clock != null) {
      clock.end(System.nanoTime());
    }
  }

  boolean areProducersDone() {
    return areProducersDone;
  }

  /** When it began, if it has. */
  Optional<Times> times() {
    return Optional.ofNullable(times);
  }

  /** Records so far, acknowledged or, where nothing is produced, read. */
  long records() {
    List<Tally> counted = producers.tallies.isEmpty() ? readers.tallies : producers.tallies;
    return counted.stream().mapToLong(Tally::totalRecords).sum();
  }

  Measured produced() {
    return measured(producers.tallies);
  }

  Measured read() {
    return measured(readers.tallies);
  }

  private Measured measured(List<Tally> tallies) {
    Measured.Sum sum = new Measured.Sum();
    tallies.forEach(tally -> tally.addTo(sum));
    long endNs = times.endNs();
    if (span.isCounted()) {
      endNs = tallies.stream().mapToLong(Tally::lastNs).filter(last -> last != 0).max().orElse(endNs);
    }
    return sum.over(Math.max(1e-9, (endNs - times.measureNs()) / 1e9));
  }

  @Override
  public void close() throws IOException {
    for (Side side : List.of(producers, readers)) {
      for (SocketChannel channel : side.channels) {
        channel.close();
      }
    }
  }
}
