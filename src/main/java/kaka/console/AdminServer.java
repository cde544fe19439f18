package kaka.console;

import akka.Done;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.PostStop;
import akka.actor.typed.PreRestart;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.japi.Pair;
import akka.stream.ActorAttributes;
import akka.stream.Materializer;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.Tcp;
import akka.util.ByteString;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import kaka.topic.TopicRegistry;

/**
 * Listens for HTTP on {@code kaka.admin.port}. The port is bound at the broker's start, so that one that is taken is a start that
 * fails; everything else, Akka HTTP and the metrics' libraries, is loaded when the first connection comes ({@link HttpConnections}).
 *
 * <p>Bounds: {@link #MAX_CONNECTIONS} connections, of which a browser takes six a page, the next one waits in the kernel's backlog; one
 * that is silent for {@link #IDLE} is closed. Each has one request at a time, of a few KiB or charged to the memory budget, and one answer; after
 * {@link AdminConfig#connectionTime} it takes no more of them, and a while later it is closed, whatever the client does: so nobody keeps the others
 * out.
 */
public final class AdminServer {
  public sealed interface Command {}

  private record Bound(Tcp.ServerBinding binding) implements Command {}

  private record BindFailed(Throwable cause) implements Command {}

  private record AcceptEnded(Optional<Throwable> cause) implements Command {}

  /** What becomes of the bind: told once. */
  public sealed interface BindResult {}

  public record Listening(InetSocketAddress address) implements BindResult {}

  /** @param isRequired whether somebody asked for that port */
  public record NotListening(String address, String reason, boolean isRequired) implements BindResult {}

  /** For its connections, and the socket that listens. */
  public static final int MAX_DESCRIPTORS = 33;

  static final int MAX_CONNECTIONS = MAX_DESCRIPTORS - 1;

  private static final String DISPATCHER = "kaka.dispatchers.admin";
  private static final int BACKLOG = 64;
  static final Duration IDLE = Duration.ofSeconds(30);

  private final ActorContext<Command> context;
  private final AdminConfig config;
  private final BrokerFacts facts;
  private final ActorRef<TopicRegistry.Command> registry;
  private final ActorRef<BindResult> replyTo;
  private final Executor executor;
  private final ActorSystem<Void> system;
  private final Materializer materializer;
  private final AtomicBoolean everBound;
  private Optional<Tcp.ServerBinding> binding = Optional.empty();
  private Optional<HttpConnections> connections = Optional.empty(); // guarded by this

  private AdminServer(
      ActorContext<Command> context,
      AdminConfig config,
      BrokerFacts facts,
      ActorRef<TopicRegistry.Command> registry,
      ActorRef<BindResult> replyTo,
      AtomicBoolean everBound) {
    this.registry = registry;
    this.everBound = everBound;
    this.context = context;
    this.config = config;
    this.facts = facts;
    this.replyTo = replyTo;
    this.system = context.getSystem();
    this.executor =
        context.getSystem().dispatchers().lookup(DispatcherSelector.fromConfig(DISPATCHER));
    this.materializer = Materializer.createMaterializer(context);
  }

  /**
   * To be restarted, after a while, when it fails: it does where a socket that listened is lost.
   *
   * @param registry asked for changes of topics
   */
  public static Behavior<Command> create(
      AdminConfig config, BrokerFacts facts, ActorRef<TopicRegistry.Command> registry, ActorRef<BindResult> replyTo) {
    AtomicBoolean everBound = new AtomicBoolean();
    return Behaviors.setup(
        context -> {
          context.setLoggerName(AdminServer.class);
          AdminServer server = new AdminServer(context, config, facts, registry, replyTo, everBound);
          server.bind();
          return server.running();
        });
  }

  private void bind() {
    Pair<CompletionStage<Tcp.ServerBinding>, CompletionStage<Done>> running =
        Tcp.get(context.getSystem())
            .bind(config.host(), config.port(), BACKLOG, List.of(), false, Optional.of(IDLE))
            .mapAsyncUnordered(MAX_CONNECTIONS, this::serve) // the next is accepted when one of these has ended
            .toMat(Sink.ignore(), Keep.both())
            .run(materializer);
    context.pipeToSelf(running.first(), (bound, failure) -> failure == null ? new Bound(bound) : new BindFailed(failure));
    context.pipeToSelf(running.second(), (done, failure) -> new AcceptEnded(Optional.ofNullable(failure)));
  }

  /** The socket is taken over at once; what makes answers may have to be loaded first, which is done on the admin thread. */
  private CompletionStage<Done> serve(Tcp.IncomingConnection socket) {
    InetAddress remote = socket.remoteAddress().getAddress();
    Flow<ByteString, ByteString, CompletionStage<Done>> flow =
        Flow.of(ByteString.class)
            .takeWithin(config.connectionTime())
            .via(Flow.lazyCompletionStageFlow(() -> CompletableFuture.supplyAsync(() -> connections().flow(remote), executor)))
            .completionTimeout(config.connectionTime().multipliedBy(2))
            .watchTermination(Keep.right())
            .withAttributes(ActorAttributes.dispatcher(DISPATCHER));
    return socket.handleWith(flow, materializer).exceptionally(ended -> Done.getInstance());
  }

  private synchronized HttpConnections connections() {
    if (connections.isEmpty()) {
      connections = Optional.of(new HttpConnections(system, config, facts, registry, materializer));
    }
    return connections.get();
  }

  private Behavior<Command> running() {
    return Behaviors.receive(Command.class)
        .onMessage(Bound.class, this::onBound)
        .onMessage(BindFailed.class, this::onBindFailed)
        .onMessage(AcceptEnded.class, this::onAcceptEnded)
        .onAnyMessage(
            command -> {
              throw new IllegalStateException("not in this state: " + command);
            })
        .onSignal(PreRestart.class, restart -> letGo())
        .onSignal(PostStop.class, stop -> letGo())
        .build();
  }

  private Behavior<Command> onBound(Bound bound) {
    binding = Optional.of(bound.binding());
    everBound.set(true);
    replyTo.tell(new Listening(bound.binding().localAddress()));
    return Behaviors.same();
  }

  private Behavior<Command> onBindFailed(BindFailed failed) {
    Throwable root = failed.cause();
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String reason =
        root instanceof UnresolvedAddressException ? "unknown host" : Optional.ofNullable(root.getMessage()).orElse(root.toString());
    if (everBound.get()) {
      throw new IllegalStateException("cannot listen again: " + reason);
    }
    replyTo.tell(new NotListening(config.host() + ":" + config.port(), reason, config.isRequired()));
    return Behaviors.stopped();
  }

  private Behavior<Command> onAcceptEnded(AcceptEnded ended) {
    if (binding.isPresent()) { // else BindFailed says it
      throw new IllegalStateException("listening ended: " + ended.cause().map(Throwable::toString).orElse("for no reason"));
    }
    return Behaviors.same();
  }

  /** The connections end with this actor's materializer. */
  private Behavior<Command> letGo() {
    try {
      binding.ifPresent(Tcp.ServerBinding::unbind);
    } finally {
      closeConnections();
    }
    return Behaviors.same();
  }

  private synchronized void closeConnections() {
    connections.ifPresent(HttpConnections::close);
  }
}
