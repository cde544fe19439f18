package kaka.connection;

import akka.Done;
import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.BehaviorBuilder;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.TimerScheduler;
import akka.io.Inet;
import akka.io.TcpSO;
import akka.japi.Pair;
import akka.stream.Materializer;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.Source;
import akka.stream.javadsl.Tcp;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Binds the port and spawns a {@link ConnectionActor} for each connection. The accept gate: at {@code kaka.connections.max} the
 * next one is not accepted before one has ended, nor while file descriptors are short; clients wait in the kernel's backlog
 * meanwhile. It has to stand here, in front of Akka's listener, which accepts again at once, and logs it, when the process has no
 * descriptor left. An address that has {@code kaka.connections.max-per-address} connections gets no more: they are closed. A port
 * that is lost is bound again; connections go on.
 */
public final class TcpListener {
  public sealed interface Command {}

  /** Accepts no more, lets every connection answer what it was asked, then stops. */
  public enum Drain implements Command {
    INSTANCE
  }

  private record Bound(Tcp.ServerBinding binding) implements Command {}

  private record BindFailed(Throwable cause) implements Command {}

  /** @param gate to be completed when the next connection may be accepted */
  private record Accepted(Tcp.IncomingConnection socket, CompletableFuture<Done> gate) implements Command {}

  private record AcceptEnded(Optional<Throwable> cause) implements Command {}

  private enum Rebind implements Command {
    INSTANCE
  }

  private record ConnectionEnded(ActorRef<ConnectionActor.Command> connection, InetAddress address) implements Command {}

  private enum LookAtGate implements Command {
    INSTANCE
  }

  /** What becomes of the bind: told once. */
  public sealed interface BindResult {}

  public record Listening(InetSocketAddress address) implements BindResult {}

  public record NotListening(String address, String reason) implements BindResult {}

  /**
   * What the kernel holds for a client that does not read is bounded, too: left to itself it takes up to 4 MiB a socket, and where a
   * thousand of them have used up the memory it has for TCP, everybody's connections stand still.
   */
  private static final List<Inet.SocketOption> SOCKET_OPTIONS = List.of(TcpSO.keepAlive(true), TcpSO.sendBufferSize(512 << 10));

  private static final Duration REBIND_AFTER = Duration.ofSeconds(1);

  /** Nobody tells when a descriptor is free again. */
  private static final Duration BACK_OFF = Duration.ofMillis(10);

  private final ActorContext<Command> context;
  private final TimerScheduler<Command> timers;
  private final ActorRef<Command> self;
  private final Materializer materializer;
  private final ConnectionServices services;
  private final ActorRef<BindResult> replyTo;
  private final Set<ActorRef<ConnectionActor.Command>> connections = new HashSet<>();
  private final Map<InetAddress, Integer> countByAddress = new HashMap<>();
  private Optional<Tcp.ServerBinding> binding = Optional.empty();
  private Optional<CompletableFuture<Done>> closedGate = Optional.empty();
  private int port;

  private TcpListener(
      ActorContext<Command> context,
      TimerScheduler<Command> timers,
      ConnectionServices services,
      ActorRef<BindResult> replyTo) {
    this.context = context;
    this.timers = timers;
    this.self = context.getSelf();
    this.materializer = Materializer.createMaterializer(context);
    this.services = services;
    this.replyTo = replyTo;
    this.port = services.config().port();
  }

  public static Behavior<Command> create(ConnectionServices services, ActorRef<BindResult> replyTo) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> {
                  TcpListener listener = new TcpListener(context, timers, services, replyTo);
                  listener.bind();
                  return listener.listening();
                }));
  }

  private void bind() {
    ServerConfig config = services.config();
    Pair<CompletionStage<Tcp.ServerBinding>, CompletionStage<Done>> running =
        Tcp.get(context.getSystem())
            .bind(config.host(), port, config.backlog(), SOCKET_OPTIONS, true, Optional.empty())
            .mapAsync(1, this::hand) // one: no connection is accepted before the last one's gate is open
            .toMat(Sink.ignore(), Keep.both())
            .run(materializer);
    context.pipeToSelf(running.first(), (ok, failure) -> failure == null ? new Bound(ok) : new BindFailed(failure));
    context.pipeToSelf(running.second(), (done, failure) -> new AcceptEnded(Optional.ofNullable(failure)));
  }

  /** On the stream's thread. */
  private CompletionStage<Done> hand(Tcp.IncomingConnection socket) {
    CompletableFuture<Done> gate = new CompletableFuture<>();
    self.tell(new Accepted(socket, gate));
    return gate;
  }

  // ---------------------------------------------------------------- states

  private Behavior<Command> listening() {
    return BehaviorBuilder.<Command>create()
        .onMessage(Bound.class, this::onBound)
        .onMessage(BindFailed.class, this::onBindFailed)
        .onMessage(Accepted.class, this::onAccepted)
        .onMessage(ConnectionEnded.class, this::onConnectionEnded)
        .onMessageEquals(LookAtGate.INSTANCE, this::onLookAtGate)
        .onMessage(AcceptEnded.class, this::onAcceptEnded)
        .onMessageEquals(Rebind.INSTANCE, this::onRebind)
        .onMessageEquals(Drain.INSTANCE, this::onDrain)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  private Behavior<Command> draining() {
    return BehaviorBuilder.<Command>create()
        .onMessage(Accepted.class, this::onAcceptedLate)
        .onMessage(ConnectionEnded.class, this::onEndedWhileDraining)
        .onMessage(Bound.class, late -> unbind(late.binding()))
        .onMessage(BindFailed.class, failed -> Behaviors.same())
        .onMessage(AcceptEnded.class, ended -> Behaviors.same())
        .onMessageEquals(Rebind.INSTANCE, Behaviors::same)
        .onMessageEquals(LookAtGate.INSTANCE, Behaviors::same)
        .onMessageEquals(Drain.INSTANCE, Behaviors::same)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  // ---------------------------------------------------------------- handlers

  private Behavior<Command> onBound(Bound bound) {
    boolean isFirst = binding.isEmpty();
    binding = Optional.of(bound.binding());
    port = bound.binding().localAddress().getPort();
    if (isFirst) {
      replyTo.tell(new Listening(bound.binding().localAddress()));
    } else {
      context.getLog().info("listening again address={}", bound.binding().localAddress());
    }
    return Behaviors.same();
  }

  private Behavior<Command> onBindFailed(BindFailed failed) {
    Throwable root = failed.cause();
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (binding.isPresent()) {
      context.getLog().warn("cannot listen again, trying on port={} cause={}", port, root.toString());
      timers.startSingleTimer(Rebind.INSTANCE, REBIND_AFTER);
      return Behaviors.same();
    }
    String reason = root instanceof UnresolvedAddressException ? "unknown host" : Optional.ofNullable(root.getMessage()).orElse(root.toString());
    replyTo.tell(new NotListening(services.config().host() + ":" + services.config().port(), reason));
    return Behaviors.stopped();
  }

  private Behavior<Command> onAccepted(Accepted accepted) {
    InetSocketAddress peer = accepted.socket().remoteAddress();
    int limit = services.config().maxPerAddress();
    if (limit > 0 && countByAddress.getOrDefault(peer.getAddress(), 0) >= limit) {
      services.counts().count(ConnectionCounts.Limit.ADDRESS, peer.toString());
      closeUnheard(accepted.socket());
    } else {
      ActorRef<ConnectionActor.Command> connection =
          context.spawnAnonymous(ConnectionActor.create(accepted.socket(), services));
      context.watchWith(connection, new ConnectionEnded(connection, peer.getAddress()));
      connections.add(connection);
      countByAddress.merge(peer.getAddress(), 1, Integer::sum);
    }
    if (connections.size() >= services.config().maxConnections()) {
      services.counts().count(ConnectionCounts.Limit.CONNECTIONS, peer.toString());
    }
    closedGate = Optional.of(accepted.gate());
    openGate();
    if (timers.isTimerActive(LookAtGate.INSTANCE)) {
      services.counts().count(ConnectionCounts.Limit.DESCRIPTORS, peer.toString());
    }
    return Behaviors.same();
  }

  /** Lets the next one in, if there is room; else this is called again when one has ended, or after a while. */
  private void openGate() {
    if (closedGate.isEmpty() || connections.size() >= services.config().maxConnections()) {
      return;
    }
    if (services.mayAccept().getAsBoolean()) {
      closedGate.get().complete(Done.getInstance());
      closedGate = Optional.empty();
    } else if (!timers.isTimerActive(LookAtGate.INSTANCE)) {
      timers.startSingleTimer(LookAtGate.INSTANCE, BACK_OFF);
    }
  }

  private Behavior<Command> onLookAtGate() {
    openGate();
    return Behaviors.same();
  }

  private Behavior<Command> onConnectionEnded(ConnectionEnded ended) {
    forget(ended);
    openGate();
    return Behaviors.same();
  }

  private void forget(ConnectionEnded ended) {
    connections.remove(ended.connection());
    countByAddress.computeIfPresent(ended.address(), (address, count) -> count > 1 ? count - 1 : null);
  }

  /** The socket that listens is lost, for a reason that is not ours; if it never was, {@link BindFailed} says so. */
  private Behavior<Command> onAcceptEnded(AcceptEnded ended) {
    if (binding.isPresent() && !timers.isTimerActive(Rebind.INSTANCE)) {
      context.getLog().error("listening failed, trying again port={} cause={}", port, String.valueOf(ended.cause().orElse(null)));
      timers.startSingleTimer(Rebind.INSTANCE, REBIND_AFTER);
    }
    return Behaviors.same();
  }

  private Behavior<Command> onRebind() {
    bind();
    return Behaviors.same();
  }

  private Behavior<Command> onDrain() {
    binding.ifPresent(this::unbind);
    connections.forEach(connection -> connection.tell(ConnectionActor.Drain.INSTANCE));
    return connections.isEmpty() ? Behaviors.stopped() : draining();
  }

  private Behavior<Command> unbind(Tcp.ServerBinding bound) {
    bound.unbind();
    return Behaviors.same();
  }

  /** Was on its way when the drain began. */
  private Behavior<Command> onAcceptedLate(Accepted late) {
    closeUnheard(late.socket());
    return Behaviors.same();
  }

  private void closeUnheard(Tcp.IncomingConnection socket) {
    socket.handleWith(Flow.fromSinkAndSource(Sink.cancelled(), Source.empty()), materializer);
  }

  private Behavior<Command> onEndedWhileDraining(ConnectionEnded ended) {
    forget(ended);
    return connections.isEmpty() ? Behaviors.stopped() : Behaviors.same();
  }

  private Behavior<Command> onUnexpected(Command command) {
    throw new IllegalStateException("not in this state: " + command);
  }
}
