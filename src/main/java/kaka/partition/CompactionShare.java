package kaka.partition;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import kaka.log.CompactionConfig;

/** What compaction of all partitions of a broker may take together: how many at a time, how fast. Safe from any thread. */
public final class CompactionShare {
  private static final long SECOND_NS = 1_000_000_000;

  private final CompactionConfig config;
  private final AtomicInteger running = new AtomicInteger();
  private volatile boolean wanted; // somebody was refused since the last one began
  private long paidUntilNs; // guarded by this
  private boolean hasPaid;

  public CompactionShare(CompactionConfig config) {
    this.config = config;
  }

  /** Memory for the keys of one run. */
  long mapBytesPerRun() {
    return config.mapBytes() / config.threads();
  }

  /** Takes leave for one run; {@link #end} gives it back. @return false if as many as may are under way */
  boolean tryBegin() {
    int now = running.get();
    while (now < config.threads()) {
      if (running.compareAndSet(now, now + 1)) {
        wanted = false;
        return true;
      }
      now = running.get();
    }
    wanted = true;
    return false;
  }

  /** Whether somebody was refused since the last one began: who would begin again at once lets the others have a turn. */
  boolean isWanted() {
    return wanted;
  }

  void end() {
    running.decrementAndGet();
  }

  /** How many are under way. */
  public int runningCount() {
    return running.get();
  }

  /**
   * Pays for {@code bytes} that were read and written.
   *
   * @param nowNs of {@link System#nanoTime}
   * @return how long to wait before the next ones
   */
  synchronized Duration pay(long bytes, long nowNs) {
    if (config.maxBytesPerSecond() == 0) {
      return Duration.ZERO;
    }
    if (!hasPaid || paidUntilNs - nowNs < 0) {
      paidUntilNs = nowNs; // what was not used is not saved up
      hasPaid = true;
    }
    paidUntilNs += (long) (bytes * (double) SECOND_NS / config.maxBytesPerSecond());
    return Duration.ofNanos(paidUntilNs - nowNs);
  }
}
