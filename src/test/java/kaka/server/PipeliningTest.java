package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.fetch;
import static kaka.server.Requesting.frame;
import static kaka.server.Requesting.produce;
import static kaka.server.Requesting.waiting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import kaka.TestSeed;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.protocol.CreateTopicReply;
import kaka.protocol.DeleteTopic;
import kaka.protocol.DeleteTopicReply;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.Hello;
import kaka.protocol.HelloReply;
import kaka.protocol.Metadata;
import kaka.protocol.MetadataReply;
import kaka.protocol.MessageType;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.Records;
import kaka.protocol.Request;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Everything pipelined: answers, and effects, in the order of the requests. */
class PipeliningTest {
  private static final TopicPartition OTHER = new TopicPartition("other", 0);

  private TestBroker broker;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("");
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  @Test
  void answersKeepTheOrderOfAllKindsOfRequests() throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.send(everyKind());
      assertEveryKind(connection, 0);
    }
    broker.awaitBudgetEmpty();
  }

  /** The stream can arrive in any pieces; the first run's topic is gone again, so every run is the same. */
  @Test
  void everySplitOfTheStreamIsTheSame() throws Exception {
    long seed = TestSeed.get();
    System.out.println("everySplitOfTheStreamIsTheSame seed " + seed);
    Random random = new Random(seed);
    byte[] all = everyKind();
    for (int round = 0; round < 12; round++) {
      try (RawConnection connection = new RawConnection(broker.address())) {
        int most = round == 0 ? 1 : 1 + random.nextInt(300);
        for (int at = 0; at < all.length; ) {
          int size = Math.min(all.length - at, 1 + random.nextInt(most));
          connection.send(Arrays.copyOfRange(all, at, at + size));
          at += size;
        }
        assertEveryKind(connection, round);
      }
    }
    broker.awaitBudgetEmpty();
  }

  private static byte[] everyKind() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    add(out, produce(ORDERS, "a", "b"));
    add(out, produce(ORDERS, "c"));
    add(out, new DescribeTopic("orders"));
    out.writeBytes(frame(0x42, (byte) 1, (byte) 2));
    out.writeBytes(frame(MessageType.PRODUCE, (byte) 0, (byte) 9, (byte) 1));
    out.writeBytes(frame(MessageType.HELLO));
    add(out, fetch(ORDERS, 1));
    add(out, new OffsetForTime(ORDERS, OffsetForTime.LATEST));
    add(out, new CreateTopic("other", 3, Map.of()));
    add(out, produce(new TopicPartition("other", 2), "x"));
    add(out, new CreateTopic("other", 1, Map.of()));
    add(out, new Metadata(java.util.List.of("orders", "other", "none")));
    add(out, new DeleteTopic("other"));
    add(out, new DeleteTopic("other"));
    add(out, produce(OTHER, "y"));
    add(out, new DeleteTopic("other"));
    add(out, new kaka.protocol.Offsets("g", ORDERS));
    add(out, new Hello(1, 1, "me", "test"));
    add(out, new Hello(2, 3, "me", "test"));
    add(out, new kaka.protocol.Fetch(ORDERS, 3, 1000, 20, 1));
    add(out, new DeleteTopic("orders"));
    add(out, new Metadata(java.util.List.of()));
    return out.toByteArray();
  }

  private static void add(ByteArrayOutputStream out, Request request) {
    out.writeBytes(request.toFrame());
  }

  private static void assertEveryKind(RawConnection connection, int round) throws Exception {
    assertEquals(new ProduceAck(0), connection.receive(), "round " + round);
    assertEquals(new ProduceAck(2), connection.receive());
    DescribeTopicReply orders = (DescribeTopicReply) connection.receive();
    assertEquals(3, orders.partitions().get(0).highWatermark());
    assertError(ErrorCode.UNSUPPORTED, connection.receive());
    assertError(ErrorCode.BAD_REQUEST, connection.receive());
    assertError(ErrorCode.BAD_REQUEST, connection.receive());
    Records records = (Records) connection.receive();
    assertEquals(2, records.entries().size());
    assertEquals(1, records.baseOffset());
    assertEquals(new OffsetForTimeReply(3), connection.receive());
    assertEquals(3, ((CreateTopicReply) connection.receive()).partitions());
    assertEquals(new ProduceAck(0), connection.receive());
    assertError(ErrorCode.TOPIC_EXISTS, connection.receive());
    MetadataReply metadata = (MetadataReply) connection.receive();
    assertEquals(1, metadata.topics().get(0).partitions());
    assertEquals(3, metadata.topics().get(1).partitions());
    assertEquals(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code(), metadata.topics().get(2).error());
    assertInstanceOf(DeleteTopicReply.class, connection.receive());
    assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.receive());
    assertEquals(new ProduceAck(0), connection.receive());
    assertInstanceOf(DeleteTopicReply.class, connection.receive());
    assertEquals(new kaka.protocol.CommittedOffset(java.util.OptionalLong.empty()), connection.receive());
    assertInstanceOf(HelloReply.class, connection.receive());
    assertError(ErrorCode.UNSUPPORTED, connection.receive());
    assertEquals(new Records(3, java.util.List.of()), connection.receive());
    assertInstanceOf(DeleteTopicReply.class, connection.receive());
    assertEquals(java.util.List.of(), ((MetadataReply) connection.receive()).topics());
  }

  /** A fetch that waits holds back the answers behind it, but not what they are about. */
  @Test
  void produceBehindAWaitingFetchWakesIt() throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.send(Requesting.frames(produce(ORDERS, "a"), waiting(ORDERS, 1), produce(ORDERS, "b")));

      assertEquals(new ProduceAck(0), connection.receive());
      assertEquals(1, ((Records) connection.receive()).entries().size());
      assertEquals(new ProduceAck(1), connection.receive());
    }
  }

  /** Half-closed by the client with everything in flight: it is all answered, then the broker closes too. */
  @Test
  void halfCloseIsAnsweredThenClosed() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker slow = TestBroker.start("", disk)) {
      try (RawConnection connection = new RawConnection(slow.address())) {
        connection.ask(produce(ORDERS, "first"));
        try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.SYNC, ".log")) {
          connection.send(Requesting.frames(produce(ORDERS, "a"), produce(ORDERS, "b"), fetch(ORDERS, 0)));
          gate.awaitEntered();
          connection.socket().shutdownOutput();
        }
        assertEquals(new ProduceAck(1), connection.receive());
        assertEquals(new ProduceAck(2), connection.receive());
        assertEquals(3, ((Records) connection.receive()).entries().size());
        assertEquals(-1, connection.socket().getInputStream().read());
      }
      slow.awaitBudgetEmpty();
    }
  }

  /** More than the socket takes at once: the end of the stream comes behind the last byte, not in place of it. */
  @Test
  void halfCloseGetsAllOfALargeAnswer() throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      for (int i = 0; i < 8; i++) {
        connection.ask(produce(ORDERS, 4 << 20));
      }
      connection.send(new kaka.protocol.Fetch(ORDERS, 0, 64 << 20, 0, 0));
      connection.socket().shutdownOutput();

      assertEquals(8, ((Records) connection.receive()).entries().size());
      assertEquals(-1, connection.socket().getInputStream().read());
    }
    broker.awaitBudgetEmpty();
  }
}
