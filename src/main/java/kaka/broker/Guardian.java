package kaka.broker;

import akka.Done;
import akka.actor.CoordinatedShutdown;
import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.SupervisorStrategy;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.BehaviorBuilder;
import akka.actor.typed.javadsl.Behaviors;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import kaka.group.GroupCoordinator;
import kaka.partition.LostAppends;
import kaka.topic.OpenedTopics;
import kaka.connection.CheckThreads;
import kaka.connection.ConnectionServices;
import kaka.connection.SocketDispatcher;
import kaka.connection.TcpListener;
import kaka.console.AdminServer;
import kaka.console.Lifecycle;
import kaka.topic.TopicRegistry;
import kaka.transaction.TransactionCoordinator;

/**
 * Starts the broker's actors in their order and stops them in the reverse: topics, then groups, then the listener. The one place that says
 * who supervises whom: the listener is restarted, for nothing durable is in it; the registry and its partitions are not.
 */
final class Guardian {
  sealed interface Command {}

  /** Stops listening and lets the connections finish; answered when none is left. */
  record Drain(ActorRef<Done> replyTo) implements Command {}

  /** Closes every log; answered when all are closed. */
  record CloseTopics(ActorRef<Done> replyTo) implements Command {}

  private record TopicsOpened(OpenedTopics opened) implements Command {}

  private record TransactionsOpened(TransactionCoordinator.Opened opened) implements Command {}

  private enum TransactionsStopped implements Command {
    INSTANCE
  }

  private record GroupsOpened(GroupCoordinator.Opened opened) implements Command {}

  private record BindAnswered(TcpListener.BindResult result) implements Command {}

  private record AdminAnswered(AdminServer.BindResult result) implements Command {}

  private enum RegistryStopped implements Command {
    INSTANCE
  }

  private enum CoordinatorStopped implements Command {
    INSTANCE
  }

  private enum ListenerStopped implements Command {
    INSTANCE
  }

  private final ActorContext<Command> context;
  private final ActorRef<TopicRegistry.Command> registry;
  private final Groups groups;
  private final Transactions transactions;
  private final Services services;
  private final Lifecycle lifecycle;
  private final CompletableFuture<StartReport> started;
  private final long startNs = System.nanoTime();
  private final List<ActorRef<Done>> awaitingDrained = new ArrayList<>();
  private final List<ActorRef<Done>> awaitingClosed = new ArrayList<>();
  private Optional<ActorRef<TcpListener.Command>> listener = Optional.empty();
  private Optional<ActorRef<GroupCoordinator.Command>> coordinator = Optional.empty();
  private Optional<OpenedTopics> opened = Optional.empty();
  private Optional<InetSocketAddress> listening = Optional.empty();
  private Optional<InetSocketAddress> admin = Optional.empty();
  private boolean awaitsAdmin;
  private Optional<ActorRef<TransactionCoordinator.Command>> transactionCoordinator = Optional.empty();
  private String groupsProblem = "";
  private String transactionsProblem = "";
  private Duration recovery = Duration.ZERO;
  private boolean registryStopped;

  private Guardian(
      ActorContext<Command> context,
      Behavior<TopicRegistry.Command> topics,
      Groups groups,
      Transactions transactions,
      Services services,
      Optional<AdminSpawn> adminSpawn,
      Lifecycle lifecycle,
      CompletableFuture<StartReport> started) {
    this.context = context;
    this.lifecycle = lifecycle;
    this.groups = groups;
    this.transactions = transactions;
    this.services = services;
    this.started = started;
    context.spawn(LostAppends.create(), "lost-appends");
    this.registry = context.spawn(topics, "topics", DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
    context.watchWith(registry, RegistryStopped.INSTANCE);
    registry.tell(
        new TopicRegistry.AwaitOpened(context.messageAdapter(OpenedTopics.class, TopicsOpened::new)));
    adminSpawn.ifPresent(this::spawnAdmin);
  }

  /** What connections work with, given the registry, the dispatcher for disk reads, and those for checks of batches. */
  interface Services {
    ConnectionServices with(ActorRef<TopicRegistry.Command> registry, Executor fetchIo, CheckThreads checks);
  }

  /** What becomes the admin server, given whom it asks about topics, and who is to hear where it listens. */
  interface AdminSpawn {
    Behavior<AdminServer.Command> answering(
        ActorRef<TopicRegistry.Command> registry, ActorRef<AdminServer.BindResult> replyTo);
  }

  /** While topics open: it tells how far they are. */
  private void spawnAdmin(AdminSpawn spawn) {
    awaitsAdmin = true;
    context.spawn(
        Behaviors.supervise(spawn.answering(registry, context.messageAdapter(AdminServer.BindResult.class, AdminAnswered::new)))
            .onFailure(SupervisorStrategy.restartWithBackoff(Duration.ofSeconds(1), Duration.ofSeconds(30), 0.2)),
        "admin");
  }

  /**
   * @param services what connections work with
   * @param admin the admin server, if there is to be one
   * @param lifecycle told how far it is
   * @param started completed when the broker listens, or failed with a {@link BrokerStartException}
   */
  static Behavior<Command> create(
      Behavior<TopicRegistry.Command> topics,
      Groups groups,
      Transactions transactions,
      Services services,
      Optional<AdminSpawn> admin,
      Lifecycle lifecycle,
      CompletableFuture<StartReport> started) {
    return Behaviors.setup(
        context -> {
          context.setLoggerName(Guardian.class);
          return new Guardian(context, topics, groups, transactions, services, admin, lifecycle, started).running();
        });
  }

  private Behavior<Command> running() {
    return BehaviorBuilder.<Command>create()
        .onMessage(TopicsOpened.class, this::onTopicsOpened)
        .onMessage(GroupsOpened.class, this::onGroupsOpened)
        .onMessageEquals(CoordinatorStopped.INSTANCE, this::onCoordinatorStopped)
        .onMessage(TransactionsOpened.class, this::onTransactionsOpened)
        .onMessageEquals(TransactionsStopped.INSTANCE, this::onTransactionsStopped)
        .onMessage(BindAnswered.class, this::onBindAnswered)
        .onMessage(AdminAnswered.class, this::onAdminAnswered)
        .onMessage(Drain.class, this::onDrain)
        .onMessageEquals(ListenerStopped.INSTANCE, this::onListenerStopped)
        .onMessage(CloseTopics.class, this::onCloseTopics)
        .onMessageEquals(RegistryStopped.INSTANCE, this::onRegistryStopped)
        .onAnyMessage(
            command -> {
              throw new IllegalStateException("not in this state: " + command);
            })
        .build();
  }

  private Behavior<Command> onTopicsOpened(TopicsOpened message) {
    opened = Optional.of(message.opened());
    ActorRef<GroupCoordinator.Command> spawned = // no supervisor: fail-stop
        context.spawn(groups.coordinator(), "groups", DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
    groups.bind(spawned);
    context.watchWith(spawned, CoordinatorStopped.INSTANCE);
    spawned.tell(
        new GroupCoordinator.AwaitOpened(context.messageAdapter(GroupCoordinator.Opened.class, GroupsOpened::new)));
    coordinator = Optional.of(spawned);
    return Behaviors.same();
  }

  private Behavior<Command> onGroupsOpened(GroupsOpened message) {
    groupsProblem = message.opened().problem();
    ActorRef<TransactionCoordinator.Command> spawned = // no supervisor: fail-stop
        context.spawn(
            transactions.coordinator(), "transactions", DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
    transactions.bind(spawned);
    context.watchWith(spawned, TransactionsStopped.INSTANCE);
    spawned.tell(
        new TransactionCoordinator.AwaitOpened(
            context.messageAdapter(TransactionCoordinator.Opened.class, TransactionsOpened::new)));
    transactionCoordinator = Optional.of(spawned);
    return Behaviors.same();
  }

  private Behavior<Command> onTransactionsOpened(TransactionsOpened message) {
    transactionsProblem = message.opened().problem();
    recovery = Duration.ofNanos(System.nanoTime() - startNs);
    ActorRef<TcpListener.BindResult> replyTo = context.messageAdapter(TcpListener.BindResult.class, BindAnswered::new);
    Executor fetchIo = context.getSystem().dispatchers().lookup(DispatcherSelector.fromConfig("kaka.dispatchers.fetch-io"));
    CheckThreads checks = CheckThreads.of(context.getSystem().dispatchers());
    ActorRef<TcpListener.Command> spawned =
        context.spawn(
            Behaviors.supervise(TcpListener.create(services.with(registry, fetchIo, checks), replyTo))
                .onFailure(
                    SupervisorStrategy.restartWithBackoff(Duration.ofMillis(200), Duration.ofSeconds(30), 0.2)),
            "listener",
            SocketDispatcher.SELECTOR);
    context.watchWith(spawned, ListenerStopped.INSTANCE);
    listener = Optional.of(spawned);
    return Behaviors.same();
  }

  private Behavior<Command> onBindAnswered(BindAnswered answered) {
    if (answered.result() instanceof TcpListener.Listening bound) {
      listening = Optional.of(bound.address());
      lifecycle.serving(recovery, opened.orElseThrow().problem());
      completeStart();
    } else if (answered.result() instanceof TcpListener.NotListening failure) {
      fail("cannot listen on " + failure.address() + ": " + failure.reason()
          + " (kaka.listen.port, --port: another port, or 0 for any free one)");
    }
    return Behaviors.same();
  }

  private Behavior<Command> onAdminAnswered(AdminAnswered answered) {
    if (answered.result() instanceof AdminServer.Listening bound) {
      admin = Optional.of(bound.address());
      awaitsAdmin = false;
      completeStart();
    } else if (answered.result() instanceof AdminServer.NotListening failure && !failure.isRequired()) {
      context.getLog().warn("no metrics and no health, their port cannot be had address={} reason=\"{}\" advice=\"set kaka.admin.port: another, 0 for any free one, or off\"",
          failure.address(), failure.reason());
      awaitsAdmin = false;
      completeStart();
    } else if (answered.result() instanceof AdminServer.NotListening failure) {
      fail("cannot listen on " + failure.address() + " for metrics and health: " + failure.reason()
          + " (kaka.admin.port, --admin-port: another port, 0 for any free one, or off)");
    }
    return Behaviors.same();
  }

  /** When both ports listen; once. */
  private void completeStart() {
    if (listening.isEmpty() || awaitsAdmin) {
      return;
    }
    OpenedTopics topics = opened.orElseThrow();
    started.complete(
        new StartReport(
            listening.get(),
            topics.topicCount(),
            topics.partitionCount(),
            topics.failed(),
            topics.problem(),
            groupsProblem,
            transactionsProblem,
            admin,
            recovery));
  }

  private Behavior<Command> onDrain(Drain drain) {
    lifecycle.stopping();
    if (listener.isEmpty()) {
      drain.replyTo().tell(Done.getInstance());
    } else {
      awaitingDrained.add(drain.replyTo());
      listener.get().tell(TcpListener.Drain.INSTANCE);
    }
    return Behaviors.same();
  }

  private Behavior<Command> onListenerStopped() {
    listener = Optional.empty();
    if (awaitingDrained.isEmpty() && started.isDone() && !started.isCompletedExceptionally()) {
      fail("the listener stopped by an internal error");
    }
    awaitingDrained.forEach(asker -> asker.tell(Done.getInstance()));
    awaitingDrained.clear();
    return Behaviors.same();
  }

  private Behavior<Command> onCloseTopics(CloseTopics close) {
    awaitingClosed.add(close.replyTo());
    coordinator.ifPresent(running -> running.tell(GroupCoordinator.Close.INSTANCE));
    transactionCoordinator.ifPresent(running -> running.tell(TransactionCoordinator.Close.INSTANCE));
    if (!registryStopped) {
      registry.tell(TopicRegistry.Close.INSTANCE);
    }
    answerWhenClosed();
    return Behaviors.same();
  }

  private void answerWhenClosed() {
    if (registryStopped && coordinator.isEmpty() && transactionCoordinator.isEmpty()) {
      awaitingClosed.forEach(asker -> asker.tell(Done.getInstance()));
      awaitingClosed.clear();
    }
  }

  /** Unless the broker stops it is a bug, which Akka has logged: what groups have committed is safe, but nobody can tell it. */
  private Behavior<Command> onCoordinatorStopped() {
    coordinator = Optional.empty();
    if (awaitingClosed.isEmpty()) {
      fail("the group coordinator stopped by an internal error");
    }
    answerWhenClosed();
    return Behaviors.same();
  }

  /** As {@link #onCoordinatorStopped}. */
  private Behavior<Command> onTransactionsStopped() {
    transactionCoordinator = Optional.empty();
    if (awaitingClosed.isEmpty()) {
      fail("the transaction coordinator stopped by an internal error");
    }
    answerWhenClosed();
    return Behaviors.same();
  }

  private Behavior<Command> onRegistryStopped() {
    registryStopped = true;
    if (awaitingClosed.isEmpty()) {
      fail("the topic registry, and with it every partition, stopped by an internal error");
    }
    answerWhenClosed();
    return Behaviors.same();
  }

  /** The start fails, or the broker, which would serve nobody, stops; its process ends with exit code 1. */
  private void fail(String reason) {
    if (!started.completeExceptionally(new BrokerStartException(reason, null))) {
      context.getLog().error("broker stops reason={}", reason);
      CoordinatedShutdown.get(context.getSystem()).runAll(CoordinatedShutdown.unknownReason());
    }
  }
}
