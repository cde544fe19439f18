package kaka.connection;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happened to connections because of a limit: counted, and told in the log, each kind at most once in a while, however many
 * there are. Safe from any thread.
 */
public final class ConnectionCounts {
  /** The limits that end a connection, or keep one out. */
  public enum Limit {
    IDLE("idle connection closed"),
    FRAME("connection closed, its request did not become complete"),
    WRITE("connection closed, its client does not read"),
    ADDRESS("connection refused, its address has as many as it may"),
    CONNECTIONS("all connections are taken, clients wait"),
    DESCRIPTORS("file descriptors are used up, clients wait");

    private final String phrase;

    Limit(String phrase) {
      this.phrase = phrase;
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionCounts.class);
  private static final long QUIET_NS = 10_000_000_000L;

  /** One limit's count, and when it was last told. */
  private static final class Count {
    private final LongAdder all = new LongAdder();
    private final LongAdder untold = new LongAdder();
    private final AtomicLong quietUntilNs;

    Count(long nowNs) {
      quietUntilNs = new AtomicLong(nowNs);
    }
  }

  private final LongSupplier nanoTime;
  private final Count[] counts = new Count[Limit.values().length];
  private final OpenConnections open = new OpenConnections();
  private final LongAccumulator peakInFlight = new LongAccumulator(Math::max, 0);

  /** @param nanoTime as {@link System#nanoTime} */
  public ConnectionCounts(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new Count(nanoTime.getAsLong());
    }
  }

  /** @param peer whose connection it is */
  void count(Limit limit, String peer) {
    count(limit, "peer", peer);
  }

  /** The next client could not be accepted, because of {@link Limit#DESCRIPTORS} as a rule; who it is cannot be known. */
  void countUnaccepted(IOException cause) {
    count(Limit.DESCRIPTORS, "cause", cause.getMessage());
  }

  private void count(Limit limit, String key, String value) {
    Count count = counts[limit.ordinal()];
    count.all.increment();
    long nowNs = nanoTime.getAsLong();
    long quietUntilNs = count.quietUntilNs.get();
    if (nowNs - quietUntilNs >= 0 && count.quietUntilNs.compareAndSet(quietUntilNs, nowNs + QUIET_NS)) {
      LOG.info("{} {}={} others_untold={}", limit.phrase, key, value, count.untold.sumThenReset());
    } else {
      count.untold.increment();
    }
  }

  /** How often the limit was met since the start. */
  public long of(Limit limit) {
    return counts[limit.ordinal()].all.sum();
  }

  /** As {@link #of}, by the limits' names in small letters. */
  public Map<String, Long> byLimit() {
    Map<String, Long> byLimit = new TreeMap<>();
    for (Limit limit : Limit.values()) {
      byLimit.put(limit.name().toLowerCase(Locale.ROOT), of(limit));
    }
    return byLimit;
  }

  /** Those there are now. */
  public OpenConnections open() {
    return open;
  }

  void sawInFlight(int requests) {
    peakInFlight.accumulate(requests);
  }

  /** The most requests that a connection which has ended had in flight. */
  public long peakInFlight() {
    return peakInFlight.get();
  }
}
