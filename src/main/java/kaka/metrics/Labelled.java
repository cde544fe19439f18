package kaka.metrics;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** One counter for each value of a label; the values are the broker's own words, so there are few. Safe from any thread. */
public final class Labelled {
  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

  /** @param value never a client's words */
  public void add(String value, long count) {
    counts.computeIfAbsent(value, unseen -> new LongAdder()).add(count);
  }

  public long of(String value) {
    LongAdder count = counts.get(value);
    return count == null ? 0 : count.sum();
  }

  void collect(Samples out, Metric metric, String... before) {
    counts.forEach(
        (value, count) -> {
          String[] labels = Arrays.copyOf(before, before.length + 1);
          labels[before.length] = value;
          out.add(metric, count.sum(), labels);
        });
  }
}
