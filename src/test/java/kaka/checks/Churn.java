package kaka.checks;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import kaka.protocol.Fetch;
import kaka.protocol.Produce;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;

/**
 * Many short connections, in turn: one that closes at once, one that leaves half a frame, one that produces and resets before
 * the ack, one that produces, takes the ack, and leaves a window of waiting fetches.
 *
 * <pre>HOST PORT CONNECTIONS</pre>
 */
public final class Churn {
  private static final int THREADS = 8;
  private static final TopicPartition TOPIC = new TopicPartition("churn", 0);

  private final InetSocketAddress broker;
  private final int count;
  private final AtomicInteger next = new AtomicInteger();
  private final byte[] produce = new Produce(TOPIC, batch()).toFrame();
  private final byte[] waiting = new Fetch(TOPIC, Long.MAX_VALUE, 1 << 20, 300_000, 1).toFrame();

  private Churn(InetSocketAddress broker, int count) {
    this.broker = broker;
    this.count = count;
  }

  public static void main(String[] args) throws Exception {
    new Churn(new InetSocketAddress(args[0], Integer.parseInt(args[1])), Integer.parseInt(args[2])).run();
  }

  private static RecordBatch batch() {
    RecordBatchBuilder builder = new RecordBatchBuilder(256);
    builder.append(0, null, new byte[100], List.of());
    return builder.build();
  }

  private void run() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Thread thread = new Thread(this::comeAndGo, "churn-" + t);
      thread.setUncaughtExceptionHandler((failed, e) -> {
        synchronized (failures) {
          failures.add(e);
        }
      });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw new IllegalStateException(failures.size() + " threads failed", failures.get(0));
    }
  }

  private void comeAndGo() {
    for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
      try (Socket socket = new Socket()) {
        // Many client addresses, or its ports in TIME_WAIT would run out.
        socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) (1 + i % 200)}), 0));
        socket.setSoTimeout(60_000);
        socket.connect(broker, 60_000);
        behave(socket, i % 4);
      } catch (IOException e) {
        throw new IllegalStateException("connection " + i, e);
      }
    }
  }

  private void behave(Socket socket, int how) throws IOException {
    switch (how) {
      case 0 -> { }
      case 1 -> socket.getOutputStream().write(Arrays.copyOf(produce, produce.length / 2));
      case 2 -> {
        socket.getOutputStream().write(produce);
        socket.setSoLinger(true, 0);
      }
      default -> {
        socket.getOutputStream().write(produce);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.skipNBytes(in.readInt());
        for (int i = 0; i < 64; i++) {
          socket.getOutputStream().write(waiting);
        }
      }
    }
  }
}
