package kaka.checks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import kaka.protocol.Fetch;
import kaka.protocol.Hello;
import kaka.record.TopicPartition;

/**
 * Thousands of connections from one thread, which says on stdout what it sees and does the next thing at each line of stdin.
 *
 * <pre>
 * hello HOST PORT COUNT          all connect and say HELLO; "served N" once N did not grow for 3 s
 *                                line: half of those served leave; again "served N", of the others
 * trickle HOST PORT COUNT TOPIC  all ask for 64 MiB and read one byte a second; "reading COUNT"; ends at a line
 * </pre>
 */
public final class Crowd {
  private final InetSocketAddress broker;
  private final List<Client> clients = new ArrayList<>();
  private final Selector selector = Selector.open();
  private int lost;

  private static final class Client {
    final ByteBuffer request;
    final ByteBuffer in = ByteBuffer.allocate(4096);
    SocketChannel channel;
    boolean served;
    boolean left;

    Client(byte[] request) {
      this.request = ByteBuffer.wrap(request);
    }
  }

  private Crowd(InetSocketAddress broker) throws IOException {
    this.broker = broker;
  }

  public static void main(String[] args) throws Exception {
    Crowd crowd = new Crowd(new InetSocketAddress(args[1], Integer.parseInt(args[2])));
    int count = Integer.parseInt(args[3]);
    if (args[0].equals("hello")) {
      crowd.connect(count, new Hello(1, 1, "crowd", "").toFrame());
      System.out.println("served " + crowd.awaitNoMore());
      System.in.read();
      crowd.halfLeave();
      System.out.println("served " + crowd.awaitNoMore() + " lost " + crowd.lost);
    } else {
      crowd.connect(count, new Fetch(new TopicPartition(args[4], 0), 0, 64 << 20, 0, 0).toFrame());
      crowd.trickle();
    }
    System.exit(0);
  }

  private void connect(int count, byte[] request) throws IOException {
    for (int i = 0; i < count; i++) {
      Client client = new Client(request);
      client.channel = SocketChannel.open();
      client.channel.setOption(java.net.StandardSocketOptions.SO_RCVBUF, 4096);
      client.channel.configureBlocking(false);
      boolean connected = client.channel.connect(broker);
      client.channel.register(selector, connected ? SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, client);
      clients.add(client);
      if (i % 50 == 49) {
        turn(10, true); // the kernel's queue of new connections is short
      }
    }
  }

  /** @param isReading whether answers are read, or left */
  private boolean turn(long timeoutMs, boolean isReading) throws IOException {
    boolean progress = false;
    selector.select(timeoutMs);
    for (SelectionKey key : selector.selectedKeys()) {
      Client client = (Client) key.attachment();
      try {
        if (key.isConnectable()) {
          client.channel.finishConnect();
          key.interestOps(SelectionKey.OP_WRITE);
        } else if (key.isWritable()) {
          client.channel.write(client.request);
          if (!client.request.hasRemaining()) {
            key.interestOps(isReading ? SelectionKey.OP_READ : 0);
          }
        } else if (key.isReadable()) {
          client.in.clear();
          if (client.channel.read(client.in) < 0) {
            throw new IOException("closed");
          }
          progress |= !client.served;
          client.served = true;
        }
      } catch (IOException e) {
        lost++;
        key.cancel();
        client.channel.close();
      }
    }
    selector.selectedKeys().clear();
    return progress;
  }

  private long awaitNoMore() throws IOException {
    long quietSinceNs = System.nanoTime();
    while (System.nanoTime() - quietSinceNs < 3_000_000_000L) {
      if (turn(100, true)) {
        quietSinceNs = System.nanoTime();
      }
    }
    return clients.stream().filter(client -> client.served && !client.left).count();
  }

  private void halfLeave() throws IOException {
    boolean leaves = false;
    for (Client client : clients) {
      if (client.served) {
        leaves = !leaves;
        if (leaves) {
          client.left = true;
          client.channel.close();
        }
      }
    }
  }

  private void trickle() throws IOException, InterruptedException {
    for (int i = 0; i < 100; i++) {
      turn(100, false);
    }
    ByteBuffer one = ByteBuffer.allocate(1);
    long received = 0;
    System.out.println("reading " + clients.size());
    while (System.in.available() == 0) {
      for (Client client : clients) {
        one.clear();
        received += Math.max(0, client.channel.read(one));
      }
      Thread.sleep(1000);
    }
    System.out.println("received " + received + " lost " + lost);
  }
}
