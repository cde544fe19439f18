package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class JsonLogLayoutTest {
  private static final String START = "{\"time\":\"2026-11-29T15:04:05.123Z\",\"level\":\"WARN\",\"logger\":\"kaka.log\",\"message\":";

  private final JsonLogLayout layout = new JsonLogLayout();

  @Test
  void phraseAndFieldsAreApart() {
    assertEquals(START + "\"torn tail cut\",\"partition\":\"orders-0\",\"cut_bytes\":\"17\",\"reason\":\"it ends\"}\n",
        layout.doLayout(event("torn tail cut partition={} cut_bytes={} reason=\"{}\"", null, "orders-0", 17, "it ends")));
  }

  @Test
  void whatIsNoFieldStaysInTheMessage() {
    assertEquals(START + "\"idle connection closed\",\"peer\":\"/127.0.0.1:5\"}\n",
        layout.doLayout(event("{} peer={}", null, "idle connection closed", "/127.0.0.1:5")));
    assertEquals(START + "\"plain\"}\n", layout.doLayout(event("plain", null)));
    assertEquals(START + "\"one of two {}\"}\n", layout.doLayout(event("one of {} {}", null, "two")));
  }

  /** A field cannot take the place of the line's own, and a client's text neither ends the line nor the string. */
  @Test
  void aLineIsOneObjectWhateverIsInIt() {
    String line = layout.doLayout(event("closed level={} client={}", null, "high", "a\"\n\r\u001b,\"level\":\"INFO"));

    assertEquals(1, line.lines().count());
    assertEquals("WARN", ConfigFactory.parseString(line).getString("level"));
    assertEquals("a\"\n\r\u001b,\"level\":\"INFO", ConfigFactory.parseString(line).getString("client"));
  }

  @Test
  void stackTraceIsAField() {
    String line = layout.doLayout(event("sync failed", new IOException("no space")));

    assertEquals(1, line.lines().count());
    assertTrue(ConfigFactory.parseString(line).getString("stack").startsWith("java.io.IOException: no space\n\tat "), line);
  }

  private static LoggingEvent event(String message, Throwable failure, Object... arguments) {
    LoggingEvent event = new LoggingEvent(
        JsonLogLayoutTest.class.getName(), new LoggerContext().getLogger("kaka.log.PartitionLog"), Level.WARN, message, failure, arguments);
    event.setTimeStamp(1_795_964_645_123L);
    return event;
  }
}
