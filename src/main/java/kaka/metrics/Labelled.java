package kaka.metrics;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** One counter for each value of a label; the values are the broker's own words, so there are few. Safe from any thread. */
public final class Labelled {
  private static final class Counter {
    private final LongAdder count = new LongAdder();
    private volatile long lastMs;
  }

  /** @param lastMs when it was last counted, in milliseconds since 1970 */
  public record Count(long count, long lastMs) {}

  private final Map<String, Counter> counters = new ConcurrentHashMap<>();

  /** @param value never a client's words */
  public void add(String value, long count) {
    Counter counter = counters.computeIfAbsent(value, unseen -> new Counter());
    counter.count.add(count);
    counter.lastMs = System.currentTimeMillis();
  }

  public long of(String value) {
    Counter counter = counters.get(value);
    return counter == null ? 0 : counter.count.sum();
  }

  /** All of them together. */
  public long sum() {
    return counters.values().stream().mapToLong(each -> each.count.sum()).sum();
  }

  /** By value, as they are now. */
  public Map<String, Count> counts() {
    Map<String, Count> counts = new TreeMap<>();
    counters.forEach((value, counter) -> counts.put(value, new Count(counter.count.sum(), counter.lastMs)));
    return counts;
  }

  void collect(Samples out, Metric metric, String... before) {
    counters.forEach(
        (value, counter) -> {
          String[] labels = Arrays.copyOf(before, before.length + 1);
          labels[before.length] = value;
          out.add(metric, counter.count.sum(), labels);
        });
  }
}
