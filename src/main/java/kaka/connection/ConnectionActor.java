package kaka.connection;

import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.Behaviors;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import kaka.socket.SelectorLoop;
import scala.util.control.NonFatal;

/**
 * Owns one client connection, and ends with it. It lives on one of the {@link SocketDispatcher}'s threads; that its socket is
 * ready is a message, as the replies of those it asked are. What the connection holds is let go in one place, {@link
 * ConnectionLogic#end}, which is called whatever ends the actor.
 */
final class ConnectionActor {
  sealed interface Command {}

  /** Answers what was asked, then closes. */
  enum Drain implements Command {
    INSTANCE
  }

  /** What the loop has seen of the socket. */
  private enum Ready {
    READ,
    WRITE,
    BOTH,
    LOST;

    private static final Ready[] OF = {null, READ, WRITE, BOTH};

    static Ready of(SelectionKey key) {
      return LostWatch.isLost(key) ? LOST : OF[(key.isReadable() ? 1 : 0) + (key.isWritable() ? 2 : 0)];
    }
  }

  private final ConnectionLogic logic;

  private ConnectionActor(ConnectionLogic logic) {
    this.logic = logic;
  }

  /**
   * To be spawned on the {@link SocketDispatcher}.
   *
   * @param channel connected, and the actor's from now on
   */
  static Behavior<Command> create(SocketChannel channel, ConnectionServices services) {
    Behavior<Object> connected =
        Behaviors.setup(
            context -> {
              context.setLoggerName(ConnectionActor.class);
              SelectorLoop.Handler onReady = key -> context.getSelf().tell(Ready.of(key));
              try {
                LoopExecutor executor = LoopExecutor.current();
                SelectorLoop loop = executor.loop();
                ClientSocket socket = new ClientSocket(loop, executor.chunkBytes(), channel, onReady);
                ConnectionTimers timers = new ConnectionTimers(loop, context.getSelf()::tell);
                AwaitedReplies replies = new AwaitedReplies(context);
                ConnectionLogic logic = ConnectionLogic.start(services, channel, socket, timers, replies);
                timers.every(services.config().timeouts().lookInterval(), new LostWatch(loop, channel)::look);
                return new ConnectionActor(logic).connected();
              } catch (IOException e) {
                SelectorLoop.closeQuietly(channel); // the client has gone again
                return Behaviors.stopped();
              } catch (Throwable e) { // nobody else would close it: an actor that has not begun is not told of its end
                SelectorLoop.closeQuietly(channel);
                throw e;
              }
            });
    return connected.narrow();
  }

  private Behavior<Object> connected() {
    return Behaviors.receive(Object.class)
        .onMessageEquals(Ready.LOST, Behaviors::stopped)
        .onMessage(Ready.class, ready -> handle(() -> onReady(ready)))
        .onMessageEquals(Drain.INSTANCE, () -> handle(logic::drain))
        .onMessage(ConnectionTimers.Due.class, due -> handle(() -> logic.onDue(due)))
        .onMessage(AwaitedReplies.Done.class, done -> handle(() -> logic.onDone(done)))
        .onAnyMessage(reply -> handle(() -> logic.onReply(reply)))
        .onSignal(Terminated.class, asked -> handle(() -> logic.onStopped(asked.getRef())))
        .onSignal(PostStop.class, stop -> onPostStop())
        .build();
  }

  /** A bug met by one connection ends it, and is told here, where it is known whose it is. What the JVM cannot survive is thrown on. */
  private Behavior<Object> handle(Runnable event) {
    try {
      event.run();
      return logic.isOver() ? Behaviors.stopped() : Behaviors.same();
    } catch (Throwable e) {
      logic.tellFailed("connection failed", e);
      if (!NonFatal.apply(e)) {
        throw e;
      }
      return Behaviors.stopped();
    }
  }

  private void onReady(Ready ready) {
    if (ready != Ready.READ) {
      logic.onWritable();
    }
    if (ready != Ready.WRITE) {
      logic.onReadable();
    }
  }

  private Behavior<Object> onPostStop() {
    try {
      logic.end();
    } catch (Throwable e) { // nobody hears of it otherwise
      logic.tellFailed("connection did not end as it should", e);
      if (!NonFatal.apply(e)) {
        throw e;
      }
    }
    return Behaviors.same();
  }
}
