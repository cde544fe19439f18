package kaka.server;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.stream.Materializer;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.Tcp;

/**
 * Owns one client connection: its stream lives in this actor and ends with it, and this actor ends with the stream. What the
 * connection holds is let go in one place, the end of {@link ConnectionLogic}.
 */
final class ConnectionActor {
  sealed interface Command {}

  /** Answers what was asked, then closes. */
  enum Drain implements Command {
    INSTANCE
  }

  private enum Ended implements Command {
    INSTANCE
  }

  private final ConnectionStage.Control control;

  private ConnectionActor(ConnectionStage.Control control) {
    this.control = control;
  }

  static Behavior<Command> create(Tcp.IncomingConnection socket, ConnectionServices services) {
    return Behaviors.setup(context -> new ConnectionActor(run(context, socket, services)).connected());
  }

  private static ConnectionStage.Control run(
      ActorContext<Command> context, Tcp.IncomingConnection socket, ConnectionServices services) {
    Materializer materializer = Materializer.createMaterializer(context);
    ConnectionStage stage = new ConnectionStage(services, socket.remoteAddress().toString());
    ConnectionStage.Control control = socket.handleWith(Flow.fromGraph(stage), materializer);
    context.pipeToSelf(control.ended(), (done, failure) -> Ended.INSTANCE);
    return control;
  }

  private Behavior<Command> connected() {
    return Behaviors.receive(Command.class)
        .onMessageEquals(Drain.INSTANCE, this::onDrain)
        .onMessageEquals(Ended.INSTANCE, Behaviors::stopped)
        .onAnyMessage(
            command -> {
              throw new IllegalStateException("not in this state: " + command);
            })
        .build();
  }

  private Behavior<Command> onDrain() {
    control.drain();
    return Behaviors.same();
  }
}
