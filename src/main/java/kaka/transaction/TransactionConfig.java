package kaka.transaction;

import java.time.Duration;

/**
 * Settings {@code kaka.transactions.*}; what exists is valid.
 *
 * @param maxTimeout longest time that a producer may ask for, after which its transaction is aborted; above 0
 * @param idExpiry how long a transactional id is remembered that begins no transaction, above 0
 * @param maxBytes memory that all transactional ids and their partitions may take, about
 * @param compactBytes the log of transactions is compacted when it has grown by this, or by twice what is live, whichever is more
 */
public record TransactionConfig(Duration maxTimeout, Duration idExpiry, long maxBytes, long compactBytes) {
  public TransactionConfig {
    check(isBetween(maxTimeout, Duration.ofMillis(1), Duration.ofDays(1)), "max-timeout", maxTimeout, "1 ms to 1 day");
    check(isBetween(idExpiry, Duration.ofSeconds(1), Duration.ofDays(3650)), "id-expiry", idExpiry, "1 s to 3650 days");
    check(maxBytes >= 64 * 1024, "max-bytes", maxBytes, "at least 64 KiB");
    check(compactBytes >= 1024 && compactBytes <= 1L << 30, "compact-bytes", compactBytes, "1 KiB to 1 GiB");
  }

  private static boolean isBetween(Duration duration, Duration least, Duration most) {
    return duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0;
  }

  private static void check(boolean isGood, String key, Object value, String expected) {
    if (!isGood) {
      throw new IllegalArgumentException(key + " " + value + ": " + expected);
    }
  }
}
