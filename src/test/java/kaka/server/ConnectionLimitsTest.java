package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.produce;
import static kaka.server.Requesting.waiting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import kaka.broker.TestBroker;
import kaka.connection.ConnectionCounts.Limit;
import kaka.log.FaultyDisk;
import kaka.log.FaultyDisk.Operation;
import kaka.log.MemoryDisk;
import kaka.protocol.ErrorCode;
import kaka.protocol.Fetch;
import kaka.protocol.Hello;
import kaka.protocol.HelloReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.Request;
import kaka.protocol.Records;
import org.junit.jupiter.api.Test;

/** Clients that do nothing, too little or leave: what each limit does, and that everything they held is let go. */
class ConnectionLimitsTest {
  private static void hello(RawConnection connection) throws IOException {
    assertInstanceOf(HelloReply.class, connection.ask(new Hello(1, 1, "", "")));
  }

  /** The one that waits was there before the idle one, and is served after that was closed. */
  @Test
  void idleConnectionIsClosedAndOneThatWaitsIsNot() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.connections.idle-timeout = 1s");
        RawConnection waiting = new RawConnection(broker.address())) {
      waiting.ask(produce(ORDERS, "0"));
      waiting.send(waiting(ORDERS, 1));
      try (RawConnection idle = new RawConnection(broker.address())) {
        hello(idle);

        assertTrue(idle.isClosedByPeer());
      }
      assertEquals(1, broker.connectionCounts().of(Limit.IDLE));
      try (RawConnection other = new RawConnection(broker.address())) {
        other.send(produce(ORDERS, "1"));

        assertEquals(1, ((Records) waiting.receive()).entries().size());
      }
    }
  }

  /** What was asked before it is still answered, then it is told, then the connection ends; the half is not kept until then. */
  @Test
  void halfFrameIsToldAndClosed() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker broker = TestBroker.start("kaka.connections.frame-timeout = 200ms", disk)) {
      try (RawConnection connection = new RawConnection(broker.address())) {
        connection.ask(produce(ORDERS, "0"));
        try (FaultyDisk.Gate gate = disk.block(Operation.SYNC, "00.log")) {
          connection.send(produce(ORDERS, "1"));
          gate.awaitEntered();
          connection.send(Arrays.copyOf(produce(ORDERS, 1 << 20).toFrame(), 500_000));
          long held = produce(ORDERS, "1").batch().sizeBytes();
          TestBroker.awaitTrue("closed in its frame", () -> broker.connectionCounts().of(Limit.FRAME) == 1);
          TestBroker.awaitTrue("the half is let go", () -> broker.memory().usedBytes() == held);
        }
        assertEquals(new ProduceAck(1), connection.receive());
        assertError(ErrorCode.BAD_REQUEST, connection.receive());
        assertTrue(connection.isClosedByPeer());
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** A frame that was given up for want of memory must come to its end too. */
  @Test
  void frameThatIsPassedOverIsTimedToo() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.memory.max-bytes = 1MiB, kaka.connections.frame-timeout = 200ms");
        RawConnection connection = new RawConnection(broker.address())) {
      connection.send(Arrays.copyOf(produce(ORDERS, 3 << 20).toFrame(), 2 << 20));

      assertError(ErrorCode.MEMORY, connection.receive());
      assertError(ErrorCode.BAD_REQUEST, connection.receive());
      assertTrue(connection.isClosedByPeer());
    }
  }

  @Test
  void clientThatDoesNotReadIsCutOff() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.connections.write-timeout = 500ms")) {
      try (RawConnection filler = new RawConnection(broker.address())) {
        for (int i = 0; i < 16; i++) {
          filler.ask(produce(ORDERS, 4 << 20));
        }
      }
      broker.awaitBudgetEmpty();
      try (RawConnection deaf = new RawConnection(broker.address())) {
        deaf.send(new Fetch(ORDERS, 0, 64 << 20, 0, 0));

        TestBroker.awaitTrue("cut off", () -> broker.connectionCounts().of(Limit.WRITE) == 1);
        broker.awaitBudgetEmpty();
      }
    }
  }

  /** Its fetches would wait for a minute: without a look at the socket nobody would notice before. */
  @Test
  void clientGoneWithAFullWindowOfWaitingFetchesIsNoticed() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.connections.window-requests = 4");
        RawConnection stays = new RawConnection(broker.address())) {
      stays.ask(produce(ORDERS, "0"));
      long quiet = broker.actorCount();
      for (boolean reset : new boolean[] {false, true}) {
        RawConnection gone = new RawConnection(broker.address());
        gone.send(Requesting.frames(waiting(ORDERS, 9), waiting(ORDERS, 9), waiting(ORDERS, 9), waiting(ORDERS, 9)));
        TestBroker.awaitTrue("three stand in line", () -> broker.memory().usedBytes() == 3 * costOf(waiting(ORDERS, 9)));
        if (reset) {
          gone.socket().setSoLinger(true, 0);
        }

        gone.close();

        TestBroker.awaitTrue("gone, reset=" + reset, () -> broker.actorCount() <= quiet);
        broker.awaitBudgetEmpty();
        assertEquals(4, broker.connectionCounts().peakInFlight());
      }
    }
  }

  private static long costOf(Request request) {
    return RequestIntake.costOf(request.toFrame().length - 5);
  }

  @Test
  void addressWithAllItMayHaveIsRefusedUntilOneLeaves() throws Exception {
    try (LogCapture log = new LogCapture();
        TestBroker broker = TestBroker.start("kaka.connections.max-per-address = 2");
        RawConnection first = new RawConnection(broker.address())) {
      RawConnection second = new RawConnection(broker.address());
      hello(first);
      hello(second);
      for (int i = 0; i < 5; i++) {
        try (RawConnection third = new RawConnection(broker.address())) {
          assertTrue(third.isClosedByPeer());
        }
      }
      hello(first);
      long full = broker.actorCount();
      second.close();
      TestBroker.awaitTrue("one has left", () -> broker.actorCount() < full);

      try (RawConnection third = new RawConnection(broker.address())) {
        hello(third);
      }
      assertEquals(5, broker.connectionCounts().of(Limit.ADDRESS));
      List<String> told = log.lines().stream().filter(line -> line.contains("its address has as many as it may")).toList();
      assertEquals(1, told.size(), told.toString());
    }
  }
}
