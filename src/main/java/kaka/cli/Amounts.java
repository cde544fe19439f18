package kaka.cli;

import java.util.Locale;

/** Amounts as people read them. */
final class Amounts {
  private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

  private Amounts() {}

  /** {@code 999 B}, {@code 1.2 MB}: powers of 1000. */
  static String bytes(double bytes) {
    int unit = 0;
    double amount = bytes;
    while (amount >= 999.5 && unit < UNITS.length - 1) {
      amount /= 1000;
      unit++;
    }
    return unit == 0 || amount >= 99.95
        ? String.format(Locale.ROOT, "%.0f %s", amount, UNITS[unit])
        : String.format(Locale.ROOT, "%.1f %s", amount, UNITS[unit]);
  }

  /** {@code 1 record}, {@code 3 records}. */
  static String records(long count) {
    return count + (count == 1 ? " record" : " records");
  }

  /** {@code 0.8 s}. */
  static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }
}
