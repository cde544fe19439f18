package kaka.bench;

import org.HdrHistogram.Histogram;

/**
 * What was done in the measured time.
 *
 * @param bytes of values when produced, of answers when fetched
 * @param refused requests that were answered with an error
 * @param neverSent requests that were due and never sent, as the window was full until the end; their latencies so far are in
 *     {@code latencies}
 * @param seconds that it took
 * @param latencies in nanoseconds
 */
public record Measured(
    long records, long bytes, long requests, long refused, long neverSent, double seconds, Histogram latencies) {
  public double recordsPerSecond() {
    return records / seconds;
  }

  public double bytesPerSecond() {
    return bytes / seconds;
  }

  /** The latency below which so many of a hundred are, in microseconds; 0 where there is none. */
  public double latencyUs(double percentile) {
    return latencies.getTotalCount() == 0 ? 0 : latencies.getValueAtPercentile(percentile) / 1e3;
  }

  public double meanUs() {
    return latencies.getTotalCount() == 0 ? 0 : latencies.getMean() / 1e3;
  }

  /** Of several threads. */
  static final class Sum {
    private final Histogram latencies = new Histogram(1_000, 3_600_000_000_000L, 3);
    private long records;
    private long bytes;
    private long requests;
    private long refused;
    private long neverSent;

    void add(long records, long bytes, long requests, long refused, long neverSent, Histogram latencies) {
      this.records += records;
      this.bytes += bytes;
      this.requests += requests;
      this.refused += refused;
      this.neverSent += neverSent;
      this.latencies.add(latencies);
    }

    Measured over(double seconds) {
      return new Measured(records, bytes, requests, refused, neverSent, seconds, latencies);
    }
  }
}
