package kaka;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands at 1970, and throws as a bug would from a chosen call on. Safe from any thread. */
public final class BreakableClock extends Clock {
  private final AtomicInteger goodCalls = new AtomicInteger(Integer.MAX_VALUE);

  /** After so many more calls each one throws. */
  public void breakAfter(int calls) {
    goodCalls.set(calls);
  }

  public void mend() {
    goodCalls.set(Integer.MAX_VALUE);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }

  @Override
  public Instant instant() {
    if (goodCalls.getAndDecrement() <= 0) {
      throw new IllegalStateException("bug in a test's clock");
    }
    return Instant.EPOCH;
  }
}
