package kaka.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What {@code kaka.log} warns of while something runs; nothing of it is printed. */
final class WarnLog {
  interface Work {
    void run() throws IOException;
  }

  List<String> during(Work work) throws IOException {
    Logger logger = (Logger) LoggerFactory.getLogger("kaka.log");
    Level before = logger.getLevel();
    boolean additive = logger.isAdditive();
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    logger.setLevel(Level.WARN);
    logger.setAdditive(false);
    logger.addAppender(appender);
    try {
      work.run();
      return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    } finally {
      logger.detachAppender(appender);
      logger.setAdditive(additive);
      logger.setLevel(before);
    }
  }
}
