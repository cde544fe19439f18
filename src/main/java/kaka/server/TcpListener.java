package kaka.server;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.BehaviorBuilder;
import akka.actor.typed.javadsl.Behaviors;
import akka.stream.Materializer;
import akka.stream.javadsl.Source;
import akka.stream.javadsl.Tcp;
import akka.stream.typed.javadsl.ActorSink;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Binds the port and spawns a {@link ConnectionActor} for each connection. The demand for the next one is the accept gate: at
 * {@code kaka.connections.max} none is asked for until one ends; clients wait in the kernel's backlog meanwhile.
 */
public final class TcpListener {
  public sealed interface Command {}

  /** Accepts no more, lets every connection answer what it was asked, then stops. */
  public enum Drain implements Command {
    INSTANCE
  }

  private record Bound(Tcp.ServerBinding binding) implements Command {}

  private record BindFailed(Throwable cause) implements Command {}

  private record AcceptStarted(ActorRef<Demand> gate) implements Command {}

  private record Accepted(ActorRef<Demand> gate, Tcp.IncomingConnection socket) implements Command {}

  private record AcceptFailed(Throwable cause) implements Command {}

  private enum AcceptEnded implements Command {
    INSTANCE
  }

  private record ConnectionEnded(ActorRef<ConnectionActor.Command> connection) implements Command {}

  private enum Demand {
    NEXT
  }

  /** What becomes of the bind: told once. */
  public sealed interface BindResult {}

  public record Listening(InetSocketAddress address) implements BindResult {}

  public record NotListening(String reason) implements BindResult {}

  private final ActorContext<Command> context;
  private final ConnectionServices services;
  private final ActorRef<BindResult> replyTo;
  private final Set<ActorRef<ConnectionActor.Command>> connections = new HashSet<>();
  private Optional<Tcp.ServerBinding> binding = Optional.empty();
  private Optional<ActorRef<Demand>> owedDemand = Optional.empty();

  private TcpListener(ActorContext<Command> context, ConnectionServices services, ActorRef<BindResult> replyTo) {
    this.context = context;
    this.services = services;
    this.replyTo = replyTo;
  }

  public static Behavior<Command> create(ConnectionServices services, ActorRef<BindResult> replyTo) {
    return Behaviors.setup(
        context -> {
          TcpListener listener = new TcpListener(context, services, replyTo);
          listener.bind();
          return listener.listening();
        });
  }

  private void bind() {
    ServerConfig config = services.config();
    Materializer materializer = Materializer.createMaterializer(context);
    Source<Tcp.IncomingConnection, CompletionStage<Tcp.ServerBinding>> sockets =
        Tcp.get(context.getSystem())
            .bind(config.host(), config.port(), config.backlog(), List.of(), true, Optional.empty());
    CompletionStage<Tcp.ServerBinding> bound =
        sockets
            .to(
                ActorSink.actorRefWithBackpressure(
                    context.getSelf(),
                    Accepted::new,
                    AcceptStarted::new,
                    Demand.NEXT,
                    AcceptEnded.INSTANCE,
                    AcceptFailed::new))
            .run(materializer);
    context.pipeToSelf(bound, (ok, failure) -> failure == null ? new Bound(ok) : new BindFailed(failure));
  }

  // ---------------------------------------------------------------- states

  private Behavior<Command> listening() {
    return BehaviorBuilder.<Command>create()
        .onMessage(Bound.class, this::onBound)
        .onMessage(BindFailed.class, this::onBindFailed)
        .onMessage(AcceptStarted.class, started -> demand(started.gate()))
        .onMessage(Accepted.class, this::onAccepted)
        .onMessage(ConnectionEnded.class, this::onConnectionEnded)
        .onMessage(AcceptFailed.class, this::onAcceptFailed)
        .onMessageEquals(AcceptEnded.INSTANCE, Behaviors::same)
        .onMessageEquals(Drain.INSTANCE, this::onDrain)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  private Behavior<Command> draining() {
    return BehaviorBuilder.<Command>create()
        .onMessage(Accepted.class, late -> Behaviors.same()) // its stream ends unmaterialized, which closes the socket
        .onMessage(ConnectionEnded.class, this::onEndedWhileDraining)
        .onMessage(AcceptStarted.class, started -> Behaviors.same())
        .onMessage(Bound.class, bound -> Behaviors.same())
        .onMessage(BindFailed.class, failed -> Behaviors.same())
        .onMessage(AcceptFailed.class, failed -> Behaviors.same())
        .onMessageEquals(AcceptEnded.INSTANCE, Behaviors::same)
        .onMessageEquals(Drain.INSTANCE, Behaviors::same)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  // ---------------------------------------------------------------- handlers

  private Behavior<Command> onBound(Bound bound) {
    binding = Optional.of(bound.binding());
    replyTo.tell(new Listening(bound.binding().localAddress()));
    return Behaviors.same();
  }

  private Behavior<Command> onBindFailed(BindFailed failed) {
    Throwable root = failed.cause();
    while (root.getCause() != null) {
      root = root.getCause();
    }
    replyTo.tell(new NotListening(root.getMessage() == null ? root.toString() : root.getMessage()));
    return Behaviors.stopped();
  }

  private Behavior<Command> onAccepted(Accepted accepted) {
    ActorRef<ConnectionActor.Command> connection =
        context.spawnAnonymous(ConnectionActor.create(accepted.socket(), services));
    context.watchWith(connection, new ConnectionEnded(connection));
    connections.add(connection);
    return demand(accepted.gate());
  }

  /** Asks for the next connection, or owes it until one has ended. */
  private Behavior<Command> demand(ActorRef<Demand> gate) {
    if (connections.size() < services.config().maxConnections()) {
      gate.tell(Demand.NEXT);
    } else {
      owedDemand = Optional.of(gate);
    }
    return Behaviors.same();
  }

  private Behavior<Command> onConnectionEnded(ConnectionEnded ended) {
    connections.remove(ended.connection());
    Optional<ActorRef<Demand>> owed = owedDemand;
    owedDemand = Optional.empty();
    owed.ifPresent(this::demand);
    return Behaviors.same();
  }

  /** The port is lost for a reason that is not ours; connections go on, a new listener is the supervisor's to make. */
  private Behavior<Command> onAcceptFailed(AcceptFailed failed) {
    if (binding.isEmpty()) {
      return Behaviors.same(); // the bind itself failed, which is told on its own
    }
    throw new IllegalStateException("listening failed", failed.cause());
  }

  private Behavior<Command> onDrain() {
    binding.ifPresent(Tcp.ServerBinding::unbind);
    connections.forEach(connection -> connection.tell(ConnectionActor.Drain.INSTANCE));
    return connections.isEmpty() ? Behaviors.stopped() : draining();
  }

  private Behavior<Command> onEndedWhileDraining(ConnectionEnded ended) {
    connections.remove(ended.connection());
    return connections.isEmpty() ? Behaviors.stopped() : Behaviors.same();
  }

  private Behavior<Command> onUnexpected(Command command) {
    throw new IllegalStateException("not in this state: " + command);
  }
}
