package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import kaka.TestSeed;
import kaka.socket.SelectorLoop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The broker's end of a connection on a loop of its own, against a client's blocking socket. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientSocketTest {
  private static final int LARGE_BYTES = 16 << 20; // more than the kernel takes

  private final BlockingQueue<Throwable> troubles = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> readyOps = new LinkedBlockingQueue<>();
  private final SelectorLoop loop = loop();
  private final Socket client = new Socket();
  private ClientSocket socket;

  private SelectorLoop loop() {
    try {
      return SelectorLoop.goingOn(
              run -> {
                Thread thread = new Thread(run, "loop-under-test");
                thread.setUncaughtExceptionHandler((of, e) -> troubles.add(e));
                return thread;
              },
              4096)
          .start(() -> {});
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @BeforeEach
  void connect() throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      client.connect(server.getLocalAddress());
      SocketChannel accepted = server.accept();
      accepted.setOption(StandardSocketOptions.SO_SNDBUF, 4096);
      socket =
          onLoop(
              () ->
                  new ClientSocket(
                      loop,
                      4096,
                      accepted,
                      key -> {
                        readyOps.add(key.readyOps());
                        if (key.isReadable()) {
                          socket.wantInput(false);
                        }
                        if (key.isWritable()) {
                          writeOn();
                        }
                      }));
    }
  }

  private void writeOn() {
    try {
      socket.writeOn();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    loop.close();
    assertTrue(troubles.isEmpty(), troubles.toString());
  }

  private <T> T onLoop(Callable<T> call) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    loop.execute(
        () -> {
          try {
            result.complete(call.call());
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        });
    try {
      return result.get();
    } catch (java.util.concurrent.ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }

  private static byte[] randomBytes(int size) {
    byte[] bytes = new byte[size];
    new Random(TestSeed.get()).nextBytes(bytes);
    return bytes;
  }

  private void writes(byte[] bytes, boolean isLent) throws Exception {
    onLoop(
        () -> {
          socket.write(ByteBuffer.wrap(bytes), isLent);
          assertTrue(socket.isWriting(), "the kernel cannot have taken all of it");
          assertThrows(IllegalStateException.class, () -> socket.write(ByteBuffer.allocate(1), false));
          return null;
        });
  }

  /** Its owner uses the array again at once. */
  @Test
  void lentArrayIsCopiedAsFarAsItIsNotTaken() throws Exception {
    byte[] bytes = randomBytes(LARGE_BYTES);
    byte[] lent = bytes.clone();

    writes(lent, true);
    Arrays.fill(lent, (byte) 0);

    assertArrayEquals(bytes, client.getInputStream().readNBytes(LARGE_BYTES));
    assertFalse(onLoop(socket::isWriting));
  }

  /** So a slow client is told from one that takes nothing. */
  @Test
  void whatTheKernelHasTakenOfALongWriteGrows() throws Exception {
    byte[] bytes = randomBytes(LARGE_BYTES);
    writes(bytes, false);
    long before = onLoop(socket::takenBytes);
    assertTrue(before < LARGE_BYTES);

    client.getInputStream().readNBytes(LARGE_BYTES);
    onLoop(() -> null);

    assertEquals(LARGE_BYTES, onLoop(socket::takenBytes));
  }

  /** It is shown by what must not be done: what is changed before the kernel has it arrives changed. */
  @Test
  void arrayThatIsNotLentIsWrittenWithoutACopy() throws Exception {
    byte[] given = new byte[LARGE_BYTES];

    writes(given, false);
    given[LARGE_BYTES - 1] = 1;
    onLoop(() -> null); // the loop's thread sees it

    byte[] arrived = client.getInputStream().readNBytes(LARGE_BYTES);
    assertEquals(1, arrived[LARGE_BYTES - 1]);
    assertFalse(onLoop(socket::isWriting));
  }

  /** Neither copied nor lost: what the kernel does not take at once is written from it later. */
  @Test
  void bufferOutsideTheHeapIsWrittenWithoutACopy() throws Exception {
    byte[] bytes = randomBytes(LARGE_BYTES);
    ByteBuffer direct = ByteBuffer.allocateDirect(LARGE_BYTES).put(bytes).flip();

    onLoop(
        () -> {
          socket.write(direct.duplicate(), false);
          assertTrue(socket.isWriting(), "the kernel cannot have taken all of it");
          return null;
        });
    direct.put(LARGE_BYTES - 1, (byte) ~bytes[LARGE_BYTES - 1]);
    onLoop(() -> null); // the loop's thread sees it

    byte[] arrived = client.getInputStream().readNBytes(LARGE_BYTES);
    bytes[LARGE_BYTES - 1] = (byte) ~bytes[LARGE_BYTES - 1];
    assertArrayEquals(bytes, arrived);
    assertFalse(onLoop(socket::isWriting));
  }

  /** And once all is out, nothing is waited for any more. */
  @Test
  void partOfAnArrayIsWritten() throws Exception {
    byte[] bytes = randomBytes(10_000);

    onLoop(
        () -> {
          socket.write(ByteBuffer.wrap(bytes, 100, 5000).slice(), false);
          return null;
        });
    byte[] arrived = client.getInputStream().readNBytes(5000);

    assertArrayEquals(Arrays.copyOfRange(bytes, 100, 5100), arrived);
    assertFalse(onLoop(socket::isWriting));
    readyOps.clear();
    onLoop(() -> null);
    onLoop(() -> null);
    assertTrue(readyOps.isEmpty(), "each round looks at the sockets");
  }

  @Test
  void readsOneChunkAtATimeAndThenNothing() throws Exception {
    byte[] bytes = randomBytes(6000);
    client.getOutputStream().write(bytes);
    byte[] arrived = {};
    while (arrived.length < bytes.length) {
      onLoop(
          () -> {
            socket.wantInput(true);
            return null;
          });
      readyOps.take();
      byte[] chunk = onLoop(() -> socket.read(4096));
      assertTrue(chunk.length <= 4096, "a buffer's worth");
      int before = arrived.length;
      arrived = Arrays.copyOf(arrived, before + chunk.length);
      System.arraycopy(chunk, 0, arrived, before, chunk.length);
    }

    assertArrayEquals(bytes, arrived);
    assertEquals(0, onLoop(() -> socket.read(4096)).length);
    assertFalse(onLoop(socket::isInputOver));
  }

  /** A socket at its end can always be read: asked for once more it would keep the loop busy for nothing. */
  @Test
  void endOfInputIsSeenOnceAndNotWaitedForAgain() throws Exception {
    client.shutdownOutput();
    onLoop(
        () -> {
          socket.wantInput(true);
          return null;
        });
    readyOps.take();

    assertEquals(0, onLoop(() -> socket.read(4096)).length);

    assertTrue(onLoop(socket::isInputOver));
    onLoop(
        () -> {
          socket.wantInput(true);
          return null;
        });
    onLoop(() -> null);
    onLoop(() -> null);
    assertTrue(readyOps.isEmpty(), "each round looks at the sockets");
  }

  @Test
  void resetOfTheClientIsAnException() throws Exception {
    client.setSoLinger(true, 0);
    client.close();
    onLoop(
        () -> {
          socket.wantInput(true);
          return null;
        });
    readyOps.take();

    assertThrows(IOException.class, () -> onLoop(() -> socket.read(4096)));
    onLoop(
        () -> {
          socket.close();
          socket.wantInput(true); // without effect, and no exception
          return null;
        });
  }

  @Test
  void closeIsAnEndAfterWhatWasWritten() throws Exception {
    onLoop(
        () -> {
          socket.write(ByteBuffer.wrap(new byte[] {7}), false);
          socket.endOutput();
          socket.endOutput();
          socket.close();
          return null;
        });
    assertArrayEquals(new byte[] {7}, client.getInputStream().readAllBytes());
  }

  @Test
  void resetIsSeenByTheClient() throws Exception {
    onLoop(
        () -> {
          socket.reset();
          return null;
        });
    assertThrows(java.net.SocketException.class, () -> client.getInputStream().read());
  }
}
