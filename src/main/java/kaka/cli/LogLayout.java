package kaka.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * One event, one line: {@code 2026-11-29T15:04:05.123Z INFO kaka.log torn tail cut partition=orders-0}. The name is the
 * package for kaka's own classes, since it is what the floor plan names. Line breaks inside a message are escaped, so that
 * no client can write lines of its own; only a stack trace takes more lines.
 */
final class LogLayout extends LayoutBase<ILoggingEvent> {
  @Override
  public String doLayout(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(160);
    appendTime(line, event.getTimeStamp());
    line.append(' ').append(event.getLevel()).append(' ').append(name(event.getLoggerName())).append(' ');
    appendEscaped(line, event.getFormattedMessage());
    line.append('\n');
    if (event.getThrowableProxy() != null) {
      line.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    return line.toString();
  }

  /** ISO 8601, UTC, always three digits of milliseconds. */
  static void appendTime(StringBuilder line, long epochMs) {
    String seconds = Instant.ofEpochMilli(epochMs).truncatedTo(ChronoUnit.SECONDS).toString();
    int millis = (int) Math.floorMod(epochMs, 1000L);
    line.append(seconds, 0, seconds.length() - 1).append('.')
        .append((char) ('0' + millis / 100)).append((char) ('0' + millis / 10 % 10)).append((char) ('0' + millis % 10))
        .append('Z');
  }

  static String name(String logger) {
    int dot = logger.lastIndexOf('.');
    boolean isOurClass = logger.startsWith("kaka.") && Character.isUpperCase(logger.charAt(dot + 1));
    return isOurClass ? logger.substring(0, dot) : logger;
  }

  private static void appendEscaped(StringBuilder line, String message) {
    if (message == null) {
      return;
    }
    for (int i = 0; i < message.length(); i++) {
      char c = message.charAt(i);
      switch (c) {
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\u001b' -> line.append("\\e");
        default -> line.append(c);
      }
    }
  }
}
