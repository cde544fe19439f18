package kaka.connection;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * A line of the log that clients can cause as often as they like: it is written at most once in ten seconds, with how many were
 * not. Safe from any thread.
 */
final class QuietLine {
  private static final long QUIET_NS = 10_000_000_000L;

  private final LongSupplier nanoTime;
  private final LongAdder untold = new LongAdder();
  private final AtomicLong quietUntilNs;

  /** @param nanoTime as {@link System#nanoTime} */
  QuietLine(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.quietUntilNs = new AtomicLong(nanoTime.getAsLong());
  }

  /** @param line writes it, or is not called; is given how many have not been written since the last one was */
  void tell(LongConsumer line) {
    long nowNs = nanoTime.getAsLong();
    long until = quietUntilNs.get();
    if (nowNs - until >= 0 && quietUntilNs.compareAndSet(until, nowNs + QUIET_NS)) {
      line.accept(untold.sumThenReset());
    } else {
      untold.increment();
    }
  }
}
