package kaka.log;

import java.util.function.LongSupplier;

/** Counts from when it was made. No step of the time of day shows in it: for timeouts and other intervals. */
public final class Stopwatch {
  private static final long NS_PER_MS = 1_000_000;

  private final LongSupplier nanoTime;
  private final long startNs;

  /** @param nanoTime as {@link System#nanoTime} */
  public Stopwatch(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.startNs = nanoTime.getAsLong();
  }

  /** Whole milliseconds since this was made. */
  public long elapsedMs() {
    return (nanoTime.getAsLong() - startNs) / NS_PER_MS;
  }
}
