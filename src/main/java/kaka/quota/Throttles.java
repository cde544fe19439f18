package kaka.quota;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** How often, and how long in all, clients were made to wait in one direction. Safe from any thread. */
public final class Throttles {
  private final LongAdder count = new LongAdder();
  private final LongAdder totalNs = new LongAdder();

  Throttles() {}

  /** @param throttleNs 0 if the client need not wait, which is not counted */
  Duration noted(long throttleNs) {
    if (throttleNs > 0) {
      count.increment();
      totalNs.add(throttleNs);
    }
    return Duration.ofNanos(throttleNs);
  }

  public long count() {
    return count.sum();
  }

  public long totalNs() {
    return totalNs.sum();
  }
}
