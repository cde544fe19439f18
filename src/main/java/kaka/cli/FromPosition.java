package kaka.cli;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kaka.client.StartPosition;

/** The value of {@code --from}. */
final class FromPosition {
  private static final Pattern OFFSET = Pattern.compile("[0-9]{1,18}");
  private static final Pattern EPOCH_MS = Pattern.compile("([0-9]{1,15})ms");
  private static final Pattern AGO = Pattern.compile("-([0-9]{1,9})(ms|s|m|h|d)");

  static final String EXPECTED =
      "expected earliest, latest, an offset (42), a time (2026-11-29, 2026-11-29T15:04, 2026-11-29T15:04:05Z, 1796000000000ms)"
          + " or an age (-90s, -15m, -1h, -7d)";

  private FromPosition() {}

  /**
   * Parses it; a time without zone is in {@code zone}.
   *
   * @throws IllegalArgumentException if it is nothing of that
   */
  static StartPosition parse(String text, Clock clock, ZoneId zone) {
    switch (text.toLowerCase(Locale.ROOT)) {
      case "earliest":
        return StartPosition.EARLIEST;
      case "latest":
        return StartPosition.LATEST;
      default:
    }
    if (OFFSET.matcher(text).matches()) {
      return StartPosition.offset(Long.parseLong(text));
    }
    Matcher epoch = EPOCH_MS.matcher(text);
    if (epoch.matches()) {
      return StartPosition.time(Instant.ofEpochMilli(Long.parseLong(epoch.group(1))));
    }
    Matcher ago = AGO.matcher(text);
    if (ago.matches()) {
      return StartPosition.time(clock.instant().minus(age(Long.parseLong(ago.group(1)), ago.group(2))));
    }
    return StartPosition.time(time(text, zone));
  }

  private static Duration age(long amount, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }

  private static Instant time(String text, ZoneId zone) {
    try {
      if (!text.contains("T")) {
        return LocalDate.parse(text).atStartOfDay(zone).toInstant();
      }
      return hasZone(text) ? OffsetDateTime.parse(text).toInstant() : LocalDateTime.parse(text).atZone(zone).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(EXPECTED);
    }
  }

  private static boolean hasZone(String text) {
    String time = text.substring(text.indexOf('T'));
    return time.endsWith("Z") || time.indexOf('+') >= 0 || time.indexOf('-') >= 0;
  }
}
