package kaka.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.LoggerFactory;

/**
 * What a start of the broker needs anyway, done on a second thread while the main one reads the settings: logging set up, and
 * classes loaded. They are neither verified nor initialized here, so no static state is made out of its order, and none of a class's
 * locks is held. A class that is missing, or is not listed, costs only that the main thread loads it itself.
 *
 * <p>The list is what a start has loaded, in its order, written by {@code ops/perf/start-classes.sh}.
 */
final class StartAhead {
  private static final String CLASSES = "start-classes.txt";

  private final CompletableFuture<Void> logging = new CompletableFuture<>();

  private StartAhead() {}

  static StartAhead begin() {
    StartAhead ahead = new StartAhead();
    Thread thread = new Thread(ahead::run, "kaka-start-ahead");
    thread.setDaemon(true);
    thread.start();
    return ahead;
  }

  /** Returns when logging is set up, well or not: before that SLF4J hands out loggers and a factory that are stand-ins. */
  void awaitLogging() {
    logging.join();
  }

  private void run() {
    try {
      LoggerFactory.getILoggerFactory();
    } finally {
      logging.complete(null);
    }
    ClassLoader loader = StartAhead.class.getClassLoader();
    for (String name : classes()) {
      try {
        Class.forName(name, false, loader);
      } catch (ClassNotFoundException | LinkageError e) {
        continue; // of another Java; if it is needed, who needs it says so
      }
    }
  }

  /** Binary names, in the order in which a start needs them. */
  static List<String> classes() {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(StartAhead.class.getResourceAsStream(CLASSES), StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
