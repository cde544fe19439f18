package kaka.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** Everything logged while it is open. */
public final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final Logger kaka = (Logger) LoggerFactory.getLogger("kaka");
  private final Level before = kaka.getLevel();

  public LogCapture() {
    setContext(root.getLoggerContext());
    start();
    kaka.setLevel(Level.INFO);
    root.addAppender(this);
  }

  @Override
  protected void append(ILoggingEvent event) {
    events.add(event);
  }

  public List<String> lines() {
    return events.stream().map(event -> event.getLevel() + " " + event.getFormattedMessage()).toList();
  }

  /** What nobody should see: errors, and exceptions at any level. */
  public List<String> troubles() {
    return events.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN) || event.getThrowableProxy() != null)
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }

  @Override
  public void close() {
    root.detachAppender(this);
    kaka.setLevel(before);
    stop();
  }
}
