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
 * classes loaded; once it is ready, those that its first client will need, of which Kafka's are many. They are neither verified nor
 * initialized here, so no static state is made out of its order, and none of a class's locks is held. A class that is missing, or is not
 * listed, costs only that who needs it loads it.
 *
 * <p>The lists are what a start, and then the first Kafka client, has loaded, in that order, written by {@code
 * ops/perf/start-classes.sh}.
 */
final class StartAhead {
  /** What a start loads. */
  static final String START = "start-classes.txt";

  /** What a Kafka client makes it load that creates a topic, produces, and consumes in a group. */
  static final String FIRST_CLIENT = "first-client-classes.txt";

  /**
   * A system property, not of the settings, true while a class archive is made ({@code ops/kaka}): the broker is ready when it has loaded
   * all there is.
   */
  private static final String ARCHIVED = "start-ahead.archived";

  private final CompletableFuture<Void> logging = new CompletableFuture<>();

  private StartAhead() {}

  static StartAhead begin() {
    StartAhead ahead = new StartAhead();
    start(ahead::run);
    return ahead;
  }

  /** The broker is about to say that it is ready. */
  static void beforeReady() {
    if (Boolean.getBoolean(ARCHIVED)) {
      load(FIRST_CLIENT);
    }
  }

  /** The broker has said so: nobody waits for what is done now. */
  static void afterReady() {
    if (!Boolean.getBoolean(ARCHIVED)) {
      start(() -> load(FIRST_CLIENT));
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "kaka-start-ahead");
    thread.setDaemon(true);
    thread.start();
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
    load(START);
  }

  private static void load(String list) {
    ClassLoader loader = StartAhead.class.getClassLoader();
    for (String name : classes(list)) {
      try {
        Class.forName(name, false, loader);
      } catch (ClassNotFoundException | LinkageError e) {
        continue; // of another Java; if it is needed, who needs it says so
      }
    }
  }

  /** Binary names, in the order in which they are needed. */
  static List<String> classes(String list) {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(StartAhead.class.getResourceAsStream(list), StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
