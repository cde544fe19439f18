package kaka.connection;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
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

  /** Lines about one connection that no limit is the reason of; each kind is told as seldom as each limit. */
  public enum Line {
    ABORTED,
    FRAMING_LOST,
    NO_MEMORY,
    PROTOCOL_BROKEN,
    READ_FAILED
  }

  private final LongAdder[] counts = new LongAdder[Limit.values().length];
  private final QuietLine[] limitLines = new QuietLine[Limit.values().length];
  private final QuietLine[] lines = new QuietLine[Line.values().length];
  private final OpenConnections open = new OpenConnections();
  private final LongAccumulator peakInFlight = new LongAccumulator(Math::max, 0);

  /** @param nanoTime as {@link System#nanoTime} */
  public ConnectionCounts(LongSupplier nanoTime) {
    Arrays.setAll(counts, i -> new LongAdder());
    Arrays.setAll(limitLines, i -> new QuietLine(nanoTime));
    Arrays.setAll(lines, i -> new QuietLine(nanoTime));
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
    counts[limit.ordinal()].increment();
    limitLines[limit.ordinal()].tell(untold -> LOG.info("{} {}={} others_untold={}", limit.phrase, key, value, untold));
  }

  /**
   * Has a line written, unless one of its kind was within the last ten seconds.
   *
   * @param write is given how many were not written since the last one was
   */
  public void tell(Line line, LongConsumer write) {
    lines[line.ordinal()].tell(write);
  }

  /** How often the limit was met since the start. */
  public long of(Limit limit) {
    return counts[limit.ordinal()].sum();
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
