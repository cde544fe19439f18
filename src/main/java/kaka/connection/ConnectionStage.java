package kaka.connection;

import akka.Done;
import akka.japi.Pair;
import akka.stream.Attributes;
import akka.stream.FlowShape;
import akka.stream.Inlet;
import akka.stream.Outlet;
import akka.stream.stage.AbstractGraphStageWithMaterializedValue;
import akka.stream.stage.GraphStageLogic;
import akka.util.ByteString;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One connection: socket bytes in, socket bytes out. It cuts frames, keeps the window of requests, and answers in order.
 *
 * <p>The client speaks first. All whole frames of one socket read are decoded together, the produces among them go to their
 * partitions as one message each; at the window's edge the stage does not pull, so the socket is not read and TCP slows the
 * client down. It holds, charged to the memory budget: one chunk of the socket that waits for credit, or the frame that is
 * not whole yet; three slices and a read window of the one fetch that is being answered; a METADATA or DESCRIBE_TOPIC answer.
 * The window's batches are charged too, but to whom they are handed: the partition, which may outlive the connection. Where
 * there is no memory for a chunk that waits, its frames are refused. Not charged are the chunk that is on its way from
 * the socket (128 KiB), the copy of a frame that becomes a batch while it is made, on one of the stage threads, and small
 * answers, some 64 KiB of them at most.
 *
 * <p>Ends when the client has closed and every answer is out, when the output fails or does not move for long, after an
 * answer that says framing is lost, or drained. It does not look into partitions, decide about topics, or read the disk on
 * its own thread.
 */
final class ConnectionStage
    extends AbstractGraphStageWithMaterializedValue<FlowShape<ByteString, ByteString>, ConnectionStage.Control> {
  private final Inlet<ByteString> in = Inlet.create("Connection.in");
  private final Outlet<ByteString> out = Outlet.create("Connection.out");
  private final FlowShape<ByteString, ByteString> shape = FlowShape.of(in, out);
  private final ConnectionServices services;
  private final String peer;
  private final InetSocketAddress localAddress;
  private final Duration stallTimeout;

  /**
   * @param peer the client's address, for log lines
   * @param localAddress where the client connected to
   * @param stallTimeout how long one write may take before the client counts as stuck and is let go
   */
  ConnectionStage(ConnectionServices services, String peer, InetSocketAddress localAddress, Duration stallTimeout) {
    this.services = services;
    this.peer = peer;
    this.localAddress = localAddress;
    this.stallTimeout = stallTimeout;
  }

  /** The running stage, from outside. */
  interface Control {
    /** Answers what was asked, refuses what is asked from now on, and closes. */
    void drain();

    /** Ends it at once, if it has not ended. */
    void stop();

    /** Completed when the stage has ended and let go of everything. */
    CompletionStage<Done> ended();
  }

  @Override
  public FlowShape<ByteString, ByteString> shape() {
    return shape;
  }

  @Override
  public Pair<GraphStageLogic, Control> createLogicAndMaterializedValuePair(Attributes attributes) {
    CompletableFuture<Done> ended = new CompletableFuture<>();
    ConnectionLogic logic = new ConnectionLogic(shape, services, peer, localAddress, stallTimeout, ended);
    Control control =
        new Control() {
          @Override
          public void drain() {
            logic.drain();
          }

          @Override
          public void stop() {
            logic.stop();
          }

          @Override
          public CompletionStage<Done> ended() {
            return ended;
          }
        };
    return Pair.create(logic, control);
  }
}
