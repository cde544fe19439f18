package kaka.connection;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import kaka.socket.SelectorLoop;

/**
 * A connection's timers, on its loop. What is due is a message to its actor, so that it takes its turn among the connection's other
 * events, and has no effect once its timer was stopped. On the loop's thread alone.
 */
final class ConnectionTimers {
  /** A timer's time has come: for {@link #run}. */
  static final class Due {
    private final Object key;
    private final Runnable task;
    private final Duration interval; // null if it runs once
    private SelectorLoop.Timer timer;

    private Due(Object key, Runnable task, Duration interval) {
      this.key = key;
      this.task = task;
      this.interval = interval;
    }
  }

  private final SelectorLoop loop;
  private final Consumer<Due> tell;
  private final Map<Object, Due> running = new HashMap<>();

  /** @param tell hands on what is due, to be {@link #run} */
  ConnectionTimers(SelectorLoop loop, Consumer<Due> tell) {
    this.loop = loop;
    this.tell = tell;
  }

  /** One of the same key that runs is stopped. */
  void once(Object key, Duration delay, Runnable task) {
    stop(key);
    start(new Due(key, task, null), delay);
  }

  /** Again and again, each time so long after the last, until {@link #end}. */
  void every(Duration interval, Runnable task) {
    start(new Due(task, task, interval), interval);
  }

  private void start(Due due, Duration delay) {
    running.put(due.key, due);
    due.timer = loop.schedule(delay, () -> tell.accept(due));
  }

  /** Does what is due, unless its timer was stopped after it was told. */
  void run(Due due) {
    if (running.remove(due.key, due)) {
      if (due.interval != null) {
        start(due, due.interval);
      }
      due.task.run();
    }
  }

  /** Without effect where none of that key runs. */
  void stop(Object key) {
    Due stopped = running.remove(key);
    if (stopped != null) {
      stopped.timer.cancel();
    }
  }

  /** The connection has ended, and its loop goes on. */
  void end() {
    running.values().forEach(due -> due.timer.cancel());
    running.clear();
  }
}
