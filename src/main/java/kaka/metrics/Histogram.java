package kaka.metrics;

import java.util.concurrent.atomic.LongAdder;

/** How many values fell between fixed bounds. Safe from any thread; recording is two additions and takes no lock. */
public final class Histogram {
  /** 50 us to 26 s, each twice the last: syncs, requests and what they wait for, in nanoseconds. */
  private static final long[] DURATION_NS = doubling(50_000, 20);

  /** 256 B to 64 MiB, each four times the last. */
  private static final long[] BYTES = powers(256, 4, 10);

  /** 1 to 262,144, each four times the last. */
  private static final long[] COUNTS = powers(1, 4, 10);

  private final long[] bounds;
  private final double unit;
  private final LongAdder[] counts;
  private final LongAdder sum = new LongAdder();

  private Histogram(long[] bounds, double unit) {
    this.bounds = bounds;
    this.unit = unit;
    this.counts = new LongAdder[bounds.length + 1];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Of durations, recorded in nanoseconds and told in seconds. */
  public static Histogram ofDurations() {
    return new Histogram(DURATION_NS, 1e9);
  }

  public static Histogram ofBytes() {
    return new Histogram(BYTES, 1);
  }

  public static Histogram ofCounts() {
    return new Histogram(COUNTS, 1);
  }

  private static long[] doubling(long first, int count) {
    return powers(first, 2, count);
  }

  private static long[] powers(long first, int factor, int count) {
    long[] bounds = new long[count];
    long bound = first;
    for (int i = 0; i < count; i++) {
      bounds[i] = bound;
      bound *= factor;
    }
    return bounds;
  }

  public void record(long value) {
    record(value, 1);
  }

  /** The same value so many times. */
  public void record(long value, long times) {
    counts[bucketOf(value)].add(times);
    sum.add(Math.max(0, value) * times);
  }

  private int bucketOf(long value) {
    int low = 0;
    int high = bounds.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (value <= bounds[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** How many values were recorded. */
  public long count() {
    long count = 0;
    for (LongAdder bucket : counts) {
      count += bucket.sum();
    }
    return count;
  }

  /** Of all values, in the unit in which they are told. */
  double sum() {
    return sum.sum() / unit;
  }

  /** The upper bounds, in the unit in which they are told; one more, without bound, follows. */
  public double[] upperBounds() {
    double[] told = new double[bounds.length];
    for (int i = 0; i < told.length; i++) {
      told[i] = bounds[i] / unit;
    }
    return told;
  }

  /** One for each bound and one for what is above the last. */
  public long[] bucketCounts() {
    long[] now = new long[counts.length];
    for (int i = 0; i < now.length; i++) {
      now[i] = counts[i].sum();
    }
    return now;
  }
}
