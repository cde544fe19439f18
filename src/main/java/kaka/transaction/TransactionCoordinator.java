package kaka.transaction;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import kaka.group.GroupHandle;
import kaka.group.GroupReply;
import kaka.log.CleanUp;
import kaka.log.Disk;
import kaka.log.EventLog;
import kaka.log.InternalLog;
import kaka.log.LogConfig;
import kaka.log.Stopwatch;
import kaka.log.ProducerIds;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionReply;
import kaka.partition.Refusal;
import kaka.record.TransactionMarker;

/**
 * Sole owner of the log of transactions. {@link TransactionState} decides; this actor makes what was decided durable, then tells
 * partitions and answers.
 *
 * <p>Group commit as in a partition: the first decision that is pending sends {@link Flush} to the actor itself, behind the
 * requests that already wait. Every answer waits for its turn, so nobody hears of what a crash could take back.
 *
 * <p>The log is read before the first message; decisions that not everybody knew of are told again then. States: serving, then,
 * for good, failed; or damaged from the start. It blocks in file operations: spawn it on {@code kaka.dispatchers.log-io}.
 */
public final class TransactionCoordinator {
  public sealed interface Command {}

  /**
   * Answered by a {@link TransactionReply}.
   *
   * @param onAnswered called once, when the request is no longer held: for giving back the memory it takes; must not block
   */
  public record Ask(
      TransactionRequest request, Runnable onAnswered, long correlationId, ActorRef<TransactionReply> replyTo)
      implements Command {}

  /**
   * Aborts a transaction that is open in a partition, and is none of those that are known here: of a log that was cut, or where
   * the log of transactions was lost. It comes this way, and not to the partition itself, so that nothing of that producer can begin
   * or end there meanwhile.
   *
   * <p>Answered by the partition, to {@code replyTo}: {@link PartitionReply.TransactionEnded} or {@link PartitionReply.Refused}.
   */
  public record AbortUnknown(
      TransactionPartition partition,
      long producerId,
      short epoch,
      ActorRef<PartitionActor.Command> actor,
      long correlationId,
      ActorRef<PartitionReply> replyTo)
      implements Command {}

  /** Answered once the log is open, or cannot be. */
  public record AwaitOpened(ActorRef<Opened> replyTo) implements Command {}

  /** @param problem why there are no transactions; empty if all is well */
  public record Opened(String problem) {}

  /** Commits what is pending, closes the log and stops. */
  public enum Close implements Command {
    INSTANCE
  }

  /** Publishes {@link TransactionHandle#counts}. */
  enum Count implements Command {
    INSTANCE
  }

  private enum Flush implements Command {
    INSTANCE
  }

  private enum Expire implements Command {
    INSTANCE
  }

  private enum ExpireIds implements Command {
    INSTANCE
  }

  private enum TellAgain implements Command {
    INSTANCE
  }

  private record PartitionAnswered(PartitionReply reply) implements Command {}

  private record GroupsAnswered(GroupReply reply) implements Command {}

  private record Told(MarkerSender.Outcome outcome) implements Command {}

  /**
   * What the coordinator stands on.
   *
   * @param clock the time of day, for what is stored and shown
   * @param nanoTime as {@link System#nanoTime}, for timeouts: a step of the clock neither ends a transaction nor lengthens it
   */
  public record Storage(
      Disk disk, Path dataDirectory, LogConfig log, Clock clock, LongSupplier nanoTime, ProducerIds producerIds) {}

  private static final Duration TELL_AGAIN_AFTER = Duration.ofSeconds(1);
  private static final Duration LONGEST_EXPIRY_INTERVAL = Duration.ofHours(1);

  private final ActorContext<Command> context;
  private final TimerScheduler<Command> timers;
  private final TransactionHandle handle;
  private final Storage storage;
  private final Stopwatch sinceStart;
  private final TransactionConfig config;
  private final TransactionState state;
  private final MarkerSender sender;
  private final Map<Long, Ask> asked = new HashMap<>(); // by ticket
  private final List<Decision> pending = new ArrayList<>();
  private long nextTicket;
  private boolean flushing; // a Flush is in the mailbox
  private OptionalLong expireAtMs = OptionalLong.empty();
  private String problem = "";
  private EventLog<TransactionEvent> log;

  private TransactionCoordinator(
      ActorContext<Command> context,
      TimerScheduler<Command> timers,
      TransactionHandle handle,
      Storage storage,
      TransactionConfig config,
      Partitions partitions,
      GroupHandle groups) {
    this.context = context;
    this.timers = timers;
    this.handle = handle;
    this.storage = storage;
    this.sinceStart = new Stopwatch(storage.nanoTime());
    this.config = config;
    this.state = new TransactionState(config, storage.producerIds()::next, sinceStart::elapsedMs);
    this.sender =
        new MarkerSender(
            partitions,
            groups,
            context.messageAdapter(PartitionReply.class, PartitionAnswered::new),
            context.messageAdapter(GroupReply.class, GroupsAnswered::new));
  }

  /**
   * @param partitions all of them opened
   * @param groups bound to the coordinator of groups
   */
  public static Behavior<Command> create(
      TransactionHandle handle, Storage storage, TransactionConfig config, Partitions partitions, GroupHandle groups) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> {
                  context.setLoggerName(TransactionCoordinator.class);
                  return new TransactionCoordinator(context, timers, handle, storage, config, partitions, groups).open();
                }));
  }

  // ---------------------------------------------------------------- states

  private Behavior<Command> serving() {
    return BehaviorBuilder.<Command>create()
        .onMessage(Ask.class, this::onAsk)
        .onMessage(AbortUnknown.class, this::onAbortUnknown)
        .onMessage(PartitionAnswered.class, answered -> onTold(sender.onReply(answered.reply())))
        .onMessage(GroupsAnswered.class, answered -> onTold(sender.onReply(answered.reply())))
        .onMessage(Told.class, told -> onTold(Optional.of(told.outcome())))
        .onMessageEquals(Flush.INSTANCE, this::onFlush)
        .onMessageEquals(Expire.INSTANCE, this::onExpire)
        .onMessageEquals(ExpireIds.INSTANCE, this::onExpireIds)
        .onMessageEquals(TellAgain.INSTANCE, this::onTellAgain)
        .onMessageEquals(Count.INSTANCE, this::onCount)
        .onMessage(AwaitOpened.class, this::onAwaitOpened)
        .onMessageEquals(Close.INSTANCE, this::onClose)
        .onAnyMessage(this::onUnexpected)
        .onSignal(PostStop.class, stop -> onPostStop())
        .build();
  }

  /**
   * For good: after a failed sync the page cache may hold what the disk does not, so what is in memory may be more than is so.
   * Transactions stay as they are; the next start goes on with them.
   */
  private Behavior<Command> failed() {
    return BehaviorBuilder.<Command>create()
        .onMessage(Ask.class, this::refuse)
        .onMessage(AbortUnknown.class, abort -> refuse(abort, Refusal.UNAVAILABLE))
        .onMessage(AwaitOpened.class, this::onAwaitOpened)
        .onMessageEquals(Count.INSTANCE, this::onCount)
        .onMessageEquals(Close.INSTANCE, Behaviors::stopped)
        .onAnyMessage(late -> Behaviors.same()) // what was under way when the log failed
        .onSignal(PostStop.class, stop -> onPostStop())
        .build();
  }

  // ---------------------------------------------------------------- opening

  private Behavior<Command> open() {
    try {
      log =
          EventLog.open(
              InternalLog.TRANSACTIONS,
              new TransactionEventCodec(),
              storage.disk(),
              storage.dataDirectory(),
              storage.log(),
              config.compactBytes(),
              storage.clock());
      log.replay(state.known()::apply, state.known().live());
      state.known().opened(nowMs());
    } catch (IOException e) {
      problem = "the log of transactions cannot be read: " + e.getMessage();
      handle.failed(problem);
      context.getLog().error("log of transactions cannot be read, they are refused, all else is served cause=\"{}\"", e.getMessage());
      return failed();
    }
    if (!log.isWritable()) {
      problem = "the log of transactions is read-only: " + log.unwritableReason();
      handle.failed(problem);
      context.getLog().error("log of transactions is read-only, they are refused cause=\"{}\"", log.unwritableReason());
      return failed();
    }
    state.known().all().forEach(this::publish);
    handle.ongoing().known();
    context.getLog().debug("transactions read ids={} log_bytes={}", state.known().count(), log.sizeBytes());
    long intervalMs = Math.min(LONGEST_EXPIRY_INTERVAL.toMillis(), Math.max(1000, config.idExpiry().toMillis() / 4));
    timers.startTimerWithFixedDelay(ExpireIds.INSTANCE, Duration.ofMillis(intervalMs));
    return perform(state.tellAgain(), serving());
  }

  private Behavior<Command> onAwaitOpened(AwaitOpened await) {
    await.replyTo().tell(new Opened(problem));
    return Behaviors.same();
  }

  // ---------------------------------------------------------------- what there is to decide

  private Behavior<Command> onAsk(Ask ask) {
    long ticket = nextTicket++;
    asked.put(ticket, ask); // before anything else: whatever ends the coordinator, it is given back
    long cost = TransactionState.costOf(ask.request());
    if (cost > 0 && !log.reserve(1, cost)) {
      asked.remove(ticket);
      return answer(ask, new TransactionResult.Refused(TransactionError.DISK_NEARLY_FULL));
    }
    try {
      return perform(state.handle(ticket, ask.request(), nowMs()));
    } catch (IOException e) { // no producer ids: nothing was changed
      asked.remove(ticket);
      context.getLog().error("no producer id to give cause={}", e.toString());
      return answer(ask, new TransactionResult.Refused(TransactionError.STORAGE, String.valueOf(e.getMessage())));
    }
  }

  private Behavior<Command> onAbortUnknown(AbortUnknown abort) {
    if (state.known().hasPart(abort.producerId(), abort.partition())) {
      return refuse(abort, Refusal.INVALID_TRANSACTION);
    }
    context.getLog().debug(
        "unknown transaction is aborted partition={} producer_id={} epoch={}",
        abort.partition().partition(), abort.producerId(), abort.epoch());
    TransactionMarker marker =
        new TransactionMarker(abort.producerId(), abort.epoch(), false, TransactionState.COORDINATOR_EPOCH);
    abort.actor().tell(new PartitionActor.EndKnownTransaction(marker, abort.correlationId(), abort.replyTo()));
    return Behaviors.same();
  }

  private static Behavior<Command> refuse(AbortUnknown abort, Refusal reason) {
    abort.replyTo().tell(new PartitionReply.Refused(abort.correlationId(), reason));
    return Behaviors.same();
  }

  private Behavior<Command> onTold(Optional<MarkerSender.Outcome> outcome) {
    return outcome.isEmpty()
        ? Behaviors.same()
        : perform(state.told(outcome.get().telling(), outcome.get().told(), nowMs()));
  }

  private Behavior<Command> onExpire() {
    expireAtMs = OptionalLong.empty();
    Decision decision = state.expire(nowMs());
    decision.events().stream()
        .map(TransactionEvent::id)
        .distinct()
        .forEach(id -> context.getLog().info("transaction timed out, it is aborted transactional_id={}", id));
    return perform(decision);
  }

  private Behavior<Command> onExpireIds() {
    return perform(state.expireIds(nowMs()));
  }

  private Behavior<Command> onCount() {
    handle.counted(state.counts());
    return Behaviors.same();
  }

  private Behavior<Command> onTellAgain() {
    sender.forgetAsked();
    return perform(state.tellAgain());
  }

  // ---------------------------------------------------------------- write, then let it be known

  private Behavior<Command> perform(Decision decision) {
    return perform(decision, Behaviors.same());
  }

  private Behavior<Command> perform(Decision decision, Behavior<Command> next) {
    try {
      for (TransactionEvent event : decision.events()) {
        log.stage(event);
      }
    } catch (IOException e) {
      return onStorageFailure(e);
    }
    pending.add(decision);
    flushLater();
    scheduleExpiry();
    return next;
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
      log.flush();
      List<Decision> durable = List.copyOf(pending);
      pending.clear();
      durable.forEach(this::letKnow);
      if (log.compact(state.known().live())) {
        flushLater();
      }
    } catch (IOException e) {
      if (!log.isWritable()) {
        return onStorageFailure(e);
      }
      context.getLog().warn("old segments of the log of transactions not deleted, next start goes on cause={}", e.toString());
    }
    return Behaviors.same();
  }

  /** In this order: from a decision on no batch can begin a transaction again, then the partitions end what they have. */
  private void letKnow(Decision decision) {
    for (TransactionEvent event : decision.events()) {
      if (event instanceof TransactionEvent.Changed changed) {
        publish(changed.transaction());
      }
    }
    for (Decision.Telling telling : decision.tellings()) {
      sender.send(telling).ifPresent(outcome -> context.getSelf().tell(new Told(outcome)));
    }
    decision.answers().forEach(answer -> answer(asked.remove(answer.ticket()), answer.result()));
    if (!decision.tellings().isEmpty() && !timers.isTimerActive(TellAgain.INSTANCE)) {
      timers.startSingleTimer(TellAgain.INSTANCE, TELL_AGAIN_AFTER);
    }
  }

  private void publish(Transaction transaction) {
    if (transaction.phase() == TransactionPhase.ONGOING) {
      handle
          .ongoing()
          .put(
              transaction.producerId(),
              transaction.epoch(),
              transaction.partitions().stream().map(TransactionPartition::partition).toList());
    } else {
      handle.ongoing().remove(transaction.producerId());
      handle.ongoing().remove(transaction.lastProducerId());
    }
  }

  private static Behavior<Command> answer(Ask ask, TransactionResult result) {
    ask.onAnswered().run();
    ask.replyTo().tell(new TransactionReply(ask.correlationId(), result));
    return Behaviors.same();
  }

  private void scheduleExpiry() {
    OptionalLong next = state.known().nextDeadlineMs();
    if (next.isPresent() && !next.equals(expireAtMs)) {
      expireAtMs = next;
      timers.startSingleTimer(Expire.INSTANCE, Duration.ofMillis(Math.max(0, next.getAsLong() - sinceStart.elapsedMs())));
    }
  }

  private long nowMs() {
    return storage.clock().millis();
  }

  // ---------------------------------------------------------------- failure and stop

  /** The one place where the disk's trouble changes the state: fail-stop. */
  private Behavior<Command> onStorageFailure(IOException cause) {
    context.getLog().error("log of transactions failed, there are none until a restart cause={}", cause.toString(), cause);
    problem = "the log of transactions failed: " + cause.getMessage();
    handle.failed(problem);
    refuseAsked(TransactionError.STORAGE);
    timers.cancelAll();
    return failed();
  }

  private void refuseAsked(TransactionError reason) {
    asked.values().forEach(ask -> answer(ask, new TransactionResult.Refused(reason, problem.isEmpty() ? reason.text() : problem)));
    asked.clear();
    pending.clear();
  }

  private Behavior<Command> refuse(Ask ask) {
    return answer(ask, new TransactionResult.Refused(TransactionError.STORAGE, problem));
  }

  private Behavior<Command> onClose() {
    try {
      log.flush();
      List<Decision> durable = List.copyOf(pending);
      pending.clear();
      durable.forEach(decision -> decision.answers().forEach(each -> answer(asked.remove(each.ticket()), each.result())));
      log.close();
      log = null;
    } catch (IOException e) {
      onStorageFailure(e);
    }
    refuseAsked(TransactionError.SHUTTING_DOWN); // their ends are decided, and told at the next start
    return Behaviors.stopped();
  }

  private Behavior<Command> onPostStop() {
    CleanUp cleanUp = new CleanUp();
    asked.values().forEach(ask -> cleanUp.step(ask.onAnswered())); // only a bug leaves any: whoever waits hears of the end by watching
    cleanUp.step(this::abandonLog);
    cleanUp.end();
    return Behaviors.same();
  }

  private void abandonLog() {
    if (log != null) {
      try {
        log.abandon();
      } catch (IOException e) {
        context.getLog().warn("log of transactions not closed cause={}", e.toString());
      }
      log = null;
    }
  }

  private Behavior<Command> onUnexpected(Command command) {
    throw new IllegalStateException("not in this state: " + command);
  }
}
