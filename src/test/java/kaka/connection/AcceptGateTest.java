package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import kaka.group.GroupHandle;
import kaka.metrics.BrokerMetrics;
import kaka.partition.MemoryBudget;
import kaka.quota.QuotaConfig;
import kaka.quota.Quotas;
import kaka.protocol.Hello;
import kaka.server.NativeDoor;
import kaka.topic.Routes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The listener, where no descriptor is left for a while. */
class AcceptGateTest {
  private final ActorTestKit testKit = ActorTestKit.create(BrokerThreads.config());
  private final AtomicBoolean isLeft = new AtomicBoolean();
  private final AtomicInteger asked = new AtomicInteger();
  private final CountDownLatch askedOften = new CountDownLatch(5);

  @AfterEach
  void stop() {
    testKit.shutdownTestKit();
  }

  private boolean mayAccept() {
    asked.incrementAndGet();
    askedOften.countDown();
    return isLeft.get();
  }

  /** The first is accepted, the second waits; the gate is asked again by itself, and the second served. */
  @Test
  void clientsWaitUntilADescriptorIsFree() throws Exception {
    ServerConfig config =
        new ServerConfig(
            "127.0.0.1", 0, 10, 10, 0, 64, 1 << 20, 1 << 20, 1 << 20,
            new ConnectionTimeouts(Duration.ZERO, Duration.ofDays(1), Duration.ofDays(1)), 1 << 20, Duration.ofSeconds(1));
    ConnectionCounts counts = new ConnectionCounts(System::nanoTime);
    MemoryBudget memory = new MemoryBudget(1 << 20);
    ConnectionServices services =
        new ConnectionServices(
            config, new NativeDoor(), new NativeDoor(), null, new Routes(), null, new GroupHandle(), null, memory, new SliceSizes(memory), counts, new Quotas(QuotaConfig.OFF, System::nanoTime), new BrokerMetrics(),
            this::mayAccept, null, ForkJoinPool.commonPool(), BrokerThreads.checks(), Clock.systemUTC(), new UUID(0, 1), "test");
    TestProbe<TcpListener.BindResult> bound = testKit.createTestProbe();
    testKit.spawn(TcpListener.create(services, bound.getRef()), SocketDispatcher.SELECTOR);
    InetSocketAddress address = bound.expectMessageClass(TcpListener.Listening.class).address();

    try (Socket first = connect(address);
        Socket second = connect(address)) {
      hello(first);
      askedOften.await(); // the gate is closed and looked at
      second.getOutputStream().write(new Hello(1, 1, "", "").toFrame());
      hello(first);
      assertEquals(0, second.getInputStream().available());

      isLeft.set(true);

      assertTrue(second.getInputStream().read() >= 0);
      assertEquals(1, counts.of(ConnectionCounts.Limit.DESCRIPTORS), "told once, however often it was asked");
    }
  }

  private static Socket connect(InetSocketAddress address) throws Exception {
    Socket socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout(20_000);
    return socket;
  }

  private static void hello(Socket socket) throws Exception {
    socket.getOutputStream().write(new Hello(1, 1, "", "").toFrame());
    int length = new java.io.DataInputStream(socket.getInputStream()).readInt();
    assertEquals(length, socket.getInputStream().readNBytes(length).length);
  }
}
