package kaka.connection;

import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.stream.Materializer;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.Tcp;

/**
 * Owns one client connection: this actor ends with the connection's stage, and the stage with this actor. What the connection
 * holds is let go in one place, the end of {@link ConnectionLogic}.
 *
 * <p>The stream runs in the system's materializer, not in one of this actor's: that would end the socket's part of the stream
 * together with the stage, and with it what Akka has not written yet of the last answers.
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
    ConnectionStage stage = new ConnectionStage(services, socket.remoteAddress(), socket.localAddress());
    Materializer materializer = Materializer.matFromSystem(context.getSystem());
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
        .onSignal(PostStop.class, stop -> onPostStop())
        .build();
  }

  private Behavior<Command> onDrain() {
    control.drain();
    return Behaviors.same();
  }

  private Behavior<Command> onPostStop() {
    control.stop();
    return Behaviors.same();
  }
}
