package kaka.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between a client and a broker, and cuts each connection after a number of bytes that chance decides, to the broker or
 * from it: in the middle of a request, after one that was done, or between its answer's bytes.
 */
final class CuttingProxy implements AutoCloseable {
  private final ServerSocket server;
  private final int brokerPort;
  private final Random random;
  private final int maxBytes;
  private final AtomicInteger cuts = new AtomicInteger();
  private volatile boolean harmless;

  CuttingProxy(int brokerPort, int maxBytes, Random random) throws IOException {
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.brokerPort = brokerPort;
    this.maxBytes = maxBytes;
    this.random = random;
    start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** How many connections it has cut. */
  int cuts() {
    return cuts.get();
  }

  /** From now on new connections live. */
  void stopCutting() {
    harmless = true;
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = server.accept();
      Socket broker = new Socket(InetAddress.getLoopbackAddress(), brokerPort);
      AtomicLong left = new AtomicLong(harmless ? Long.MAX_VALUE : 100 + random.nextInt(maxBytes));
      boolean isCutOnTheWayBack = random.nextBoolean();
      start(() -> copy(client, broker, isCutOnTheWayBack ? new AtomicLong(Long.MAX_VALUE) : left));
      // Answers are 13 bytes where requests are a kilobyte or so.
      AtomicLong leftBack = new AtomicLong(harmless ? Long.MAX_VALUE : 100 + left.get() / 50);
      start(() -> copy(broker, client, isCutOnTheWayBack ? leftBack : new AtomicLong(Long.MAX_VALUE)));
    }
  }

  private void copy(Socket from, Socket to, AtomicLong left) throws IOException {
    byte[] bytes = new byte[16 * 1024];
    try (from; to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int size = in.read(bytes); size >= 0; size = in.read(bytes)) {
        int passed = (int) Math.min(size, left.get());
        out.write(bytes, 0, passed);
        left.addAndGet(-passed);
        if (left.get() == 0) {
          cuts.incrementAndGet();
          return;
        }
      }
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // one side or the other was closed
              }
            },
            "cutting-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
