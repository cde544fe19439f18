package kaka.bench;

/** When a stage warms up, measures and ends, by {@link System#nanoTime}. It can be ended earlier, from any thread. */
final class Times {
  private final long startNs;
  private final long measureNs;
  private final boolean isCounted;
  private volatile long endNs;

  Times(long startNs, Span span) {
    this.startNs = startNs;
    this.measureNs = startNs + span.warmUp().toNanos();
    this.isCounted = span.isCounted();
    this.endNs = measureNs + span.duration().toNanos();
  }

  long startNs() {
    return startNs;
  }

  long measureNs() {
    return measureNs;
  }

  long endNs() {
    return endNs;
  }

  boolean isOver(long nowNs) {
    return nowNs - endNs >= 0;
  }

  /** Whether what counts from {@code sinceNs} on is measured. */
  boolean isMeasured(long sinceNs) {
    return sinceNs - measureNs >= 0 && sinceNs - endNs < 0;
  }

  /** Whether what was asked at {@code sinceNs} and is done at {@code nowNs} counts for the throughput. */
  boolean isCounted(long sinceNs, long nowNs) {
    return isCounted ? isMeasured(sinceNs) : isMeasured(nowNs);
  }

  void end(long nowNs) {
    endNs = Math.min(endNs, nowNs);
  }
}
