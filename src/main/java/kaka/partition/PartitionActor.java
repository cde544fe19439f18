package kaka.partition;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.BehaviorBuilder;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.TimerScheduler;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import kaka.log.Advice;
import kaka.log.Isolation;
import kaka.log.LogConfig;
import kaka.log.LogSnapshot;
import kaka.log.PartitionLog;
import kaka.log.RecordsDeletion;
import kaka.log.RecoveryReport;
import kaka.record.RecordBatch;
import kaka.record.TransactionMarker;

/**
 * Owns one partition's log. Its mailbox orders every append, so the log needs no lock.
 *
 * <p>Group commit: an append is numbered and staged, and the first one that is pending sends {@link Flush} to the actor
 * itself, behind the appends that already wait in the mailbox. So while one commit blocks in its write and sync, what arrives
 * is the next commit: one write, one sync, then all acks. An idle partition adds no wait and there is no timer.
 *
 * <p>States: opening, then writable, then, for good, failed; or opening, then failed. It blocks in file operations: spawn it
 * on {@code kaka.dispatchers.log-io}.
 */
public final class PartitionActor {
  public sealed interface Command {}

  /**
   * Stores the batches: all or none, but for those that an idempotent producer must not store, or has stored before. Answered
   * by {@link PartitionReply.Appended}, {@link PartitionReply.PartlyAppended} or {@link PartitionReply.Refused}.
   *
   * @param charge for the batches' memory: released by the partition when it answers, whatever has become of who asked
   * @param sentNs of {@link System#nanoTime}: from when on it waits
   */
  public record Append(
      List<RecordBatch> batches, MemoryCharge charge, long correlationId, ActorRef<PartitionReply> replyTo, long sentNs)
      implements Command {
    public Append {
      batches = List.copyOf(batches);
    }

    /** Sent now. */
    public Append(
        List<RecordBatch> batches, MemoryCharge charge, long correlationId, ActorRef<PartitionReply> replyTo) {
      this(batches, charge, correlationId, replyTo, System.nanoTime());
    }
  }

  /**
   * Deletes records; answered by {@link PartitionReply.DeletionDecided} or {@link PartitionReply.Refused}. Appends that came
   * before it are committed first.
   *
   * @param beforeOffset the first that stays, or {@link RecordsDeletion#ALL}
   */
  public record DeleteRecords(long beforeOffset, long correlationId, ActorRef<PartitionReply> replyTo)
      implements Command {}

  /**
   * Answered by {@link PartitionReply.Advanced} once there is something from {@code offset} on for a reader of that isolation, or
   * the state changed.
   */
  public record AwaitRecords(long offset, Isolation isolation, long correlationId, ActorRef<PartitionReply> replyTo)
      implements Command {}

  /**
   * Ends the producer's transaction here, if one is open; an older epoch of it cannot write from then on. Once or many times, it
   * comes to the same. Answered by {@link PartitionReply.TransactionEnded} or {@link PartitionReply.Refused}.
   */
  public record EndTransaction(TransactionMarker marker, long correlationId, ActorRef<PartitionReply> replyTo)
      implements Command {}

  /**
   * As {@link EndTransaction}, but only a transaction of just that epoch, or what was one: whoever sends this knows what is open here
   * and no more, and must not fence the producer.
   */
  public record EndKnownTransaction(TransactionMarker marker, long correlationId, ActorRef<PartitionReply> replyTo)
      implements Command {}

  /** Answered by {@link PartitionReply.Producers} or {@link PartitionReply.Refused}. */
  public record DescribeProducers(long correlationId, ActorRef<PartitionReply> replyTo) implements Command {}

  /** The asker no longer waits; not answered. */
  public record CancelAwait(long correlationId, ActorRef<PartitionReply> replyTo) implements Command {}

  /** Settings that are in force from now on; not answered. */
  public record Configure(LogConfig config) implements Command {}

  /** Opens the log: told once, by whoever spawned it, when it is this partition's turn. Before that nothing is served. */
  public enum Open implements Command {
    INSTANCE
  }

  /** Commits what is pending, closes the log and stops. */
  public enum Close implements Command {
    INSTANCE
  }

  /** Refuses what is pending, removes the log from the disk and stops. */
  public enum Delete implements Command {
    INSTANCE
  }

  private enum Flush implements Command {
    INSTANCE
  }

  private enum SyncDue implements Command {
    INSTANCE
  }

  private enum Tidy implements Command {
    INSTANCE
  }

  private record CompactionStepped(PartitionCompaction.Outcome outcome) implements Command {}

  private final ActorContext<Command> context;
  private final TimerScheduler<Command> timers;
  private final PartitionHandle handle;
  private final LogOpener opener;
  private final LogRemover remover;
  private final PartitionSettings settings;
  private final Runnable onOpened;
  private final GroupCommit pending;
  private final WaitingFetches waiting = new WaitingFetches();
  private final LogTrimming trimming;
  private final PartitionCompaction compaction;
  private final Runnable show = this::publish;
  private PartitionLog log;

  private PartitionActor(
      ActorContext<Command> context,
      TimerScheduler<Command> timers,
      PartitionHandle handle,
      LogOpener opener,
      LogRemover remover,
      PartitionSettings settings,
      Runnable onOpened) {
    this.context = context;
    this.timers = timers;
    this.handle = handle;
    this.opener = opener;
    this.remover = remover;
    this.settings = settings;
    this.onOpened = onOpened;
    this.trimming = new LogTrimming(handle.id(), settings.metrics());
    ActorRef<Command> self = context.getSelf();
    this.pending = new GroupCommit(handle, settings, () -> self.tell(Flush.INSTANCE), this::syncLater);
    this.compaction =
        PartitionCompaction.of(
            handle.id(),
            settings.compaction(),
            settings.metrics(),
            context.getSystem(),
            outcome -> self.tell(new CompactionStepped(outcome)));
  }

  /** @param onOpened called once from the actor when the partition has left {@link PartitionState#OPENING}; must not block */
  public static Behavior<Command> create(
      PartitionHandle handle, LogOpener opener, LogRemover remover, PartitionSettings settings, Runnable onOpened) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> {
                  context.setLoggerName(PartitionActor.class);
                  return new PartitionActor(context, timers, handle, opener, remover, settings, onOpened).opening();
                }));
  }

  // ---------------------------------------------------------------- states

  private Behavior<Command> opening() {
    return Behaviors.receive(Command.class)
        .onMessageEquals(Open.INSTANCE, this::onOpen)
        .onMessage(Append.class, append -> refuse(append, Refusal.UNAVAILABLE))
        .onMessage(DeleteRecords.class, delete -> LogTrimming.refuse(delete, Refusal.UNAVAILABLE))
        .onMessage(EndTransaction.class, end -> refuse(end.correlationId(), end.replyTo(), Refusal.UNAVAILABLE))
        .onMessage(EndKnownTransaction.class, end -> refuse(end.correlationId(), end.replyTo(), Refusal.UNAVAILABLE))
        .onMessage(DescribeProducers.class, ask -> refuse(ask.correlationId(), ask.replyTo(), Refusal.UNAVAILABLE))
        .onMessage(AwaitRecords.class, this::answerAwait)
        .onMessage(CancelAwait.class, cancel -> Behaviors.same())
        .onMessageEquals(Close.INSTANCE, Behaviors::stopped)
        .onMessageEquals(Delete.INSTANCE, this::onDelete)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  private Behavior<Command> writable() {
    return closingOnStop()
        .onMessage(Append.class, this::onAppend)
        .onMessage(DeleteRecords.class, this::onDeleteRecords)
        .onMessage(EndTransaction.class, this::onEndTransaction)
        .onMessage(EndKnownTransaction.class, this::onEndKnownTransaction)
        .onMessage(DescribeProducers.class, this::onDescribeProducers)
        .onMessageEquals(Flush.INSTANCE, this::onFlush)
        .onMessage(AwaitRecords.class, this::onAwait)
        .onMessage(CancelAwait.class, this::onCancelAwait)
        .onMessageEquals(SyncDue.INSTANCE, this::onSyncDue)
        .onMessageEquals(Tidy.INSTANCE, this::onTidy)
        .onMessage(Configure.class, this::onConfigure)
        .onMessage(CompactionStepped.class, this::onCompaction)
        .onMessageEquals(Close.INSTANCE, this::onClose)
        .onMessageEquals(Delete.INSTANCE, this::onDelete)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  /** For good: after a failed fsync the page cache may hold what the disk does not (Rebello et al., ATC 2020). */
  private Behavior<Command> failed() {
    return closingOnStop()
        .onMessage(Append.class, append -> refuse(append, Refusal.STORAGE_FAILED))
        .onMessage(DeleteRecords.class, delete -> onDeleteFromFailed(delete))
        .onMessage(EndTransaction.class, end -> refuse(end.correlationId(), end.replyTo(), Refusal.STORAGE_FAILED))
        .onMessage(EndKnownTransaction.class, end -> refuse(end.correlationId(), end.replyTo(), Refusal.STORAGE_FAILED))
        .onMessage(DescribeProducers.class, ask -> refuse(ask.correlationId(), ask.replyTo(), Refusal.STORAGE_FAILED))
        .onMessageEquals(Flush.INSTANCE, Behaviors::same) // was under way when the log failed
        .onMessage(AwaitRecords.class, this::answerAwait)
        .onMessage(CancelAwait.class, cancel -> Behaviors.same())
        .onMessageEquals(SyncDue.INSTANCE, Behaviors::same)
        .onMessageEquals(Tidy.INSTANCE, this::onTidyFailed)
        .onMessage(Configure.class, this::onConfigure)
        .onMessage(CompactionStepped.class, stepped -> Behaviors.same()) // of a run that was cancelled
        .onMessageEquals(Close.INSTANCE, Behaviors::stopped)
        .onMessageEquals(Delete.INSTANCE, this::onDelete)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  private BehaviorBuilder<Command> closingOnStop() {
    return BehaviorBuilder.<Command>create().onSignal(PostStop.class, stop -> onPostStop());
  }

  // ---------------------------------------------------------------- handlers

  private Behavior<Command> onOpen() {
    Behavior<Command> next;
    try {
      log = opener.open();
      RecoveryReport recovery = log.recovery();
      settings.metrics().recovered(recovery.scannedBytes(), recovery.rewrittenBytes(), recovery.cutBytes());
      timers.startTimerWithFixedDelay(Tidy.INSTANCE, settings.tidyInterval());
      if (log.isWritable()) {
        handle.publish(PartitionView.writable(log.snapshot()));
        next = writable();
      } else {
        next = fail("read-only: " + log.unwritableReason().orElse(""));
      }
    } catch (IOException e) {
      context.getLog().error("partition failed to open partition={} reason={}", handle.id(), Advice.reasonOf(e));
      handle.publish(PartitionView.failed(Optional.empty(), Advice.reasonOf(e)));
      next = failed();
    }
    onOpened.run();
    return next;
  }

  private Behavior<Command> onAppend(Append append) {
    if (!log.reserve(PendingAppend.sizeOf(append))) {
      return refuse(append, Refusal.DISK_NEARLY_FULL);
    }
    try {
      pending.append(log, append);
      return Behaviors.same();
    } catch (IOException e) {
      refuse(append, Refusal.STORAGE_FAILED);
      return onStorageFailure(e);
    }
  }

  private Behavior<Command> onEndTransaction(EndTransaction end) {
    try {
      pending.end(log, end);
      return Behaviors.same();
    } catch (IOException e) {
      refuse(end.correlationId(), end.replyTo(), Refusal.STORAGE_FAILED);
      return onStorageFailure(e);
    }
  }

  private Behavior<Command> onEndKnownTransaction(EndKnownTransaction end) {
    if (!log.knows(end.marker().producerId(), end.marker().producerEpoch())) {
      return refuse(end.correlationId(), end.replyTo(), Refusal.FENCED_PRODUCER);
    }
    return onEndTransaction(new EndTransaction(end.marker(), end.correlationId(), end.replyTo()));
  }

  private Behavior<Command> onDescribeProducers(DescribeProducers ask) {
    ask.replyTo().tell(new PartitionReply.Producers(ask.correlationId(), log.producers()));
    return Behaviors.same();
  }

  private Behavior<Command> onFlush() {
    try {
      commit();
      return Behaviors.same();
    } catch (IOException e) {
      return onStorageFailure(e);
    }
  }

  private void commit() throws IOException {
    pending.commit(log, show);
    trimming.deleteExpiredIfRolled(log, show);
  }

  private void syncLater() {
    if (!timers.isTimerActive(SyncDue.INSTANCE)) {
      timers.startSingleTimer(SyncDue.INSTANCE, settings.fsyncInterval());
    }
  }

  private void publish() {
    LogSnapshot snapshot = log.snapshot();
    handle.publish(PartitionView.writable(snapshot));
    waiting.advance(snapshot);
  }

  private Behavior<Command> onSyncDue() {
    try {
      log.flush();
      return Behaviors.same();
    } catch (IOException e) {
      return onStorageFailure(e);
    }
  }

  private Behavior<Command> onTidy() {
    try {
      if (log.rollIfAged()) {
        publish();
      }
    } catch (IOException e) {
      return onStorageFailure(e);
    }
    trimming.deleteExpired(log, show);
    compaction.beginIfDue(log);
    return Behaviors.same();
  }

  private Behavior<Command> onConfigure(Configure configure) {
    if (log != null) {
      log.updateConfig(configure.config());
    }
    return Behaviors.same();
  }

  private Behavior<Command> onCompaction(CompactionStepped stepped) {
    compaction.onOutcome(stepped.outcome(), log, show);
    return Behaviors.same();
  }

  /** Retention makes room, which a log that failed because there was none needs most. */
  private Behavior<Command> onTidyFailed() {
    if (log != null) {
      trimming.deleteExpired(log, this::publishFailed);
    }
    return Behaviors.same();
  }

  private void publishFailed() {
    handle.publish(PartitionView.failed(Optional.of(log.snapshot()), handle.view().reason()));
  }

  private Behavior<Command> onDeleteRecords(DeleteRecords delete) {
    try {
      commit(); // it counts what came before it
      trimming.deleteRecords(log, delete, show);
      return Behaviors.same();
    } catch (IOException e) {
      LogTrimming.refuse(delete, Refusal.STORAGE_FAILED);
      return onStorageFailure(e);
    }
  }

  /** As {@link #onTidyFailed}. */
  private Behavior<Command> onDeleteFromFailed(DeleteRecords delete) {
    return trimming.deleteFromFailed(Optional.ofNullable(log), delete, this::publishFailed);
  }

  private Behavior<Command> onAwait(AwaitRecords await) {
    waiting.await(await, handle.view().snapshot()); // not the log's: a roll moves that before it is shown
    return Behaviors.same();
  }

  private Behavior<Command> answerAwait(AwaitRecords await) {
    WaitingFetches.answer(await);
    return Behaviors.same();
  }

  private Behavior<Command> onCancelAwait(CancelAwait cancel) {
    waiting.remove(cancel);
    return Behaviors.same();
  }

  private Behavior<Command> onClose() {
    compaction.cancel();
    try {
      commit();
      log.close();
      log = null;
      return Behaviors.stopped();
    } catch (IOException e) {
      onStorageFailure(e);
      return Behaviors.stopped();
    }
  }

  private Behavior<Command> onDelete() {
    pending.refuse(Refusal.CLOSED);
    handle.publish(PartitionView.failed(Optional.empty(), "deleted"));
    waiting.answerAll();
    abandonLog();
    try {
      remover.remove();
    } catch (IOException e) {
      context.getLog().error("partition not removed, next start goes on partition={}", handle.id(), e);
    }
    return Behaviors.stopped();
  }

  // ---------------------------------------------------------------- failure

  /** The one place where the disk's trouble changes the state: fail-stop (DESIGN law 3). */
  private Behavior<Command> onStorageFailure(IOException cause) {
    context.getLog().error("partition failed partition={} cause={}", handle.id(), Advice.reasonOf(cause), cause);
    return fail(Advice.reasonOf(cause));
  }

  private Behavior<Command> fail(String reason) {
    compaction.cancel();
    pending.refuse(Refusal.STORAGE_FAILED);
    handle.publish(PartitionView.failed(Optional.of(log.snapshot()), reason));
    waiting.answerAll();
    return failed(); // the log stays open for its readers, until this actor stops
  }

  private Behavior<Command> refuse(Append append, Refusal reason) {
    append.charge().release();
    settings.metrics().refused(reason.label(), append.batches().size());
    return refuse(append.correlationId(), append.replyTo(), reason);
  }

  private static Behavior<Command> refuse(long correlationId, ActorRef<PartitionReply> replyTo, Refusal reason) {
    replyTo.tell(new PartitionReply.Refused(correlationId, reason));
    return Behaviors.same();
  }

  private Behavior<Command> onPostStop() {
    try {
      pending.refuse(Refusal.STORAGE_FAILED); // only a bug leaves any: after a Close or a failure there are none
    } finally {
      abandonLog();
    }
    return Behaviors.same();
  }

  /** Without a flush. Snapshots are stale then: nobody can open, by one, a later topic's file of the same name. */
  private void abandonLog() {
    PartitionLog ended = log;
    log = null;
    try (ended) { // even if what comes before fails
      compaction.cancel();
      if (ended != null) {
        ended.abandon(); // from here on the log writes nothing more, so that closing it only lets go of its files
      }
    } catch (IOException e) {
      context.getLog().warn("log not released partition={} cause={}", handle.id(), e.toString());
    }
  }

  private Behavior<Command> onUnexpected(Command command) {
    throw new IllegalStateException("not in this state: " + command);
  }
}
