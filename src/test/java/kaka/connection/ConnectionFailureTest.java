package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import com.typesafe.config.ConfigFactory;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import kaka.BreakableClock;
import kaka.broker.TestBroker;
import kaka.group.GroupHandle;
import kaka.metrics.BrokerMetrics;
import kaka.partition.MemoryBudget;
import kaka.protocol.FrameCutter;
import kaka.protocol.Hello;
import kaka.protocol.ProtocolException;
import kaka.quota.QuotaConfig;
import kaka.quota.Quotas;
import kaka.server.LogCapture;
import kaka.server.NativeDoor;
import kaka.topic.Routes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A bug met by one connection: it ends and holds nothing, and the others on its thread go on. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectionFailureTest {
  private final ActorTestKit testKit =
      ActorTestKit.create(ConfigFactory.parseString("kaka.dispatchers.sockets.threads = 1").withFallback(BrokerThreads.config()));
  private final MemoryBudget memory = new MemoryBudget(1 << 20);
  private final ConnectionCounts counts = new ConnectionCounts(System::nanoTime);
  private final BreakableClock clock = new BreakableClock();
  private volatile Throwable ofDoor;
  private volatile boolean isEndBroken;

  @AfterEach
  void stop() {
    testKit.shutdownTestKit();
  }

  /** The native one, until it is broken. */
  private final class BreakableIntake implements Intake {
    private final Intake intake;
    private final ExchangeQueue exchanges;

    BreakableIntake(Intake intake, ExchangeQueue exchanges) {
      this.intake = intake;
      this.exchanges = exchanges;
    }

    @Override
    public boolean isBlocked() {
      return intake.isBlocked();
    }

    @Override
    public void take(FrameCutter frame) {
      if (ofDoor instanceof Error error) {
        throw error;
      } else if (ofDoor != null) {
        throw (RuntimeException) ofDoor;
      } else if (isEndBroken) {
        exchanges.add(new Unanswered());
      } else {
        intake.take(frame);
      }
    }

    @Override
    public void dispatch() {
      intake.dispatch();
    }

    @Override
    public Optional<byte[]> framingLost(ProtocolException reason) {
      return intake.framingLost(reason);
    }

    @Override
    public Optional<byte[]> noMemory() {
      return intake.noMemory();
    }

    @Override
    public void end() {
      intake.end();
      if (isEndBroken) {
        throw new IllegalStateException("bug in the end of a test's intake");
      }
    }
  }

  /** Holds memory, and cannot end as it should. */
  private final class Unanswered extends Exchange {
    Unanswered() {
      super(0);
      assertTrue(memory.tryReserve(1000));
      charge(memory, 1000);
    }

    @Override
    protected boolean writeTo(AnswerBuffer out) {
      return false;
    }

    @Override
    protected void release() {
      throw new IllegalStateException("bug in the end of a test's exchange");
    }
  }

  private InetSocketAddress listen() {
    ServerConfig config =
        new ServerConfig(
            "127.0.0.1", 0, 10, 10, 0, 64, 1 << 20, 1 << 20, 1 << 20,
            new ConnectionTimeouts(Duration.ZERO, Duration.ofDays(1), Duration.ofDays(1)), 1 << 20, Duration.ofSeconds(1));
    FrontDoor door =
        (connection, input, exchanges) -> new BreakableIntake(new NativeDoor().open(connection, input, exchanges), exchanges);
    ConnectionServices services =
        new ConnectionServices(
            config, door, door, null, new Routes(), null, new GroupHandle(), null, memory, new SliceSizes(memory), counts,
            new Quotas(QuotaConfig.OFF, System::nanoTime), new BrokerMetrics(), () -> true, null, ForkJoinPool.commonPool(), BrokerThreads.checks(),
            clock, new UUID(0, 1), "test");
    TestProbe<TcpListener.BindResult> bound = testKit.createTestProbe();
    testKit.spawn(TcpListener.create(services, bound.getRef()), SocketDispatcher.SELECTOR);
    return bound.expectMessageClass(TcpListener.Listening.class).address();
  }

  private static Socket connect(InetSocketAddress address) throws IOException {
    Socket socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout(60_000);
    return socket;
  }

  private static void hello(Socket socket) throws IOException {
    hello(socket, "");
  }

  private static void hello(Socket socket, String clientId) throws IOException {
    socket.getOutputStream().write(new Hello(1, 1, clientId, "").toFrame());
    int length = new DataInputStream(socket.getInputStream()).readInt();
    assertEquals(length, socket.getInputStream().readNBytes(length).length);
  }

  /** By an end or a reset: nothing was answered. */
  private static void assertCloses(Socket socket) throws IOException {
    try {
      assertEquals(-1, socket.getInputStream().read());
    } catch (SocketException e) {
      assertEquals("Connection reset", e.getMessage());
    }
  }

  /** Its socket, which nobody owns yet, is not left open, to be ready for ever. */
  @Test
  void connectionThatCannotBeginIsClosed() throws Exception {
    InetSocketAddress address = listen();
    try (Socket other = connect(address);
        LogCapture log = new LogCapture()) {
      hello(other);

      clock.breakAfter(0);
      try (Socket victim = connect(address)) {
        assertCloses(victim);
      }

      clock.mend();
      hello(other);
      TestBroker.awaitTrue("it has gone", () -> counts.open().all().size() == 1);
      assertEquals(1, log.troubles().size(), log.troubles().toString());
    }
  }

  @Test
  void connectionThatFailsLetsGoOfAllItHolds() throws Exception {
    fails(new IllegalStateException("bug in a test's door"));
  }

  @Test
  void connectionThatFailsByAnErrorLetsGoOfAllItHolds() throws Exception {
    fails(new AssertionError("bug in a test's door"));
  }

  private void fails(Throwable bug) throws Exception {
    InetSocketAddress address = listen();
    try (Socket other = connect(address);
        LogCapture log = new LogCapture()) {
      hello(other);

      String whose;
      try (Socket victim = connect(address)) {
        hello(victim, "vic\ntim");
        whose = "peer=/127.0.0.1:" + victim.getLocalPort() + " client_id=\"vic?tim\"";
        victim.getOutputStream().write(new byte[] {0, 0, 16, 0, 1}); // of a frame of 4 KiB
        victim.getOutputStream().write(new byte[1000]);
        TestBroker.awaitTrue("its begun frame is charged", () -> memory.usedBytes() > 0);
        ofDoor = bug;
        victim.getOutputStream().write(new byte[4096]);
        assertCloses(victim);
      }

      ofDoor = null;
      hello(other);
      TestBroker.awaitTrue("it has gone", () -> counts.open().all().size() == 1);
      assertEquals(0, memory.usedBytes());
      List<String> troubles = log.troubles();
      assertEquals(1, troubles.size(), troubles.toString());
      assertEquals("ERROR connection failed " + whose, troubles.get(0));
    }
  }

  /** Neither two exchanges that hold memory nor the intake end as they should: the rest is let go of all the same. */
  @Test
  void whatCannotEndKeepsNothingElseFromIt() throws Exception {
    InetSocketAddress address = listen();
    String whose;
    try (LogCapture log = new LogCapture()) {
      try (Socket victim = connect(address)) {
        hello(victim, "victim");
        whose = "peer=/127.0.0.1:" + victim.getLocalPort() + " client_id=\"victim\"";
        isEndBroken = true;
        victim.getOutputStream().write(new Hello(1, 1, "", "").toFrame());
        victim.getOutputStream().write(new Hello(1, 1, "", "").toFrame());
        victim.getOutputStream().write(new byte[] {0, 0, 16, 0, 1}); // of a frame of 4 KiB
        victim.getOutputStream().write(new byte[1000]);
        TestBroker.awaitTrue("two exchanges and its begun frame are charged", () -> memory.usedBytes() > 3000);
        victim.setSoLinger(true, 0); // its close is a reset: the connection ends at once
      }

      TestBroker.awaitTrue("all is told", () -> !log.troubles().isEmpty());
      assertEquals(List.of("ERROR connection did not end as it should " + whose), log.troubles());
      assertEquals(0, memory.usedBytes());
      assertEquals(List.of(), counts.open().all());
      assertEquals(2, counts.peakInFlight());
    }
  }
}
