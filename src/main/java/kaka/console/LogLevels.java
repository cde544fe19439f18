package kaka.console;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import java.util.Locale;
import org.slf4j.LoggerFactory;

/** From which level on log lines are written, by logger, while the broker runs. */
final class LogLevels {
  static final List<String> LEVELS = List.of("error", "warn", "info", "debug", "trace", "off");

  private LogLevels() {}

  /** Those that have a level of their own. */
  static String json() {
    JsonObject json = new JsonObject();
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      for (Logger logger : context.getLoggerList()) {
        if (logger.getLevel() != null) {
          json.put(logger.getName(), logger.getLevel().toString().toLowerCase(Locale.ROOT));
        }
      }
    }
    return json.toString();
  }

  /**
   * Only loggers that there are: names that somebody makes up would stay in memory.
   *
   * @return false if there is none of that name
   */
  static boolean set(String logger, String level) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context && context.exists(logger) != null) {
      context.getLogger(logger).setLevel(Level.toLevel(level));
      return true;
    }
    return false;
  }
}
