package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import kaka.broker.TestBroker;
import kaka.group.GroupHandle;
import kaka.metrics.BrokerMetrics;
import kaka.partition.MemoryBudget;
import kaka.protocol.Metadata;
import kaka.quota.QuotaConfig;
import kaka.quota.Quotas;
import kaka.server.NativeDoor;
import kaka.topic.Routes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One connection's actor alone, with a client that does not read. */
class StuckClientTest {
  private static final ConnectionTimeouts TIMEOUTS =
      new ConnectionTimeouts(Duration.ZERO, Duration.ofDays(1), Duration.ofMillis(100));

  private final ActorTestKit testKit = ActorTestKit.create(BrokerThreads.config());
  private final MemoryBudget memory = new MemoryBudget(1 << 20);
  private final ConnectionCounts counts = new ConnectionCounts(System::nanoTime);

  @AfterEach
  void stop() {
    testKit.shutdownTestKit();
  }

  private ConnectionServices services() {
    ServerConfig config =
        new ServerConfig("localhost", 0, 1, 1, 0, 64, 1 << 20, 1 << 20, 1 << 20, TIMEOUTS, 1 << 20, Duration.ofSeconds(1));
    return new ConnectionServices(
        config, new NativeDoor(), new NativeDoor(), null, new Routes(), null, new GroupHandle(), null, memory, new SliceSizes(memory), counts,
        new Quotas(QuotaConfig.OFF, System::nanoTime), new BrokerMetrics(), () -> true, null, ForkJoinPool.commonPool(), BrokerThreads.checks(), Clock.systemUTC(),
        new UUID(0, 1), "test");
  }

  /** It asks on, as long as anything of it is read, and takes no answer: after the time-out the connection ends and holds nothing. */
  @Test
  void clientThatTakesNothingIsLetGo() throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketChannel client = SocketChannel.open()) {
      client.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
      client.connect(server.getLocalAddress());
      SocketChannel accepted = server.accept();
      accepted.setOption(StandardSocketOptions.SO_SNDBUF, 4096);
      ActorRef<ConnectionActor.Command> connection =
          testKit.spawn(ConnectionActor.create(accepted, services()), SocketDispatcher.SELECTOR);
      ByteBuffer request = ByteBuffer.wrap(new Metadata(List.of("of-an-answer-that-is-charged")).toFrame());
      Thread asking =
          new Thread(
              () -> {
                try {
                  while (true) {
                    client.write(request.rewind());
                  }
                } catch (java.io.IOException e) {
                  // the broker has closed
                }
              });
      asking.start();
      TestBroker.awaitTrue("answers that are not taken are charged", () -> memory.usedBytes() > 0);

      TestProbe<Object> probe = testKit.createTestProbe();
      probe.expectTerminated(connection, Duration.ofSeconds(120));
      asking.join();

      assertEquals(0, memory.usedBytes());
      assertEquals(1, counts.of(ConnectionCounts.Limit.WRITE));
      assertTrue(client.isOpen(), "it was the broker that closed");
    }
  }
}
