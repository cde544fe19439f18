package kaka.partition;

import static kaka.log.FaultyDisk.Operation.SYNC;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import kaka.broker.TestBroker;
import kaka.config.KakaConfig;
import kaka.log.Cleanup;
import kaka.log.CompactionConfig;
import kaka.log.FaultyDisk;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionLog;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.LogCapture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compaction beside the commits of a partition: never in their way, one at a time, ended with its partition. */
class PartitionCompactionTest {
  private static final Duration LONG = Duration.ofSeconds(120);
  private static final UUID TOPIC_ID = new UUID(7, 7);
  private static final LogConfig COMPACT =
      new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ZERO, 0)
          .withCleanup(new Cleanup(true, false, Duration.ofDays(1), 0));

  private static ActorTestKit kit;

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private final CompactionShare share = new CompactionShare(new CompactionConfig(1, 1 << 20, 0));
  private final PartitionHandle handle = new PartitionHandle(new TopicPartition("prices", 0));
  private TestProbe<PartitionReply> producer;
  private ActorRef<PartitionActor.Command> partition;
  private int appended;

  @BeforeAll
  static void startKit() throws Exception {
    kit = ActorTestKit.create("compaction", KakaConfig.parse("").akka());
  }

  @AfterAll
  static void stopKit() {
    kit.shutdownTestKit();
  }

  @BeforeEach
  void start() {
    producer = kit.createTestProbe();
    Path directory = Path.of("prices-0");
    partition =
        kit.spawn(
            PartitionActor.create(
                handle,
                () -> PartitionLog.create(disk, directory, TOPIC_ID, COMPACT, Clock.systemUTC()),
                () -> PartitionDirectory.delete(disk, directory, TOPIC_ID),
                new PartitionSettings(Duration.ZERO, Duration.ofMillis(10), share),
                () -> {}),
            DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
    partition.tell(PartitionActor.Open.INSTANCE);
    TestBroker.awaitTrue("open", () -> handle.view().state() == PartitionState.WRITABLE);
  }

  @AfterEach
  void stop() {
    partition.tell(PartitionActor.Close.INSTANCE);
    producer.expectTerminated(partition, LONG);
    assertEquals(0, share.runningCount());
    assertEquals(0, disk.openCount());
  }

  private void append() {
    RecordBatch batch =
        new RecordBatchBuilder(256).append(1, new byte[] {1}, "v".repeat(200).getBytes(StandardCharsets.UTF_8), List.of()).build();
    partition.tell(new PartitionActor.Append(List.of(batch), MemoryCharge.NONE, appended, producer.ref()));
    assertEquals(new PartitionReply.Appended(appended, List.of((long) appended)), producer.receiveMessage(LONG));
    appended++;
  }

  @Test
  void commitsGoOnWhileCompactionWaitsForTheDisk() throws Exception {
    try (FaultyDisk.Gate gate = disk.block(SYNC, ".log.cleaned")) {
      for (int i = 0; i < 10; i++) {
        append();
      }
      gate.awaitEntered();
      for (int i = 0; i < 50; i++) {
        append();
      }
      assertEquals(1, share.runningCount());
      assertFalse(share.tryBegin(), "no second one in the broker");
      assertTrue(handle.view().snapshot().orElseThrow().sizeBytes() > 60 * 200, "nothing is replaced yet");
    }
    TestBroker.awaitTrue("compacted", () -> handle.view().snapshot().orElseThrow().sizeBytes() < 2500);
    assertEquals(60, handle.view().snapshot().orElseThrow().highWatermark());
  }

  @Test
  void aFailedCompactionIsTriedAgainAndThePartitionTakesWrites() {
    disk.failNext(SYNC, ".log.cleaned");
    for (int i = 0; i < 30; i++) {
      append();
    }
    TestBroker.awaitTrue("compacted", () -> handle.view().snapshot().orElseThrow().sizeBytes() < 2500);
    assertEquals(PartitionState.WRITABLE, handle.view().state());
    append();
  }

  /** A full disk refuses every attempt, of every compacted partition, for as long as it is full. */
  @Test
  void whatFailsAgainAndAgainIsToldOnce() {
    try (LogCapture log = new LogCapture()) {
      disk.failFrom(Set.of(SYNC), ".log.cleaned", 1);
      for (int i = 0; i < 30; i++) {
        append();
      }
      TestBroker.awaitTrue("tried again", () -> disk.failureCount() >= 5);
      disk.heal();
      TestBroker.awaitTrue("compacted", () -> handle.view().snapshot().orElseThrow().sizeBytes() < 2500);
      assertEquals(1, log.lines().stream().filter(line -> line.startsWith("WARN log not compacted")).count(), log.lines()::toString);
    }
  }

  @Test
  void aSwapThatFailsLeavesThePartitionWritableAndReadable() {
    disk.failNext(FaultyDisk.Operation.MOVE, ".log.swap");
    for (int i = 0; i < 30; i++) {
      append();
    }
    TestBroker.awaitTrue("failed", () -> disk.failureCount() == 1 && share.runningCount() == 0);
    append();
    assertEquals(PartitionState.WRITABLE, handle.view().state());
    assertTrue(handle.view().snapshot().orElseThrow().sizeBytes() > 31 * 200);
  }

  @Test
  void theSharePaysForWhatWasDoneAndDoesNotSaveUp() {
    CompactionShare slow = new CompactionShare(new CompactionConfig(2, 1 << 20, 1_000_000));
    assertEquals(Duration.ofSeconds(1), slow.pay(1_000_000, 5_000_000_000L));
    assertEquals(Duration.ofMillis(1500), slow.pay(500_000, 5_000_000_000L), "both of them together");
    assertEquals(Duration.ofMillis(1000), slow.pay(500_000, 6_000_000_000L));
    assertEquals(Duration.ofMillis(10), slow.pay(10_000, 60_000_000_000L), "a quiet minute is not saved up");
    assertEquals(1 << 19, slow.mapBytesPerRun());
    assertTrue(slow.tryBegin() && slow.tryBegin());
    assertFalse(slow.tryBegin());
    slow.end();
    assertTrue(slow.tryBegin());
  }
}
