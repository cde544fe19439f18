package kaka.server;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.stream.Materializer;
import akka.stream.scaladsl.TcpAttributes;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Tcp;
import java.time.Duration;

/**
 * Owns one client connection: its stream lives in this actor and ends with it, and this actor ends with the stream. What the
 * connection holds is let go in one place, the end of {@link ConnectionLogic}.
 *
 * <p>This actor's stop ends the socket's part of the stream too, at once. So the stage must end only when all of its answers
 * are with the kernel, and Akka's own write buffer, which would take answers before that, is switched off.
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

  /** A client that takes nothing of its answers for so long holds their memory for nothing. */
  private static final Duration STALL_TIMEOUT = Duration.ofSeconds(60);

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
    ConnectionStage stage = new ConnectionStage(services, socket.remoteAddress().toString(), STALL_TIMEOUT);
    ConnectionStage.Control control =
        socket
            .flow()
            .addAttributes(TcpAttributes.tcpWriteBufferSize(0)) // ask for more only when what was given is written
            .joinMat(Flow.fromGraph(stage), Keep.right())
            .run(materializer);
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
