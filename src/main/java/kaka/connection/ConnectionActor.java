package kaka.connection;

import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.Behaviors;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import kaka.socket.SelectorLoop;

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
    BOTH;

    private static final Ready[] OF = {null, READ, WRITE, BOTH};

    static Ready of(SelectionKey key) {
      return OF[(key.isReadable() ? 1 : 0) + (key.isWritable() ? 2 : 0)];
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
            context ->
                Behaviors.withTimers(
                    timers -> {
                      context.setLoggerName(ConnectionActor.class);
                      SelectorLoop.Handler onReady = key -> context.getSelf().tell(Ready.of(key));
                      try {
                        ClientSocket socket = new ClientSocket(LoopExecutor.current(), channel, onReady);
                        ConnectionTimers due = new ConnectionTimers(timers);
                        AwaitedReplies replies = new AwaitedReplies(context);
                        return new ConnectionActor(ConnectionLogic.start(services, channel, socket, due, replies)).connected();
                      } catch (IOException e) {
                        SelectorLoop.closeQuietly(channel); // the client has gone again
                        return Behaviors.stopped();
                      } catch (Throwable e) { // nobody else would close it: an actor that has not begun is not told of its end
                        SelectorLoop.closeQuietly(channel);
                        throw e;
                      }
                    }));
    return connected.narrow();
  }

  private Behavior<Object> connected() {
    return Behaviors.receive(Object.class)
        .onMessage(Ready.class, this::onReady)
        .onMessageEquals(Drain.INSTANCE, this::onDrain)
        .onMessage(ConnectionTimers.Due.class, this::onDue)
        .onMessage(AwaitedReplies.Done.class, this::onDone)
        .onAnyMessage(this::onReply)
        .onSignal(Terminated.class, this::onTerminated)
        .onSignal(PostStop.class, stop -> onPostStop())
        .build();
  }

  private Behavior<Object> onReady(Ready ready) {
    if (ready != Ready.READ) {
      logic.onWritable();
    }
    if (ready != Ready.WRITE) {
      logic.onReadable();
    }
    return next();
  }

  private Behavior<Object> onDrain() {
    logic.drain();
    return next();
  }

  private Behavior<Object> onDue(ConnectionTimers.Due due) {
    logic.onDue(due);
    return next();
  }

  private Behavior<Object> onDone(AwaitedReplies.Done done) {
    logic.onDone(done);
    return next();
  }

  private Behavior<Object> onReply(Object reply) {
    logic.onReply(reply);
    return next();
  }

  private Behavior<Object> onTerminated(Terminated asked) {
    logic.onStopped(asked.getRef());
    return next();
  }

  private Behavior<Object> next() {
    return logic.isOver() ? Behaviors.stopped() : Behaviors.same();
  }

  private Behavior<Object> onPostStop() {
    logic.end();
    return Behaviors.same();
  }
}
