package kaka.checks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import kaka.kafka.KafkaSocket;
import kaka.protocol.Fetch;
import kaka.protocol.Hello;
import kaka.record.TopicPartition;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Thousands of connections from one thread, which says on stdout what it sees and does the next thing at each line of stdin.
 *
 * <pre>
 * hello HOST PORT COUNT          all connect and say HELLO; "served N" once N did not grow for 3 s
 *                                line: half of those served leave; again "served N", of the others
 * trickle HOST PORT COUNT TOPIC native|kafka
 *                                all ask for 16 MiB and read one byte a second; "reading COUNT"; "answered" once each has the
 *                                length of its answer, or is lost; ends at a line, "received N lost N refused N", which is
 *                                who was answered with little
 * </pre>
 */
public final class Crowd {
  private static final int ANSWER_BYTES = 16 << 20;

  private final InetSocketAddress broker;
  private final List<Client> clients = new ArrayList<>();
  private final Selector selector = Selector.open();
  private int lost;

  private static final class Client {
    final ByteBuffer request;
    final ByteBuffer in = ByteBuffer.allocate(4096);
    SocketChannel channel;
    final ByteBuffer length = ByteBuffer.allocate(4);
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
      crowd.connect(count, new Hello(1, 1, "crowd", "").toFrame(), true);
      System.out.println("served " + crowd.awaitNoMore());
      System.in.read();
      crowd.halfLeave();
      System.out.println("served " + crowd.awaitNoMore() + " lost " + crowd.lost);
    } else {
      crowd.connect(count, fetch(args[4], args[5].equals("kafka")), false);
      crowd.trickle();
    }
    System.exit(0);
  }

  private static byte[] fetch(String topic, boolean isKafka) {
    if (!isKafka) {
      return new Fetch(new TopicPartition(topic, 0), 0, ANSWER_BYTES, 0, 0).toFrame();
    }
    FetchPartition partition = new FetchPartition().setPartition(0).setFetchOffset(0).setPartitionMaxBytes(ANSWER_BYTES);
    FetchRequestData request =
        new FetchRequestData()
            .setMaxWaitMs(0)
            .setMaxBytes(ANSWER_BYTES)
            .setSessionEpoch(-1)
            .setTopics(List.of(new FetchTopic().setTopic(topic).setPartitions(List.of(partition))));
    return KafkaSocket.frame(ApiKeys.FETCH, 12, 1, request);
  }

  private void connect(int count, byte[] request, boolean isReading) throws IOException {
    for (int i = 0; i < count; i++) {
      Client client = new Client(request);
      client.channel = SocketChannel.open();
      client.channel.setOption(java.net.StandardSocketOptions.SO_RCVBUF, 4096);
      client.channel.configureBlocking(false);
      boolean connected = client.channel.connect(broker);
      client.channel.register(selector, connected ? SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, client);
      clients.add(client);
      if (i % 50 == 49) {
        turn(10, isReading); // the kernel's queue of new connections is short
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
    while (clients.stream().anyMatch(client -> client.channel.isOpen() && client.request.hasRemaining())) {
      turn(100, false);
    }
    long received = 0;
    boolean isTold = false;
    System.out.println("reading " + clients.size());
    while (System.in.available() == 0) {
      for (Client client : clients) {
        received += readOne(client);
      }
      if (!isTold && clients.stream().noneMatch(client -> client.channel.isOpen() && client.length.hasRemaining())) {
        System.out.println("answered");
        isTold = true;
      }
      Thread.sleep(1000);
    }
    long refused =
        clients.stream().filter(client -> !client.length.hasRemaining() && client.length.getInt(0) < ANSWER_BYTES / 2).count();
    System.out.println("received " + received + " lost " + lost + " refused " + refused);
  }

  private int readOne(Client client) throws IOException {
    if (!client.channel.isOpen()) {
      return 0;
    }
    ByteBuffer one = ByteBuffer.allocate(1);
    int count;
    try {
      count = client.channel.read(one);
    } catch (IOException e) {
      count = -1;
    }
    if (count < 0) {
      lost++;
      client.channel.close();
    } else if (count == 1 && client.length.hasRemaining()) {
      client.length.put(one.get(0));
    }
    return Math.max(0, count);
  }
}
