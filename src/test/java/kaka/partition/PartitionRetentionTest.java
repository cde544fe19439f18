package kaka.partition;

import static kaka.log.FaultyDisk.Operation.SYNC;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import kaka.broker.TestBroker;
import kaka.config.KakaConfig;
import kaka.log.CompactionConfig;
import kaka.log.FaultyDisk;
import kaka.log.LogConfig;
import kaka.log.LogSnapshot;
import kaka.log.MemoryDisk;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionLog;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** When retention is looked at: at a roll, and on a timer, whether or not anybody writes, or can. */
class PartitionRetentionTest {
  private static final Duration LONG = Duration.ofSeconds(120);
  private static final UUID TOPIC_ID = new UUID(7, 8);
  private static final Path DIRECTORY = Path.of("orders-0");

  private static ActorTestKit kit;

  private final AtomicLong nowMs = new AtomicLong(1_000_000_000_000L);
  private final Clock clock =
      new Clock() {
        @Override
        public Instant instant() {
          return Instant.ofEpochMilli(nowMs.get());
        }

        @Override
        public ZoneId getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }
      };
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk(clock));
  private final PartitionHandle handle = new PartitionHandle(new TopicPartition("orders", 0));
  private TestProbe<PartitionReply> producer;
  private ActorRef<PartitionActor.Command> partition;
  private int appended;

  @BeforeAll
  static void startKit() throws Exception {
    kit = ActorTestKit.create("retention", KakaConfig.parse("kaka.logging.level = error").akka());
  }

  @AfterAll
  static void stopKit() {
    kit.shutdownTestKit();
  }

  private void start(long retentionBytes, Duration retentionTime, Duration tidyInterval) {
    LogConfig config = new LogConfig(1024, Duration.ofHours(2), 100, Duration.ZERO, retentionBytes, retentionTime, 0);
    producer = kit.createTestProbe();
    partition =
        kit.spawn(
            PartitionActor.create(
                handle,
                () -> PartitionLog.create(disk, DIRECTORY, TOPIC_ID, config, clock),
                () -> PartitionDirectory.delete(disk, DIRECTORY, TOPIC_ID),
                new PartitionSettings(
                    Duration.ZERO, tidyInterval, new CompactionShare(new CompactionConfig(1, 1 << 20, 0))),
                () -> {}),
            DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
    partition.tell(PartitionActor.Open.INSTANCE);
    TestBroker.awaitTrue("open", () -> handle.view().state() == PartitionState.WRITABLE);
  }

  /** Each makes a segment of its own. */
  private PartitionReply append() {
    RecordBatch batch = new RecordBatchBuilder(1024).append(nowMs.get(), null, new byte[700], List.of()).build();
    partition.tell(new PartitionActor.Append(List.of(batch), MemoryCharge.NONE, appended++, producer.ref()));
    return producer.receiveMessage(LONG);
  }

  private LogSnapshot snapshot() {
    return handle.view().snapshot().orElseThrow();
  }

  private void stop() {
    partition.tell(PartitionActor.Close.INSTANCE);
    producer.expectTerminated(partition, LONG);
  }

  /** The timer has a day to go. */
  @Test
  void aRollDeletesWhatIsOverTheLimit() {
    start(2000, Duration.ZERO, Duration.ofDays(1));

    for (int i = 0; i < 20; i++) {
      assertInstanceOf(PartitionReply.Appended.class, append());
    }

    TestBroker.awaitTrue("deleted", () -> snapshot().sizeBytes() < 3000);
    assertEquals(20, snapshot().highWatermark());
    stop();
  }

  /** The segment that was active is sealed by its age, and goes when it is too old itself. */
  @Test
  void anIdleLogExpiresByItself() {
    start(-1, Duration.ofHours(1), Duration.ofMillis(5));
    for (int i = 0; i < 4; i++) {
      append();
    }
    assertEquals(0, snapshot().logStartOffset());

    nowMs.addAndGet(Duration.ofMinutes(61).toMillis());
    TestBroker.awaitTrue("sealed segments go", () -> snapshot().logStartOffset() == 3);
    nowMs.addAndGet(Duration.ofMinutes(60).toMillis());
    TestBroker.awaitTrue("all go", () -> snapshot().logStartOffset() == 4);

    stop();
  }

  @Test
  void aLogThatTakesNoWritesExpiresToo() {
    start(-1, Duration.ofHours(1), Duration.ofMillis(5));
    for (int i = 0; i < 4; i++) {
      append();
    }
    disk.failNext(SYNC, ".log");
    assertInstanceOf(PartitionReply.Refused.class, append());

    nowMs.addAndGet(Duration.ofMinutes(61).toMillis());

    TestBroker.awaitTrue("sealed segments go", () -> snapshot().logStartOffset() >= 3);
    assertEquals(PartitionState.FAILED, handle.view().state());
    stop();
  }
}
