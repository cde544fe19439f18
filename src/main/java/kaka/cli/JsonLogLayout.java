package kaka.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One event, one line of JSON: {@code {"time":"...","level":"WARN","logger":"kaka.log","message":"torn tail cut","partition":"orders-0"}}.
 * The message is the fixed phrase of the line; each of its {@code key=value} is a field of its own, a text. A stack trace is the
 * field {@code stack}.
 */
final class JsonLogLayout extends LayoutBase<ILoggingEvent> {
  /** {@code key={}} in a message's pattern, the value perhaps in quotation marks. */
  private static final Pattern FIELD = Pattern.compile("\\s*\\b([a-z][a-z0-9_]*)=\"?\\{}\"?");

  private static final String PLACE = "{}";

  @Override
  public String doLayout(ILoggingEvent event) {
    Map<String, String> fields = new LinkedHashMap<>();
    StringBuilder time = new StringBuilder(24);
    LogLayout.appendTime(time, event.getTimeStamp());
    put(fields, "time", time.toString());
    put(fields, "level", event.getLevel().toString());
    put(fields, "logger", LogLayout.name(event.getLoggerName()));
    put(fields, "message", "");
    put(fields, "message", message(event, fields));
    if (event.getThrowableProxy() != null) {
      put(fields, "stack", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    return Json.object(fields) + "\n";
  }

  private static void put(Map<String, String> fields, String name, String text) {
    fields.put(name, Json.string(text));
  }

  /** What is left of it when its fields are taken out. */
  private static String message(ILoggingEvent event, Map<String, String> fields) {
    String pattern = event.getMessage() == null ? "" : event.getMessage();
    Object[] arguments = event.getArgumentArray() == null ? new Object[0] : event.getArgumentArray();
    StringBuilder message = new StringBuilder();
    Matcher field = FIELD.matcher(pattern);
    int argument = 0;
    int at = 0;
    while (at < pattern.length()) {
      int place = pattern.indexOf(PLACE, at);
      if (place < 0 || argument == arguments.length) {
        break;
      }
      String value = String.valueOf(arguments[argument++]);
      if (field.find(at) && field.start() <= place && place < field.end() && !fields.containsKey(field.group(1))) {
        message.append(pattern, at, field.start());
        put(fields, field.group(1), value);
        at = field.end();
      } else {
        message.append(pattern, at, place).append(value);
        at = place + PLACE.length();
      }
    }
    return message.append(pattern, at, pattern.length()).toString().strip();
  }
}
