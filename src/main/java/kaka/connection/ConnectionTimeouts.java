package kaka.connection;

import java.time.Duration;

/**
 * How long a connection may hold things for nothing: {@code kaka.connections.*-timeout}. They are looked at four times within
 * the shortest of them, so each may last that much longer. What is wrong is refused with {@link IllegalArgumentException}, whose
 * message starts with the component's name in kebab case.
 *
 * @param idle with nothing asked, nothing begun and nothing to be answered; zero: for ever
 * @param frame for the rest of a request whose first bytes have come
 * @param write for one write to be taken, an answer's slice of at most 256 KiB
 */
public record ConnectionTimeouts(Duration idle, Duration frame, Duration write) {
  private static final Duration LEAST = Duration.ofMillis(100);
  private static final Duration MOST = Duration.ofDays(1);

  public ConnectionTimeouts {
    if (!idle.isZero()) {
      check(idle, "idle-timeout", "0, or ");
    }
    check(frame, "frame-timeout", "");
    check(write, "write-timeout", "");
  }

  private static void check(Duration timeout, String name, String before) {
    if (timeout.compareTo(LEAST) < 0 || timeout.compareTo(MOST) > 0) {
      throw new IllegalArgumentException(name + " " + timeout + ": " + before + "100 ms to 1 day");
    }
  }

  /** How often to look. */
  Duration lookInterval() {
    Duration shortest = frame.compareTo(write) < 0 ? frame : write;
    if (!idle.isZero() && idle.compareTo(shortest) < 0) {
      shortest = idle;
    }
    return shortest.dividedBy(4);
  }
}
