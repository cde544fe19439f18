package kaka.group;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.BehaviorBuilder;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.TimerScheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.LongSupplier;
import kaka.log.CleanUp;
import kaka.log.Disk;
import kaka.log.EventLog;
import kaka.log.InternalLog;
import kaka.log.LogConfig;
import kaka.log.LogDamagedException;
import kaka.log.OngoingTransactions;
import kaka.log.Stopwatch;

/**
 * Sole owner of committed offsets and of group membership. {@link GroupState} decides; this actor writes the events, applies them
 * when they are on disk, and then answers.
 *
 * <p>Group commit as in a partition: the first event that is pending sends {@link Flush} to the actor itself, behind the requests
 * that already wait, so the commits of many groups share one write and one sync. Answers that rest on no event, a heartbeat's for
 * one, go out at once.
 *
 * <p>The log is read before the first message. States: serving, then, for good, failed, where what needs no write is still answered.
 * Or damaged from the start, where everything is refused, for an offset that cannot be read is not an offset that was never
 * committed. It blocks in file operations: spawn it on {@code kaka.dispatchers.log-io}.
 */
public final class GroupCoordinator {
  public sealed interface Command {}

  /**
   * Answered by a {@link GroupReply}, which for a join or sync may take long.
   *
   * @param onAnswered called once, when the request is no longer held: for giving back the memory it takes; must not block
   */
  public record Ask(GroupRequest request, Runnable onAnswered, long correlationId, ActorRef<GroupReply> replyTo)
      implements Command {}

  /** The asker no longer waits for a join or sync of {@code group}; not answered. */
  public record Cancel(String group, long correlationId, ActorRef<GroupReply> replyTo) implements Command {}

  /** @param isComplete false if there may be topics that are not named, whose offsets must stay */
  public record TopicsChanged(Topics topics, boolean isComplete) implements Command {}

  /** Answered once the log is open, or cannot be. */
  public record AwaitOpened(ActorRef<Opened> replyTo) implements Command {}

  /** @param problem why nothing can be committed; empty if all is well */
  public record Opened(String problem) {}

  /** Commits what is pending, closes the log and stops. */
  public enum Close implements Command {
    INSTANCE
  }

  /** Publishes {@link GroupHandle#phases}. */
  enum Count implements Command {
    INSTANCE
  }

  private enum Flush implements Command {
    INSTANCE
  }

  private enum Wake implements Command {
    INSTANCE
  }

  private enum MatchPatterns implements Command {
    INSTANCE
  }

  private enum ExpireOffsets implements Command {
    INSTANCE
  }

  /**
   * What the coordinator stands on.
   *
   * @param clock the time of day, for what is stored
   * @param nanoTime as {@link System#nanoTime}, for intervals: a step of the clock neither ends a session nor lengthens it
   */
  public record Storage(Disk disk, Path dataDirectory, LogConfig log, Clock clock, LongSupplier nanoTime) {}

  private static final Duration LONGEST_EXPIRY_INTERVAL = Duration.ofMinutes(10);

  private final ActorContext<Command> context;
  private final TimerScheduler<Command> timers;
  private final GroupHandle handle;
  private final Storage storage;
  private final Stopwatch sinceStart;
  private final GroupConfig config;
  private final GroupState state;
  private final PendingAsks asks = new PendingAsks();
  private final List<Decision> pending = new ArrayList<>();
  private Topics topics;
  private boolean isComplete;
  private boolean flushing; // a Flush is in the mailbox
  private boolean matching; // a MatchPatterns is
  private OptionalLong wakeAtMs = OptionalLong.empty();
  private String problem = "";
  private EventLog<GroupEvent> log;

  private GroupCoordinator(
      ActorContext<Command> context,
      TimerScheduler<Command> timers,
      GroupHandle handle,
      Storage storage,
      GroupConfig config,
      GroupMemory memory,
      TopicsChanged topics) {
    this.context = context;
    this.timers = timers;
    this.handle = handle;
    this.storage = storage;
    this.sinceStart = new Stopwatch(storage.nanoTime());
    this.config = config;
    this.state = new GroupState(config, handle.offsets(), memory, UUID::randomUUID, storage.clock());
    this.topics = topics.topics();
    this.isComplete = topics.isComplete();
  }

  /** @param topics those there are at the start */
  public static Behavior<Command> create(
      GroupHandle handle, Storage storage, GroupConfig config, GroupMemory memory, TopicsChanged topics) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> {
                  context.setLoggerName(GroupCoordinator.class);
                  return new GroupCoordinator(context, timers, handle, storage, config, memory, topics).open();
                }));
  }

  // ---------------------------------------------------------------- states

  private Behavior<Command> serving() {
    return closingOnStop()
        .onMessage(Ask.class, this::onAsk)
        .onMessage(Cancel.class, this::onCancel)
        .onMessageEquals(Flush.INSTANCE, this::onFlush)
        .onMessageEquals(Wake.INSTANCE, () -> perform(expired()))
        .onMessageEquals(ExpireOffsets.INSTANCE, this::onExpireOffsets)
        .onMessageEquals(MatchPatterns.INSTANCE, this::onMatchPatterns)
        .onMessage(TopicsChanged.class, change -> perform(changed(change)))
        .onMessageEquals(Count.INSTANCE, this::onCount)
        .onMessage(AwaitOpened.class, this::onAwaitOpened)
        .onMessageEquals(Close.INSTANCE, this::onClose)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  /** For good: after a failed sync the page cache may hold what the disk does not (Rebello et al., ATC 2020). */
  private Behavior<Command> failed() {
    return closingOnStop()
        .onMessage(Ask.class, ask -> performUnwritten(state.handle(asks.add(ask), ask.request(), sinceStart.elapsedMs())))
        .onMessage(Cancel.class, this::onCancel)
        .onMessageEquals(Flush.INSTANCE, Behaviors::same) // was under way when the log failed
        .onMessageEquals(Wake.INSTANCE, () -> performUnwritten(expired()))
        .onMessageEquals(ExpireOffsets.INSTANCE, Behaviors::same)
        .onMessageEquals(MatchPatterns.INSTANCE, Behaviors::same)
        .onMessage(TopicsChanged.class, change -> performUnwritten(changed(change)))
        .onMessageEquals(Count.INSTANCE, this::onCount)
        .onMessage(AwaitOpened.class, this::onAwaitOpened)
        .onMessageEquals(Close.INSTANCE, Behaviors::stopped)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  private Behavior<Command> damaged() {
    return Behaviors.receive(Command.class)
        .onMessage(Ask.class, this::refuse)
        .onMessage(Cancel.class, cancel -> Behaviors.same())
        .onMessage(TopicsChanged.class, changed -> Behaviors.same())
        .onMessageEquals(Count.INSTANCE, Behaviors::same)
        .onMessage(AwaitOpened.class, this::onAwaitOpened)
        .onMessageEquals(Close.INSTANCE, Behaviors::stopped)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  private BehaviorBuilder<Command> closingOnStop() {
    return BehaviorBuilder.<Command>create().onSignal(PostStop.class, stop -> onPostStop());
  }

  // ---------------------------------------------------------------- opening

  private Behavior<Command> open() {
    try {
      log =
          EventLog.open(
              InternalLog.OFFSETS,
              new GroupEventCodec(),
              storage.disk(),
              storage.dataDirectory(),
              storage.log(),
              config.compactBytes(),
              storage.clock());
      log.replay(state::apply, handle.offsets());
    } catch (IOException e) {
      return onUnreadable(e);
    }
    handle.opened("");
    context.getLog().debug("offsets read groups={} offsets={} log_bytes={} duration_ms={}",
        handle.offsets().groupCount(), handle.offsets().offsetCount(), log.sizeBytes(), sinceStart.elapsedMs());
    if (log.isNew() && !topics.ids().isEmpty()) {
      context.getLog().warn("log of offsets made anew beside topics that exist: committed offsets, if there were any, are gone");
    }
    Decision opened = state.opened(topics, isComplete, sinceStart.elapsedMs());
    if (!log.isWritable()) {
      fail("read-only: " + log.unwritableReason());
      performUnwritten(opened);
      return failed();
    }
    long intervalMs = Math.min(LONGEST_EXPIRY_INTERVAL.toMillis(), Math.max(1000, config.offsetsRetention().toMillis() / 4));
    timers.startTimerWithFixedDelay(ExpireOffsets.INSTANCE, Duration.ofMillis(intervalMs));
    return perform(opened, serving());
  }

  private Behavior<Command> onUnreadable(IOException cause) {
    problem = "the log of offsets cannot be read: " + cause.getMessage();
    String kind = cause instanceof LogDamagedException ? "damaged" : "cannot be read";
    context.getLog().error("log of offsets " + kind + ", groups are refused, all else is served cause=\"{}\"", cause.getMessage());
    if (log != null) {
      letGo();
    }
    handle.opened(problem);
    return damaged();
  }

  private Behavior<Command> onCount() {
    handle.counted(state.phases());
    return Behaviors.same();
  }

  private Behavior<Command> onAwaitOpened(AwaitOpened await) {
    await.replyTo().tell(new Opened(problem));
    return Behaviors.same();
  }

  // ---------------------------------------------------------------- requests

  private Behavior<Command> onAsk(Ask ask) {
    if (ask.request() instanceof GroupRequest.CommitInTransaction commit && !isOngoing(commit)) {
      Decision decision = new Decision();
      decision.refuse(asks.add(ask), GroupError.INVALID_TRANSACTION);
      return perform(decision);
    }
    return perform(state.handle(asks.add(ask), ask.request(), sinceStart.elapsedMs()));
  }

  /** Looked at here, for the end of the transaction may be in the mailbox. */
  private boolean isOngoing(GroupRequest.CommitInTransaction commit) {
    return handle
        .transactions()
        .contains(commit.producerId(), commit.producerEpoch(), OngoingTransactions.OFFSETS);
  }

  private Behavior<Command> onCancel(Cancel cancel) {
    asks.cancel(cancel)
        .ifPresent(
            ticket -> {
              state.cancel(cancel.group(), ticket, sinceStart.elapsedMs());
              scheduleWake();
            });
    return Behaviors.same();
  }

  private Decision expired() {
    wakeAtMs = OptionalLong.empty();
    return state.expire(sinceStart.elapsedMs());
  }

  private Behavior<Command> onExpireOffsets() {
    Decision decision = state.expireOffsets();
    if (!decision.events().isEmpty()) {
      context.getLog().info("offsets expired events={}", decision.events().size());
    }
    if (decision.events().size() >= OffsetRetention.EXPIRED_AT_ONCE) {
      timers.startSingleTimer("more", ExpireOffsets.INSTANCE, Duration.ofMillis(100)); // when these are applied
    }
    return perform(decision);
  }

  private Decision changed(TopicsChanged change) {
    return state.topicsChanged(change.topics(), change.isComplete(), sinceStart.elapsedMs());
  }

  // ---------------------------------------------------------------- write, apply, answer

  private Behavior<Command> perform(Decision decision) {
    return perform(decision, Behaviors.same());
  }

  private Behavior<Command> perform(Decision decision, Behavior<Command> next) {
    scheduleWake();
    matchPatternsLater();
    if (decision.events().isEmpty() && !(decision.isInOrder() && !pending.isEmpty())) {
      asks.answer(decision);
      return next;
    }
    boolean isCommit = decision.events().stream().anyMatch(event -> event instanceof GroupEvent.OffsetCommitted || event instanceof GroupEvent.OffsetPending);
    if (isCommit && !log.reserve(decision.events())) { // what a generation takes is always there
      drop(decision, GroupError.DISK_NEARLY_FULL, GroupError.DISK_NEARLY_FULL.text());
      return next;
    }
    pending.add(decision);
    try {
      for (GroupEvent event : decision.events()) {
        log.stage(event);
      }
    } catch (IOException e) {
      return onStorageFailure(e);
    }
    flushLater();
    return next;
  }

  private void matchPatternsLater() {
    if (!matching && state.hasUnmatched()) {
      matching = true;
      context.getSelf().tell(MatchPatterns.INSTANCE);
    }
  }

  private Behavior<Command> onMatchPatterns() {
    matching = false;
    return perform(state.matchPatterns());
  }

  /** Behind the requests that already wait: one sync for all. */
  private void flushLater() {
    if (!flushing) {
      flushing = true;
      context.getSelf().tell(Flush.INSTANCE);
    }
  }

  private Behavior<Command> onFlush() {
    flushing = false;
    try {
      commit();
      compact();
      return Behaviors.same();
    } catch (IOException e) {
      return onStorageFailure(e);
    }
  }

  /** The events are made durable, then applied, then answered for; in the order in which they were decided. */
  private void commit() throws IOException {
    log.flush();
    for (Decision decision : pending) {
      for (GroupEvent event : decision.events()) {
        state.apply(event);
        state.settle(event);
      }
      asks.answer(decision);
    }
    pending.clear();
  }

  private void compact() throws IOException {
    try {
      if (log.compact(handle.offsets())) {
        flushLater();
      }
    } catch (IOException e) {
      if (!log.isWritable()) {
        throw e;
      }
      context.getLog().warn("old segments of the log of offsets not deleted, next start goes on cause={}", e.toString());
    }
  }

  private void scheduleWake() {
    OptionalLong next = state.nextDeadlineMs();
    if (next.isPresent() && !next.equals(wakeAtMs)) {
      wakeAtMs = next;
      timers.startSingleTimer(Wake.INSTANCE, Duration.ofMillis(Math.max(0, next.getAsLong() - sinceStart.elapsedMs())));
    }
  }

  // ---------------------------------------------------------------- failure and stop

  /** The one place where the disk's trouble changes the state: fail-stop. */
  private Behavior<Command> onStorageFailure(IOException cause) {
    context.getLog().error("log of offsets failed, nothing can be committed until a restart cause={}", cause.toString(), cause);
    fail(String.valueOf(cause.getMessage()));
    return failed();
  }

  private void fail(String reason) {
    problem = "the log of offsets failed: " + reason;
    handle.failed(problem);
    List<Decision> lost = List.copyOf(pending);
    pending.clear();
    lost.forEach(decision -> drop(decision, GroupError.STORAGE, problem));
  }

  /** A decision where nothing can be written: if it needs that, it is void. */
  private Behavior<Command> performUnwritten(Decision decision) {
    scheduleWake();
    if (decision.events().isEmpty()) {
      asks.answer(decision);
    } else {
      drop(decision, GroupError.STORAGE, problem);
    }
    return Behaviors.same();
  }

  private void drop(Decision decision, GroupError reason, String detail) {
    decision.events().forEach(state::settle);
    state.revert(decision, sinceStart.elapsedMs());
    asks.refuse(decision, reason, detail);
  }

  private Behavior<Command> refuse(Ask ask) {
    PendingAsks.answer(ask, new GroupResult.Refused(GroupError.STORAGE, problem));
    return Behaviors.same();
  }

  private Behavior<Command> onClose() {
    try {
      commit();
      log.close();
      log = null;
    } catch (IOException e) {
      onStorageFailure(e);
    }
    return Behaviors.stopped();
  }

  private Behavior<Command> onPostStop() {
    CleanUp cleanUp = new CleanUp();
    cleanUp.step(asks::end);
    if (log != null) {
      cleanUp.step(this::letGo);
    }
    cleanUp.end();
    return Behaviors.same();
  }

  private void letGo() {
    try {
      log.abandon();
    } catch (IOException e) {
      context.getLog().warn("log of offsets not closed cause={}", e.toString());
    }
    log = null;
  }

  private Behavior<Command> onUnexpected(Command command) {
    throw new IllegalStateException("not in this state: " + command);
  }
}
