package kaka.bench;

import java.time.Duration;

/**
 * How long a load lasts.
 *
 * @param warmUp before anything is measured
 * @param duration of what is measured; where {@code records} is given, the most that it may last
 * @param records to produce, or to fetch, after which the load ends; 0 sets no number
 */
public record Span(Duration warmUp, Duration duration, long records) {
  public Span {
    if (warmUp.isNegative()) {
      throw new IllegalArgumentException("warm-up " + warmUp.toMillis() + " ms: at least 0");
    }
    if (duration.toMillis() < 1) {
      throw new IllegalArgumentException("duration " + duration.toMillis() + " ms: at least 1 ms");
    }
    if (records < 0) {
      throw new IllegalArgumentException("records " + records + ": at least 0");
    }
  }

  boolean isCounted() {
    return records > 0;
  }
}
