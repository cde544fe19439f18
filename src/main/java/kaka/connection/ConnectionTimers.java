package kaka.connection;

import akka.actor.typed.javadsl.TimerScheduler;
import java.time.Duration;

/** A connection's timers: what is due is a message to its actor, and never comes once its timer was stopped. */
final class ConnectionTimers {
  /** @param task to be run on the connection's thread */
  record Due(Runnable task) {}

  private final TimerScheduler<Object> timers;

  ConnectionTimers(TimerScheduler<Object> timers) {
    this.timers = timers;
  }

  /** One of the same key that runs is stopped. */
  void once(Object key, Duration delay, Runnable task) {
    timers.startSingleTimer(key, new Due(task), delay);
  }

  /** Again and again, until the connection ends. */
  void every(Duration interval, Runnable task) {
    timers.startTimerWithFixedDelay(task, new Due(task), interval);
  }

  void stop(Object key) {
    timers.cancel(key);
  }
}
