package kaka.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends log lines to stderr: kaka's from {@code kaka.logging.level} on, libraries' from WARN on. Found by logback through
 * META-INF/services. In code, because reading logback's XML takes 0.15 s more of each start; a file named by the system
 * property {@code logback.configurationFile} is still used instead.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
  private static final String STDERR = "stderr";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (System.getProperty("logback.configurationFile") != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
    stderr.setContext(context);
    stderr.setName(STDERR);
    stderr.setTarget("System.err");
    stderr.setEncoder(encoder(context, new LogLayout()));
    stderr.start();
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(stderr);
    // Says with a stack trace what the start-up says in a line, and would flood the log when descriptors run out.
    context.getLogger("akka.io.TcpListener").setLevel(Level.OFF);
    context.getLogger("kaka").setLevel(Level.toLevel(System.getProperty("kaka.logging.level"), Level.INFO));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private static LayoutWrappingEncoder<ILoggingEvent> encoder(LoggerContext context, LayoutBase<ILoggingEvent> layout) {
    layout.setContext(context);
    layout.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setContext(context);
    encoder.setCharset(StandardCharsets.UTF_8);
    encoder.setLayout(layout);
    encoder.start();
    return encoder;
  }

  /** From now on a line is a JSON object; before the settings were read, lines are plain. */
  static void writeJson() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context
        && context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(STDERR) instanceof ConsoleAppender<ILoggingEvent> stderr) {
      stderr.setEncoder(encoder(context, new JsonLogLayout()));
    }
  }

  /** Changes from which level on kaka's own lines are written. */
  static void setLevel(String level) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.getLogger("kaka").setLevel(Level.toLevel(level));
    }
  }
}
