package kaka.connection;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.PreRestart;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.BehaviorBuilder;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.TimerScheduler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import kaka.socket.SelectorLoop;

/**
 * Binds the port and spawns a {@link ConnectionActor} for each connection. The accept gate: at {@code kaka.connections.max} the
 * next one is not accepted before one has ended, nor while file descriptors are short; clients wait in the kernel's backlog
 * meanwhile. An address that has {@code kaka.connections.max-per-address} connections gets no more: they are closed. A port
 * that is lost is bound again; connections go on. To be spawned on the {@link SocketDispatcher}.
 */
public final class TcpListener {
  public sealed interface Command {}

  /** Accepts no more, lets every connection answer what it was asked, then stops. */
  public enum Drain implements Command {
    INSTANCE
  }

  private enum Ready implements Command {
    INSTANCE
  }

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
  private static final int SEND_BUFFER_BYTES = 512 << 10;

  /** Then it is others' turn on this thread. */
  private static final int ACCEPTS_AT_A_TIME = 16;

  private static final Duration REBIND_AFTER = Duration.ofSeconds(1);

  /** Nobody tells when a descriptor is free again. */
  private static final Duration BACK_OFF = Duration.ofMillis(10);

  private final ActorContext<Command> context;
  private final TimerScheduler<Command> timers;
  private final ActorRef<Command> self;
  private final ConnectionServices services;
  private final ActorRef<BindResult> replyTo;
  private final Set<ActorRef<ConnectionActor.Command>> connections = new HashSet<>();
  private final Map<InetAddress, Integer> countByAddress = new HashMap<>();
  private ServerSocketChannel server;
  private SelectionKey key;
  private InetAddress host; // null before it was resolved
  private boolean isGateOpen = true;
  private int port;

  private TcpListener(
      ActorContext<Command> context,
      TimerScheduler<Command> timers,
      ConnectionServices services,
      ActorRef<BindResult> replyTo) {
    this.context = context;
    this.timers = timers;
    this.self = context.getSelf();
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
                  return listener.bindFirst() ? listener.listening() : Behaviors.stopped();
                }));
  }

  /** Tells what becomes of it, and returns whether it listens. */
  private boolean bindFirst() {
    try {
      bind();
      replyTo.tell(new Listening((InetSocketAddress) server.getLocalAddress()));
      return true;
    } catch (IOException e) {
      String reason = Optional.ofNullable(e.getMessage()).orElse(e.toString());
      replyTo.tell(new NotListening(services.config().host() + ":" + port, reason));
      return false;
    }
  }

  private void bind() throws IOException {
    if (host == null) { // once: connections that share this thread would wait for it
      host = new InetSocketAddress(services.config().host(), port).getAddress();
      if (host == null) {
        throw new IOException("unknown host");
      }
    }
    server = ServerSocketChannel.open();
    try {
      server.configureBlocking(false);
      server.bind(new InetSocketAddress(host, port), services.config().backlog());
      port = ((InetSocketAddress) server.getLocalAddress()).getPort();
      key = LoopExecutor.current().loop().register(server, SelectionKey.OP_ACCEPT, ready -> self.tell(Ready.INSTANCE));
    } catch (IOException | RuntimeException e) {
      SelectorLoop.closeQuietly(server);
      throw e;
    }
    setGate(isGateOpen);
  }

  // ---------------------------------------------------------------- states

  private Behavior<Command> listening() {
    return BehaviorBuilder.<Command>create()
        .onMessageEquals(Ready.INSTANCE, this::onReady)
        .onMessage(ConnectionEnded.class, this::onConnectionEnded)
        .onMessageEquals(LookAtGate.INSTANCE, this::onLookAtGate)
        .onMessageEquals(Rebind.INSTANCE, this::onRebind)
        .onMessageEquals(Drain.INSTANCE, this::onDrain)
        .onAnyMessage(this::onUnexpected)
        .onSignal(PreRestart.class, restart -> letGo())
        .onSignal(PostStop.class, stop -> letGo())
        .build();
  }

  private Behavior<Command> draining() {
    return BehaviorBuilder.<Command>create()
        .onMessage(ConnectionEnded.class, this::onEndedWhileDraining)
        .onMessageEquals(Ready.INSTANCE, Behaviors::same)
        .onMessageEquals(Rebind.INSTANCE, Behaviors::same)
        .onMessageEquals(LookAtGate.INSTANCE, Behaviors::same)
        .onMessageEquals(Drain.INSTANCE, Behaviors::same)
        .onAnyMessage(this::onUnexpected)
        .build();
  }

  // ---------------------------------------------------------------- handlers

  private Behavior<Command> onReady() {
    try {
      for (int i = 0; i < ACCEPTS_AT_A_TIME && isGateOpen; i++) {
        SocketChannel channel = server.accept();
        if (channel == null) {
          break;
        }
        onAccepted(channel);
      }
    } catch (IOException e) {
      onAcceptFailed(e);
    }
    return Behaviors.same();
  }

  /** No descriptor is left, mostly: the gate is looked at again after a while, as where that was seen before. */
  private void onAcceptFailed(IOException cause) {
    if (server.isOpen()) {
      services.counts().countUnaccepted(cause);
      setGate(false);
      timers.startSingleTimer(LookAtGate.INSTANCE, BACK_OFF);
    } else {
      context.getLog().error("listening failed, trying again port={} cause={}", port, cause.toString());
      timers.startSingleTimer(Rebind.INSTANCE, REBIND_AFTER);
    }
  }

  private void onAccepted(SocketChannel channel) {
    InetSocketAddress peer;
    try {
      peer = (InetSocketAddress) channel.getRemoteAddress();
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER_BYTES);
    } catch (IOException e) {
      SelectorLoop.closeQuietly(channel); // the client has gone again
      return;
    }
    int limit = services.config().maxPerAddress();
    if (limit > 0 && countByAddress.getOrDefault(peer.getAddress(), 0) >= limit) {
      services.counts().count(ConnectionCounts.Limit.ADDRESS, peer.toString());
      SelectorLoop.closeQuietly(channel);
    } else {
      ActorRef<ConnectionActor.Command> connection = spawn(channel);
      context.watchWith(connection, new ConnectionEnded(connection, peer.getAddress()));
      connections.add(connection);
      countByAddress.merge(peer.getAddress(), 1, Integer::sum);
    }
    if (connections.size() >= services.config().maxConnections()) {
      services.counts().count(ConnectionCounts.Limit.CONNECTIONS, peer.toString());
    }
    isGateOpen = false;
    openGate();
    if (timers.isTimerActive(LookAtGate.INSTANCE)) {
      services.counts().count(ConnectionCounts.Limit.DESCRIPTORS, peer.toString());
    }
    setGate(isGateOpen);
  }

  private ActorRef<ConnectionActor.Command> spawn(SocketChannel channel) {
    try {
      return context.spawnAnonymous(ConnectionActor.create(channel, services), SocketDispatcher.SELECTOR);
    } catch (Throwable e) { // it has no owner
      SelectorLoop.closeQuietly(channel);
      throw e;
    }
  }

  /** Lets the next one in, if there is room; else this is called again when one has ended, or after a while. */
  private void openGate() {
    if (isGateOpen || connections.size() >= services.config().maxConnections()) {
      return;
    }
    if (services.mayAccept().getAsBoolean()) {
      setGate(true);
    } else if (!timers.isTimerActive(LookAtGate.INSTANCE)) {
      timers.startSingleTimer(LookAtGate.INSTANCE, BACK_OFF);
    }
  }

  private void setGate(boolean isOpen) {
    isGateOpen = isOpen;
    if (key.isValid()) {
      key.interestOps(isOpen ? SelectionKey.OP_ACCEPT : 0);
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

  private Behavior<Command> onRebind() {
    try {
      bind();
      context.getLog().info("listening again address={}", server.getLocalAddress());
    } catch (IOException e) {
      context.getLog().warn("cannot listen again, trying on port={} cause={}", port, e.toString());
      timers.startSingleTimer(Rebind.INSTANCE, REBIND_AFTER);
    }
    return Behaviors.same();
  }

  private Behavior<Command> onDrain() {
    letGo();
    connections.forEach(connection -> connection.tell(ConnectionActor.Drain.INSTANCE));
    return connections.isEmpty() ? Behaviors.stopped() : draining();
  }

  private Behavior<Command> letGo() {
    SelectorLoop.closeQuietly(server);
    return Behaviors.same();
  }

  private Behavior<Command> onEndedWhileDraining(ConnectionEnded ended) {
    forget(ended);
    return connections.isEmpty() ? Behaviors.stopped() : Behaviors.same();
  }

  private Behavior<Command> onUnexpected(Command command) {
    throw new IllegalStateException("not in this state: " + command);
  }
}
