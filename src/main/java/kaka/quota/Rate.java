package kaka.quota;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What one client may move in one direction, and what it has. A second's worth may go at once; what goes beyond is owed, and paid
 * for by time. Safe from any thread, without a lock.
 */
final class Rate {
  /** So long a client must have moved nothing for all of a second's worth to be there again. */
  static final long BURST_NS = 1_000_000_000L;

  private final long bytesPerSecond;
  private final long maxOwedNs;

  /** When all that was moved is paid for; a second before now if a second's worth is there. */
  private final AtomicLong paidAtNs = new AtomicLong(-BURST_NS);

  /**
   * @param bytesPerSecond 0: any
   * @param maxOwedNs what is owed beyond is given to the client
   */
  Rate(long bytesPerSecond, long maxOwedNs) {
    this.bytesPerSecond = bytesPerSecond;
    this.maxOwedNs = maxOwedNs;
  }

  /**
   * Takes note of what was moved.
   *
   * @param nowNs since the start, of a clock that never goes back
   * @return how long it takes until it is paid for; 0 if it is
   */
  long take(long bytes, long nowNs) {
    if (bytesPerSecond == 0) {
      return 0;
    }
    long costNs = (long) Math.min(Long.MAX_VALUE / 4, bytes * 1e9 / bytesPerSecond);
    long paidAt =
        paidAtNs.updateAndGet(before -> Math.min(nowNs + maxOwedNs, Math.max(before, nowNs - BURST_NS) + costNs));
    return Math.max(0, paidAt - nowNs);
  }

  /** Bytes that can go now without being owed. */
  long room(long nowNs) {
    if (bytesPerSecond == 0) {
      return Long.MAX_VALUE;
    }
    long spareNs = Math.min(BURST_NS, nowNs - paidAtNs.get());
    return Math.max(0, (long) (bytesPerSecond * (spareNs / 1e9)));
  }

  /** How long it takes until all that was moved is paid for; 0 if it is. */
  long owedNs(long nowNs) {
    return bytesPerSecond == 0 ? 0 : Math.max(0, paidAtNs.get() - nowNs);
  }

  /** Whether something is owed. */
  boolean isOwing(long nowNs) {
    return owedNs(nowNs) > 0;
  }

  /** Whether it says no more than a new one would. */
  boolean isAtRest(long nowNs) {
    return bytesPerSecond == 0 || nowNs - paidAtNs.get() >= BURST_NS;
  }
}
