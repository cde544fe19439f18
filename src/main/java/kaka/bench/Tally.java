package kaka.bench;

import org.HdrHistogram.Histogram;

/**
 * What one thread has counted: written by that one, and looked at by others while it runs, who see the counts a little late. The
 * latencies are for others only after the thread has ended.
 */
final class Tally {
  private static final long LEAST_NS = 1_000;
  private static final long MOST_NS = 3_600_000_000_000L;
  private static final int DIGITS = 3;

  private final Histogram latencies = new Histogram(LEAST_NS, MOST_NS, DIGITS);
  private volatile long records;
  private volatile long bytes;
  private volatile long requests;
  private volatile long refused;
  private volatile long neverSent;
  private volatile long totalRecords;
  private volatile long lastNs;

  /** Every answered request's records, measured or not: for the progress line. */
  void seen(long newRecords) {
    totalRecords += newRecords;
  }

  void done(long newRecords, long newBytes, long nowNs) {
    lastNs = nowNs;
    records += newRecords;
    bytes += newBytes;
    requests++;
  }

  void latency(long ns) {
    latencies.recordValue(Math.max(0, Math.min(ns, MOST_NS)));
  }

  void refused() {
    refused++;
  }

  void neverSent(long requests) {
    neverSent += requests;
  }

  long totalRecords() {
    return totalRecords;
  }

  /** When the last of what is measured was done; 0 if nothing was. */
  long lastNs() {
    return lastNs;
  }

  /** Adds what this has to {@code sum}; after the thread has ended. */
  void addTo(Measured.Sum sum) {
    sum.add(records, bytes, requests, refused, neverSent, latencies);
  }
}
