package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.fetch;
import static kaka.server.Requesting.produce;
import static kaka.server.Requesting.waiting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.Done;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import kaka.broker.TestBroker;
import kaka.connection.ConnectionCounts.Limit;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Hello;
import kaka.protocol.HelloReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.Records;
import kaka.protocol.Request;
import kaka.protocol.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections that come and go, the gate in front of them, and a stop in the middle of everything. */
class LifeCycleTest {
  @TempDir Path directory;

  @Test
  void connectionBeyondTheLimitIsServedWhenOneLeaves() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.connections.max = 2");
        RawConnection second = new RawConnection(broker.address())) {
      RawConnection first = new RawConnection(broker.address());
      hello(first);
      hello(second);
      long full = broker.actorCount();
      try (RawConnection third = new RawConnection(broker.address());
          RawConnection fourth = new RawConnection(broker.address())) {
        third.send(new Hello(1, 1, "third", ""));
        hello(second);
        hello(second); // the broker is alive, and had time to accept, if it wanted to
        assertEquals(full, broker.actorCount(), "not even accepted");

        first.close();

        assertInstanceOf(HelloReply.class, third.receive());
        second.close();
        hello(fourth);
      }
    }
  }

  private static void hello(RawConnection connection) throws IOException {
    assertInstanceOf(HelloReply.class, connection.ask(new Hello(1, 1, "", "")));
  }

  /** Thousands come and go, politely or not: actors and charges are exactly what they were, and no descriptor or thread is left. */
  @Test
  void shortConnectionsLeaveNothingBehind() throws Exception {
    UnixOperatingSystemMXBean process = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    try (TestBroker broker = TestBroker.start("")) {
      try (RawConnection first = new RawConnection(broker.address())) {
        first.ask(produce(ORDERS, "the topic is there"));
      }
      comeAndGo(broker, 200); // what is made on first use is made
      broker.awaitBudgetEmpty();
      long actors = actorsWithoutAnyClient(broker);
      int threads = ManagementFactory.getThreadMXBean().getThreadCount();
      long descriptors = process.getOpenFileDescriptorCount();

      comeAndGo(broker, 5000);

      broker.awaitBudgetEmpty();
      assertEquals(actors, actorsWithoutAnyClient(broker));
      TestBroker.awaitTrue("descriptors " + descriptors, () -> process.getOpenFileDescriptorCount() <= descriptors);
      assertTrue(ManagementFactory.getThreadMXBean().getThreadCount() <= threads + 2);
      assertEquals(64, broker.connectionCounts().peakInFlight());
      for (Limit limit : Limit.values()) {
        assertEquals(0, broker.connectionCounts().of(limit), limit.toString());
      }
    }
  }

  /** How many there are when everything of the clients that have left is gone. */
  private static long actorsWithoutAnyClient(TestBroker broker) {
    TestBroker.awaitTrue(
        "no connection is left",
        () -> broker.actorTree().lines().anyMatch(line -> line.contains("> listener ") && line.endsWith(" no children")));
    return broker.actorCount();
  }

  private static void comeAndGo(TestBroker broker, int count) throws IOException {
    byte[] window = Requesting.frames(java.util.Collections.nCopies(64, waiting(ORDERS, Long.MAX_VALUE)).toArray(Request[]::new));
    for (int i = 0; i < count; i++) {
      try (RawConnection connection = new RawConnection(broker.address())) {
        switch (i % 5) {
          case 0 -> hello(connection);
          case 1 -> connection.send(java.util.Arrays.copyOf(produce(ORDERS, 1000).toFrame(), 600));
          case 2 -> {
            connection.ask(produce(ORDERS, "x"));
            connection.send(window);
          }
          case 3 -> {
            connection.send(produce(ORDERS, "x"));
            connection.socket().setSoLinger(true, 0);
          }
          default -> connection.socket().setSoLinger(true, 0);
        }
      }
    }
  }

  /** Stopped under load: whatever was acked is there after the restart, at its offset; nobody is left without an end. */
  @Test
  void stopUnderLoadLosesNothingAcked() throws Exception {
    String hocon = "kaka.log.dir = \"" + directory + "\"";
    Map<Long, String> acked = new ConcurrentHashMap<>();
    CompletableFuture<?>[] clients = new CompletableFuture<?>[6];
    CountDownLatch underLoad = new CountDownLatch(clients.length);
    TestBroker broker = TestBroker.start(hocon);
    for (int c = 0; c < clients.length; c++) {
      String name = "client " + c;
      clients[c] = CompletableFuture.runAsync(() -> load(broker, name, acked, underLoad), task -> new Thread(task).start());
    }
    RawConnection reader = new RawConnection(broker.address());
    reader.send(waiting(ORDERS, 1L << 40));
    RawConnection idle = new RawConnection(broker.address());
    hello(idle);
    underLoad.await();

    CompletableFuture<Done> stopped = broker.stop().toCompletableFuture();

    assertEquals(new Records(1L << 40, List.of()), reader.receive());
    assertTrue(idle.isClosedByPeer());
    CompletableFuture.allOf(clients).join();
    stopped.join();
    reader.close();
    idle.close();
    assertTrue(acked.size() > 100, acked.size() + " acked");
    try (TestBroker again = TestBroker.start(hocon);
        RawConnection connection = new RawConnection(again.address())) {
      Map<Long, String> stored = new HashMap<>();
      for (long offset = 0; ; ) {
        List<Records.Entry> entries = ((Records) connection.ask(fetch(ORDERS, offset))).entries();
        if (entries.isEmpty()) {
          break;
        }
        for (Records.Entry entry : entries) {
          stored.put(entry.offset(), new String(entry.value(), StandardCharsets.UTF_8));
          offset = entry.offset() + 1;
        }
      }
      acked.forEach((offset, value) -> assertEquals(value, stored.get(offset), "at offset " + offset));
    }
  }

  private static void load(TestBroker broker, String name, Map<Long, String> acked, CountDownLatch underLoad) {
    try (RawConnection connection = new RawConnection(broker.address())) {
      int sent = 0;
      for (int received = 0; ; received++) {
        try {
          while (sent < received + 16) {
            connection.send(produce(ORDERS, name + " " + sent));
            sent++;
          }
        } catch (SocketException closed) {
          sent = Integer.MAX_VALUE; // what was answered before is still to be read
        }
        Response response = connection.receive();
        if (response instanceof ProduceAck ack) {
          acked.put(ack.baseOffset(), name + " " + received);
        } else {
          assertEquals(ErrorCode.SHUTTING_DOWN, ((ErrorReply) response).error().orElseThrow());
        }
        if (received == 50) {
          underLoad.countDown();
        }
      }
    } catch (EOFException | SocketException end) {
      // the broker has closed
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Connections that neither read nor leave do not hold a stop up. */
  @Test
  void stopIsBoundedByNobodysLeaving() throws Exception {
    TestBroker broker = TestBroker.start("");
    RawConnection idle = new RawConnection(broker.address());
    RawConnection half = new RawConnection(broker.address());
    half.send(new byte[] {0, 0, 9, 9, 1, 0});
    hello(idle);

    broker.stop().toCompletableFuture().get(10, java.util.concurrent.TimeUnit.SECONDS);

    assertTrue(idle.isClosedByPeer());
    assertTrue(half.isClosedByPeer());
    idle.close();
    half.close();
  }
}
