package kaka.checks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;

/**
 * Produces of one 100-byte record over so many connections, each with its window always full, from one thread: what the broker
 * acknowledges a second, and how long an ack takes.
 *
 * <pre>HOST PORT CONNECTIONS WINDOW SECONDS   prints: CONNECTIONS ACKS_PER_SECOND P50_US P99_US LEAST_SHARE</pre>
 */
public final class LoadCurve {
  private static final double WARM_UP_SHARE = 0.25;

  private final Selector selector = Selector.open();
  private final List<Client> clients = new ArrayList<>();
  private final byte[] frame;
  private long[] latenciesNs = new long[1 << 16];
  private int latencyCount;
  private boolean isMeasuring;

  private static final class Client {
    SocketChannel channel;
    ByteBuffer out = ByteBuffer.allocate(0);
    final ByteBuffer in = ByteBuffer.allocate(ProduceAck.FRAME_BYTES * 256);
    final ArrayDeque<Long> sentNs = new ArrayDeque<>();
    long answered;
    long measured;
  }

  private LoadCurve() throws IOException {
    RecordBatchBuilder builder = new RecordBatchBuilder(256);
    builder.append(0, null, new byte[100], List.of());
    frame = new Produce(new TopicPartition("curve", 0), builder.build()).toFrame();
  }

  public static void main(String[] args) throws Exception {
    InetSocketAddress broker = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    new LoadCurve().run(broker, Integer.parseInt(args[2]), Integer.parseInt(args[3]), Double.parseDouble(args[4]));
  }

  private void run(InetSocketAddress broker, int connections, int window, double seconds) throws IOException {
    for (int i = 0; i < connections; i++) {
      Client client = new Client();
      client.channel = SocketChannel.open(broker);
      client.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      client.channel.configureBlocking(false);
      client.channel.register(selector, SelectionKey.OP_READ, client);
      clients.add(client);
      send(client, window);
    }
    while (clients.stream().anyMatch(client -> client.answered == 0)) {
      turn(); // until every one is accepted
    }
    long startNs = System.nanoTime();
    long measureNs = startNs + (long) (seconds * WARM_UP_SHARE * 1e9);
    long endNs = startNs + (long) (seconds * 1e9);
    for (long now = startNs; now < endNs; now = System.nanoTime()) {
      isMeasuring = now >= measureNs;
      turn();
    }
    report(connections, seconds * (1 - WARM_UP_SHARE));
    for (Client client : clients) {
      client.channel.close();
    }
  }

  private void turn() throws IOException {
    selector.select(100);
    for (SelectionKey key : selector.selectedKeys()) {
      Client client = (Client) key.attachment();
      if (key.isReadable()) {
        receive(client);
      } else {
        write(client);
      }
    }
    selector.selectedKeys().clear();
  }

  private void send(Client client, int count) throws IOException {
    ByteBuffer more = ByteBuffer.allocate(client.out.remaining() + count * frame.length);
    more.put(client.out);
    for (int i = 0; i < count; i++) {
      more.put(frame);
      client.sentNs.add(System.nanoTime());
    }
    client.out = more.flip();
    write(client);
  }

  private void write(Client client) throws IOException {
    client.channel.write(client.out);
    client.channel.keyFor(selector).interestOps(
        client.out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
  }

  private void receive(Client client) throws IOException {
    if (client.channel.read(client.in) < 0) {
      throw new IOException("closed by the broker");
    }
    client.in.flip();
    int count = 0;
    for (; client.in.remaining() >= ProduceAck.FRAME_BYTES; count++) {
      if (client.in.getInt() != ProduceAck.FRAME_BYTES - 4) {
        throw new IOException("not an ack");
      }
      client.in.position(client.in.position() + ProduceAck.FRAME_BYTES - 4);
      long sentNs = client.sentNs.remove();
      client.answered++;
      if (isMeasuring) {
        client.measured++;
        if (latencyCount == latenciesNs.length) {
          latenciesNs = Arrays.copyOf(latenciesNs, latencyCount * 2);
        }
        latenciesNs[latencyCount++] = System.nanoTime() - sentNs;
      }
    }
    client.in.compact();
    send(client, count);
  }

  private void report(int connections, double seconds) {
    Arrays.sort(latenciesNs, 0, latencyCount);
    if (latencyCount == 0) {
      throw new IllegalStateException("no ack in " + seconds + " s");
    }
    long least = clients.stream().mapToLong(client -> client.measured).min().orElseThrow();
    System.out.printf(
        "%d %d %d %d %.2f%n",
        connections,
        Math.round(latencyCount / seconds),
        latenciesNs[latencyCount / 2] / 1000,
        latenciesNs[(int) (latencyCount * 0.99)] / 1000,
        least * connections / (double) latencyCount);
  }
}
