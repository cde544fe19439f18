package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.produce;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.FaultyDisk.Operation;
import kaka.log.MemoryDisk;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Hello;
import kaka.protocol.HelloReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.ProducerIdentity;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.Test;

/** What a client that numbers its batches gets over a socket: ids, its first offsets again, and errors batch by batch. */
class NumberedBatchesTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  private static HelloReply hello(RawConnection connection, boolean wantsProducerId) throws Exception {
    return (HelloReply) connection.ask(new Hello(1, 1, "", "", wantsProducerId));
  }

  private static ProduceBatch batch(ProducerIdentity producer, int sequence) {
    return new ProduceBatch(
        ORDERS,
        new RecordBatchBuilder(64)
            .producer(producer.id(), producer.epoch(), sequence)
            .append(1000, null, new byte[] {1}, List.of())
            .build());
  }

  @Test
  void eachHelloThatAsksGetsAnIdThatNobodyHad() throws Exception {
    Set<Long> ids = new HashSet<>();
    for (int run = 0; run < 2; run++) {
      try (TestBroker broker = TestBroker.start("", disk);
          RawConnection connection = new RawConnection(broker.address())) {
        assertTrue(hello(connection, false).producer().isEmpty());
        for (int i = 0; i < 5; i++) {
          ProducerIdentity identity = hello(connection, true).producer().orElseThrow();
          assertEquals(0, identity.epoch());
          ids.add(identity.id());
        }
      }
    }
    assertEquals(10, ids.size());
  }

  /** No id without its block on disk; all else goes on. */
  @Test
  void helloIsRefusedWhereNoIdCanBeGiven() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      disk.failNext(Operation.SYNC, "producer-ids.tmp");

      assertError(ErrorCode.STORAGE, connection.ask(new Hello(1, 1, "", "", true)));

      assertError(ErrorCode.STORAGE, connection.ask(new Hello(1, 1, "", "", true)));
      assertTrue(hello(connection, false).producer().isEmpty());
      assertEquals(new ProduceAck(0), connection.ask(produce(ORDERS, "a")));
    }
  }

  /** All in one read, so in one message to the partition: each gets its own answer, in order. */
  @Test
  void repeatsGapsAndStrangersAreAnsweredOneByOne() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      ProducerIdentity producer = hello(connection, true).producer().orElseThrow();
      ProducerIdentity stranger = hello(connection, true).producer().orElseThrow();
      connection.ask(produce(ORDERS, "creates the topic"));

      connection.send(
          Requesting.frames(
              batch(producer, 0), batch(producer, 0), batch(producer, 2), batch(stranger, 5), produce(ORDERS, "plain"),
              batch(producer, 1)));

      assertEquals(new ProduceAck(1), connection.receive());
      assertEquals(new ProduceAck(1), connection.receive());
      ErrorReply gap = (ErrorReply) connection.receive();
      assertError(ErrorCode.OUT_OF_ORDER_SEQUENCE, gap);
      assertEquals("producer " + producer.id() + " epoch 0 sequence 2: 1 is next", gap.message());
      assertError(ErrorCode.UNKNOWN_PRODUCER, connection.receive());
      assertEquals(new ProduceAck(2), connection.receive());
      assertEquals(new ProduceAck(3), connection.receive());
      connection.send(batch(new ProducerIdentity(producer.id(), (short) 1), 0));
      assertEquals(new ProduceAck(4), connection.receive());
      assertError(ErrorCode.FENCED_PRODUCER, connection.ask(batch(producer, 2)));
      broker.awaitBudgetEmpty();
    }
  }

  @Test
  void repeatAfterARestartGetsItsFirstOffset() throws Exception {
    ProducerIdentity producer;
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      producer = hello(connection, true).producer().orElseThrow();
      assertEquals(new ProduceAck(0), connection.ask(batch(producer, 0)));
      assertEquals(new ProduceAck(1), connection.ask(produce(ORDERS, "plain")));
    }
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), connection.ask(batch(producer, 0)));
      assertEquals(new ProduceAck(2), connection.ask(batch(producer, 1)));
    }
  }
}
