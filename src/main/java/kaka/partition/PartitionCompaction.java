package kaka.partition;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.Scheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import kaka.log.LogCompaction;
import kaka.log.LogDamagedException;
import kaka.log.PartitionLog;
import kaka.log.StaleSnapshotException;
import kaka.metrics.StorageMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import scala.concurrent.ExecutionContextExecutor;

/**
 * Compaction of one partition's log. A run's steps are done on {@code kaka.dispatchers.compaction}, as fast as the broker's
 * share allows; the partition's actor, which calls every method here, is told where it comes in: to put rewritten segments in
 * their place, which takes as long as a roll, and at the end. So commits never wait for the work itself.
 */
final class PartitionCompaction {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionCompaction.class);

  /** What a run has come to; for the actor. */
  record Outcome(LogCompaction run, LogCompaction.Progress progress, Exception failure) {}

  private final Object partition;
  private final CompactionShare share;
  private final StorageMetrics metrics;
  private final ExecutionContextExecutor executor;
  private final Scheduler scheduler;
  private final Consumer<Outcome> tellActor;
  private LogCompaction run; // null while none is under way
  private boolean damaged; // until the log is opened anew
  private boolean failing; // since it was last told, none was done

  private PartitionCompaction(
      Object partition,
      CompactionShare share,
      StorageMetrics metrics,
      ExecutionContextExecutor executor,
      Scheduler scheduler,
      Consumer<Outcome> tellActor) {
    this.partition = partition;
    this.share = share;
    this.metrics = metrics;
    this.executor = executor;
    this.scheduler = scheduler;
    this.tellActor = tellActor;
  }

  /**
   * @param partition for log lines
   * @param tellActor called from any thread; what it hands over comes back through {@link #onOutcome}
   */
  static PartitionCompaction of(
      Object partition,
      CompactionShare share,
      StorageMetrics metrics,
      ActorSystem<?> system,
      Consumer<Outcome> tellActor) {
    ExecutionContextExecutor executor =
        system.dispatchers().lookup(DispatcherSelector.fromConfig("kaka.dispatchers.compaction"));
    return new PartitionCompaction(partition, share, metrics, executor, system.scheduler(), tellActor);
  }

  /** Begins a run, if it is time for one, none is under way, and the broker's share has room; else a later call does. */
  void beginIfDue(PartitionLog log) {
    if (run != null || damaged) {
      return;
    }
    try {
      Optional<LogCompaction> due = log.planCompaction(share.mapBytesPerRun()); // holds nothing until its first step
      if (due.isPresent() && share.tryBegin()) {
        run = due.get();
        continueWith(run);
      }
    } catch (IOException e) {
      tellOnce("compaction not begun", e);
    }
  }

  /**
   * The owner's part of a run.
   *
   * @param publish shows the log's new snapshot to everybody
   */
  void onOutcome(Outcome outcome, PartitionLog log, Runnable publish) {
    if (outcome.run() != run) {
      return; // cancelled meanwhile
    }
    if (outcome.failure() != null) {
      end();
      onFailure(outcome.failure());
      return;
    }
    switch (outcome.progress()) {
      case READY -> swapIn(log, publish);
      case DONE -> {
        LogCompaction finished = run;
        end();
        failing = false;
        log.compacted(finished);
        metrics.compacted(finished.workedBytes(), finished.droppedCount());
        LOG.info(
            "log compacted partition={} dropped_records={} worked_bytes={} size_bytes={}",
            partition,
            finished.droppedCount(),
            finished.workedBytes(),
            log.snapshot().sizeBytes());
        if (!share.isWanted()) { // else it is another log's turn
          beginIfDue(log); // where not all keys did fit
        }
      }
      case CANCELLED -> end();
      case WORKING -> throw new IllegalStateException("not told before there is something to do");
    }
  }

  private void swapIn(PartitionLog log, Runnable publish) {
    try {
      log.swapIn(run);
      publish.run();
      log.releaseReplaced();
    } catch (IOException e) {
      cancel();
      failing = false; // this one is for good
      onFailure(e);
      return;
    }
    continueWith(run);
  }

  private void onFailure(Exception failure) {
    if (failure instanceof StaleSnapshotException) {
      return; // retention took a segment: a later run sees the log as it is
    }
    metrics.compactionFailed();
    damaged = failure instanceof LogDamagedException;
    if (damaged) {
      LOG.error("log not compacted any more, it is damaged partition={} cause={}", partition, failure.toString());
    } else {
      tellOnce("log not compacted", failure);
    }
  }

  /** The disk may refuse for hours what is tried again at each look, in thousands of partitions: more would only fill it. */
  private void tellOnce(String what, Exception failure) {
    LOG.atLevel(failing ? Level.DEBUG : Level.WARN).log("{} partition={} cause={}", what, partition, failure.toString());
    failing = true;
  }

  /** Ends what is under way: when this returns, no file is touched any more. Waits for one step at most. */
  void cancel() {
    if (run == null) {
      return;
    }
    try {
      run.cancel();
    } catch (IOException e) {
      LOG.warn("file of a cancelled compaction not deleted partition={} cause={}", partition, e.toString());
    } finally {
      end(); // others wait for its share
    }
  }

  private void end() {
    run = null;
    share.end();
  }

  // ---------------------------------------------------------------- on the dispatcher

  private void continueWith(LogCompaction working) {
    executor.execute(() -> work(working));
  }

  private void work(LogCompaction working) {
    LogCompaction.Progress progress;
    Duration pause;
    try {
      long before = working.workedBytes();
      progress = working.step();
      pause = share.pay(working.workedBytes() - before, System.nanoTime());
    } catch (IOException | RuntimeException e) { // the actor tells it; a bug must not end compaction silently
      tellActor.accept(new Outcome(working, LogCompaction.Progress.CANCELLED, e));
      return;
    }
    if (progress != LogCompaction.Progress.WORKING) {
      tellActor.accept(new Outcome(working, progress, null));
    } else if (pause.isZero()) {
      continueWith(working);
    } else {
      scheduler.scheduleOnce(pause, () -> continueWith(working), executor);
    }
  }
}
