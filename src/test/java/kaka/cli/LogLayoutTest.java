package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class LogLayoutTest {
  private final LogLayout layout = new LogLayout();

  @Test
  void lineIsTimeLevelPackageMessage() {
    assertEquals("2026-11-29T15:04:05.123Z WARN kaka.log torn tail cut partition=orders-0\n",
        layout.doLayout(event("kaka.log.PartitionLog", "torn tail cut partition={}", null, "orders-0")));
    assertEquals("2026-11-29T15:04:05.123Z WARN akka.actor.ActorSystem x\n",
        layout.doLayout(event("akka.actor.ActorSystem", "x", null)));
  }

  @Test
  void clientsTextCannotBeginALine() {
    assertEquals("2026-11-29T15:04:05.123Z WARN kaka.server closed client=a\\n\\r\\e[2Jb\n",
        layout.doLayout(event("kaka.server", "closed client={}", null, "a\n\r\u001b[2Jb")));
  }

  @Test
  void stackTraceFollows() {
    String lines = layout.doLayout(event("kaka.log", "sync failed", new IOException("no space")));

    assertTrue(lines.startsWith("2026-11-29T15:04:05.123Z WARN kaka.log sync failed\njava.io.IOException: no space\n\tat "), lines);
  }

  private static LoggingEvent event(String logger, String message, Throwable failure, Object... arguments) {
    LoggingEvent event = new LoggingEvent(
        LogLayoutTest.class.getName(), new LoggerContext().getLogger(logger), Level.WARN, message, failure, arguments);
    event.setTimeStamp(1_795_964_645_123L);
    return event;
  }
}
