package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.ActorSystem;
import akka.stream.Attributes;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.Source;
import akka.util.ByteString;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
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

/** The stage alone, for what a socket does not show. */
class ConnectionStageTest {
  private static final ConnectionTimeouts TIMEOUTS =
      new ConnectionTimeouts(Duration.ZERO, Duration.ofDays(1), Duration.ofMillis(100));

  private final ActorSystem system = ActorSystem.create();
  private final MemoryBudget memory = new MemoryBudget(1 << 20);

  @AfterEach
  void stop() {
    system.terminate();
  }

  /** The sink takes one write and no more, the client sends on: after the time-out the connection ends and holds nothing. */
  @Test
  void clientThatTakesNothingIsLetGo() throws Exception {
    ServerConfig config =
        new ServerConfig("localhost", 0, 1, 1, 0, 64, 1 << 20, 1 << 20, TIMEOUTS, 1 << 20, Duration.ofSeconds(1));
    ConnectionCounts counts = new ConnectionCounts(System::nanoTime);
    ConnectionServices services =
        new ConnectionServices(
            config, new NativeDoor(), new NativeDoor(), null, new Routes(), null, new GroupHandle(), null, memory, new SliceSizes(memory), counts, new Quotas(QuotaConfig.OFF, System::nanoTime), new BrokerMetrics(), () -> true, null, ForkJoinPool.commonPool(), Clock.systemUTC(), new UUID(0, 1), "test");
    ByteString hello = ByteString.fromArray(new Hello(1, 1, "", "").toFrame());
    ByteString half = ByteString.fromArray(new byte[] {0, 0, 0x40, 0, 1}).concat(ByteString.fromArray(new byte[9000]));
    Sink<ByteString, ?> takesOne = Sink.<ByteString>queue(1).withAttributes(Attributes.inputBuffer(1, 1));

    ConnectionStage.Control control =
        Source.from(List.of(hello, hello.concat(half)))
            .concat(Source.maybe())
            .viaMat(new ConnectionStage(services, new InetSocketAddress(1), new InetSocketAddress(0)), Keep.right())
            .toMat(takesOne, Keep.left())
            .run(system);

    control.ended().toCompletableFuture().get(120, TimeUnit.SECONDS);
    assertEquals(0, memory.usedBytes());
    assertEquals(1, counts.of(ConnectionCounts.Limit.WRITE));
  }
}
