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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One connection: socket bytes in, socket bytes out. It cuts frames, keeps the window of requests, and answers in order.
 *
 * <p>The client speaks first. All whole frames of one socket read are decoded together, the produces among them go to their
 * partitions as one message each; at the window's edge the stage does not pull, so the socket is not read and TCP slows the
 * client down. Akka has read one chunk ahead of the last pull by then, so a client that leaves with its window full is
 * noticed at once, unless it has sent more than that. The stage holds, charged to the memory budget: the frame
 * that is not whole yet; slices and a read window of the one fetch that is being answered, see {@link AnswerMemory}; what was asked behind it, and
 * METADATA or DESCRIBE_TOPIC answers until they are written. The window's batches are charged too, but to whom they are handed:
 * the partition, which may outlive the connection. Not charged, but bounded by the number of connections: two chunks each, one
 * that waits for credit and the one read ahead ({@code akka.io.tcp.direct-buffer-size}), as much as one of them for a write that
 * the client does not take, and small answers, some 16 KiB of them. The copy of a frame that becomes a batch while it is made is
 * on one of the stage threads, so there are as many as these.
 *
 * <p>Ends when the client has closed and every answer is out, when the output fails, after an answer that says framing is lost,
 * drained, or stuck for longer than {@link ConnectionTimeouts} allow. It does not look into partitions, decide about topics, or
 * read the disk on its own thread.
 */
final class ConnectionStage
    extends AbstractGraphStageWithMaterializedValue<FlowShape<ByteString, ByteString>, ConnectionStage.Control> {
  private final Inlet<ByteString> in = Inlet.create("Connection.in");
  private final Outlet<ByteString> out = Outlet.create("Connection.out");
  private final FlowShape<ByteString, ByteString> shape = FlowShape.of(in, out);
  private final ConnectionServices services;
  private final InetSocketAddress remoteAddress;
  private final InetSocketAddress localAddress;

  /**
   * @param remoteAddress the client's
   * @param localAddress where the client connected to
   */
  ConnectionStage(ConnectionServices services, InetSocketAddress remoteAddress, InetSocketAddress localAddress) {
    this.services = services;
    this.remoteAddress = remoteAddress;
    this.localAddress = localAddress;
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
    ConnectionLogic logic = new ConnectionLogic(shape, services, remoteAddress, localAddress, ended);
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
