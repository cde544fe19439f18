package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import kaka.socket.SelectorLoop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The broker's end of a connection that is not read, on a loop of its own, against a client's blocking socket. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LostWatchTest {
  private final BlockingQueue<Boolean> seenLost = new LinkedBlockingQueue<>();
  private final Socket client = new Socket();
  private SelectorLoop loop;
  private SelectionKey key;
  private LostWatch watch;

  @BeforeEach
  void connect() throws Exception {
    loop = SelectorLoop.crashing("loop-under-test", 4096).start(() -> {});
    try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      client.connect(server.getLocalAddress());
      SocketChannel accepted = server.accept();
      accepted.configureBlocking(false);
      key = onLoop(() -> loop.register(accepted, 0, ready -> seenLost.add(LostWatch.isLost(ready))));
      watch = new LostWatch(loop, accepted);
    }
    client.getOutputStream().write(new byte[100_000]);
  }

  @AfterEach
  void close() throws Exception {
    loop.close();
    client.close();
  }

  private <T> T onLoop(Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    loop.execute(task);
    return task.get();
  }

  private int interest() throws Exception {
    return onLoop(key::interestOps);
  }

  /** Returns what the loop has seen of the socket, when all that the look has caused is done. */
  private List<Boolean> look() throws Exception {
    onLoop(
        () -> {
          watch.look();
          return null;
        });
    onLoop(() -> null);
    onLoop(() -> null);
    return List.copyOf(seenLost);
  }

  @Test
  void resetIsSeenThoughWhatTheClientSentIsNotRead() throws Exception {
    client.setSoLinger(true, 0);
    client.close();

    for (List<Boolean> seen = look(); seen.isEmpty(); seen = look()) {
      Thread.onSpinWait(); // until the kernel has handed it over
    }

    assertEquals(true, seenLost.take());
    assertEquals(0, interest());
  }

  @Test
  void clientThatIsThereIsNotLost() throws Exception {
    assertEquals(List.of(), look());
    assertEquals(0, interest());

    onLoop(() -> key.interestOps(SelectionKey.OP_WRITE));
    assertEquals(false, seenLost.take());
    onLoop(() -> key.interestOps(0));
    seenLost.clear();
    assertEquals(List.of(), look());
  }

  /** It may wait for its answers. */
  @Test
  void clientThatHasOnlyClosedItsSideIsNotLost() throws Exception {
    client.shutdownOutput();
    onLoop(() -> key.interestOps(SelectionKey.OP_READ));
    assertEquals(false, seenLost.take());
    SocketChannel channel = (SocketChannel) key.channel();
    onLoop(
        () -> {
          java.nio.ByteBuffer buffer = java.nio.ByteBuffer.allocate(100_000);
          while (channel.read(buffer.clear()) >= 0) { // until its end has come
            Thread.onSpinWait();
          }
          return key.interestOps(0);
        });
    seenLost.clear();

    assertEquals(List.of(), look());
    client.setSoLinger(true, 0);
    client.close();
    for (List<Boolean> seen = look(); seen.isEmpty(); seen = look()) {
      Thread.onSpinWait();
    }
    assertEquals(true, seenLost.take());
  }

  /** The read itself shows it. */
  @Test
  void socketThatIsReadIsLeftAlone() throws Exception {
    onLoop(() -> key.interestOps(SelectionKey.OP_READ));
    assertEquals(false, seenLost.take());
    int during =
        onLoop(
            () -> {
              watch.look();
              return key.interestOps();
            });

    assertEquals(SelectionKey.OP_READ, during);
  }
}
