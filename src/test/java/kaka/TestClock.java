package kaka;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A time of day that a test sets. Safe from any thread. */
public final class TestClock extends Clock {
  private volatile long nowMs;

  /** @param nowMs milliseconds since 1970 */
  public TestClock(long nowMs) {
    this.nowMs = nowMs;
  }

  /** @param by less than nothing sets it back */
  public void advance(Duration by) {
    nowMs += by.toMillis();
  }

  @Override
  public long millis() {
    return nowMs;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(nowMs);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
