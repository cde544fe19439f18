package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.fetch;
import static kaka.server.Requesting.frames;
import static kaka.server.Requesting.produce;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import kaka.broker.TestBroker;
import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import kaka.client.Producer;
import kaka.client.ProducerConfig;
import kaka.client.ProducerRecord;
import kaka.client.RecordMetadata;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.Hello;
import kaka.protocol.HelloReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.Records;
import org.junit.jupiter.api.Test;

/** Quotas over the native protocol. What is muted here is so for ten minutes: no test waits for its end. */
class QuotaTest {
  /** What anybody sends is a second's worth, and the next byte has him wait for as long as there is. */
  private static final String PRODUCE =
      "kaka.quotas { produce-bytes-per-second = 50000, max-throttle = 10m, overrides = [{ client = slow, produce-bytes-per-second = 1 }] }";

  private static RawConnection connect(TestBroker broker, String clientId) throws Exception {
    RawConnection connection = new RawConnection(broker.address());
    assertInstanceOf(HelloReply.class, connection.ask(new Hello(1, 1, clientId, "test")));
    return connection;
  }

  private static long highWatermark(TestBroker broker) throws Exception {
    try (RawConnection connection = connect(broker, "observer")) {
      return ((DescribeTopicReply) connection.ask(new DescribeTopic("orders"))).partitions().get(0).highWatermark();
    }
  }

  /** Until the socket has taken nothing for very many tries: TCP holds the client up. */
  private static void flood(SocketChannel socket, byte[] frame) throws Exception {
    socket.configureBlocking(false);
    ByteBuffer next = ByteBuffer.wrap(frame);
    for (int full = 0; full < 200_000; ) {
      if (!next.hasRemaining()) {
        next.rewind();
      }
      full = socket.write(next) == 0 ? full + 1 : 0;
    }
    socket.configureBlocking(true);
  }

  /** Its answer comes at once, then its socket is not read: of all that follows nothing is stored, nothing kept in memory. */
  @Test
  void throttledProducerIsAnsweredAndThenNotRead() throws Exception {
    try (TestBroker broker = TestBroker.start(PRODUCE);
        SocketChannel flood = SocketChannel.open(broker.address())) {
      flood.write(ByteBuffer.wrap(new Hello(1, 1, "slow", "test").toFrame()));
      flood(flood, produce(ORDERS, 1000).toFrame());

      ByteBuffer answers = ByteBuffer.allocate(1 << 16);
      int helloBytes = 0;
      while (helloBytes == 0 || answers.position() < helloBytes + ProduceAck.FRAME_BYTES) {
        assertTrue(flood.read(answers) > 0);
        helloBytes = answers.position() < 4 ? 0 : 4 + answers.getInt(0);
      }
      assertEquals(helloBytes + ProduceAck.FRAME_BYTES, answers.position(), "one ack and no more");
      assertEquals(0, broker.memory().usedBytes());
      assertEquals(1, highWatermark(broker));
    }
  }

  /** Each connection finds out with its next request; others, and what is no produce, are as fast as ever. */
  @Test
  void connectionsOfOneClientShareItsRate() throws Exception {
    try (TestBroker broker = TestBroker.start(PRODUCE);
        RawConnection first = connect(broker, "loader");
        RawConnection second = connect(broker, "loader");
        RawConnection other = connect(broker, "other")) {
      assertEquals(new ProduceAck(0), first.ask(produce(ORDERS, 20_000)));
      assertEquals(new ProduceAck(1), first.ask(produce(ORDERS, 20_000)));
      assertEquals(new ProduceAck(2), second.ask(produce(ORDERS, 2_000_000)));
      second.send(produce(ORDERS, 1));
      assertEquals(new ProduceAck(3), first.ask(produce(ORDERS, 1)), "it has not heard yet");
      first.send(produce(ORDERS, 1));

      assertEquals(new ProduceAck(4), other.ask(produce(ORDERS, 20_000)));
      assertInstanceOf(Records.class, other.ask(fetch(ORDERS, 4)));
      assertEquals(5, highWatermark(broker), "what the other two sent waits");
      broker.stop().toCompletableFuture().join(); // nobody is waited for
    }
  }

  /** A stop does not wait for what clients owe, nor do they: what was read is refused. */
  @Test
  void stopRefusesWhatIsHeldBack() throws Exception {
    try (TestBroker broker = TestBroker.start(PRODUCE);
        RawConnection slow = connect(broker, "slow")) {
      slow.send(frames(produce(ORDERS, 1000), produce(ORDERS, 1000)));
      assertEquals(new ProduceAck(0), slow.receive());
      broker.stop();
      assertError(ErrorCode.SHUTTING_DOWN, slow.receive());
    }
  }

  /** Without HELLO a client is called nothing; addresses tell apart whoever calls himself what. */
  @Test
  void clientsOfOneAddressShareItsRateWhateverTheyAreCalled() throws Exception {
    String hocon = "kaka.quotas { per = address, produce-bytes-per-second = 1000, max-throttle = 10m }";
    try (TestBroker broker = TestBroker.start(hocon);
        RawConnection first = connect(broker, "one");
        RawConnection second = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), first.ask(produce(ORDERS, 1_000_000)));
      assertEquals(new ProduceAck(1), second.ask(produce(ORDERS, 1)));
      second.send(produce(ORDERS, 1));
      first.send(produce(ORDERS, 1));

      assertEquals(2, highWatermark(broker));
    }
  }

  /** A fetch's answer has a second's worth at most; what a batch has beyond it is paid for afterwards. */
  @Test
  void answersAreCutToTheRateAndTheConnectionIsMuted() throws Exception {
    String hocon =
        "kaka.quotas { fetch-bytes-per-second = 10000, max-throttle = 10m, overrides = [{ client = observer, fetch-bytes-per-second = 0 }] }";
    try (TestBroker broker = TestBroker.start(hocon)) {
      try (RawConnection producer = connect(broker, "producer")) {
        for (int i = 0; i < 40; i++) {
          assertEquals(new ProduceAck(i), producer.ask(produce(ORDERS, 900)));
        }
        producer.ask(produce(ORDERS, 1_000_000));
      }
      try (RawConnection consumer = connect(broker, "consumer");
          RawConnection observer = connect(broker, "observer")) {
        int all = ((Records) observer.ask(fetch(ORDERS, 0))).entries().size();
        int some = ((Records) consumer.ask(fetch(ORDERS, 0))).entries().size();
        assertEquals(41, all);
        assertTrue(some >= 5 && some <= 11, some + " records");

        Records large = (Records) consumer.ask(fetch(ORDERS, 40));
        assertEquals(1, large.entries().size(), "one record at least");
        consumer.send(produce(ORDERS, 1));
        assertEquals(41, highWatermark(broker), "who has fetched too much waits with all he does");
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** kaka's own producer, held to 200 kB/s for twice a second's worth: everything is there, once, in its order. */
  @Test
  void throttledProducerLosesNothing() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.quotas.produce-bytes-per-second = 200000");
        KakaClient client = KakaClient.connect(ClientConfig.of("127.0.0.1:" + broker.address().getPort()));
        Producer producer = client.producer(ProducerConfig.defaults().withBatchBytes(4096))) {
      List<CompletableFuture<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        sent.add(producer.send(ProducerRecord.of("orders", ByteBuffer.allocate(1000).putInt(i).array())));
      }
      for (int i = 0; i < 400; i++) {
        assertEquals(i, sent.get(i).join().offset());
      }
      assertEquals(400, highWatermark(broker));
    }
  }
}
