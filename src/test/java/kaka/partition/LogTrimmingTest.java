package kaka.partition;

import static kaka.log.FaultyDisk.Operation.SYNC;
import static kaka.log.FaultyDisk.Operation.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import kaka.config.KakaConfig;
import kaka.log.CompactionConfig;
import kaka.log.FaultyDisk;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import kaka.log.PartitionLog;
import kaka.log.RecordsDeletion;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Deletions of records among a partition's other commands: in their order, and without harm to the partition. */
class LogTrimmingTest {
  private static final UUID TOPIC_ID = new UUID(1, 2);
  private static final Path DIRECTORY = Path.of("orders-0");
  private static final Duration LONG = Duration.ofSeconds(120);
  private static final LogConfig CONFIG =
      new LogConfig(1 << 20, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, 0);

  private static ActorTestKit kit;

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private final PartitionHandle handle = new PartitionHandle(new TopicPartition("orders", 0));
  private TestProbe<PartitionReply> asker;

  @BeforeAll
  static void startKit() throws Exception {
    kit = ActorTestKit.create("trimming", KakaConfig.parse("").akka());
    ((Logger) LoggerFactory.getLogger("kaka.partition")).setLevel(Level.OFF);
  }

  @AfterAll
  static void stopKit() {
    kit.shutdownTestKit();
    ((Logger) LoggerFactory.getLogger("kaka.partition")).setLevel(null);
  }

  @BeforeEach
  void makeProbe() {
    asker = kit.createTestProbe();
  }

  private ActorRef<PartitionActor.Command> spawn(Duration fsyncInterval) {
    ActorRef<PartitionActor.Command> actor =
        kit.spawn(
            PartitionActor.create(
                handle,
                () -> PartitionLog.create(disk, DIRECTORY, TOPIC_ID, CONFIG, Clock.systemUTC()),
                () -> {},
                new PartitionSettings(
                    fsyncInterval, Duration.ofDays(1), new CompactionShare(new CompactionConfig(1, 1 << 20, 0))),
                () -> asker.getRef().tell(new PartitionReply.Advanced(-1))),
            DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
    actor.tell(PartitionActor.Open.INSTANCE);
    handle.bind(actor);
    return actor;
  }

  private void awaitOpen() {
    asker.expectMessage(LONG, new PartitionReply.Advanced(-1));
  }

  private PartitionActor.Append append(long id, String value) {
    return new PartitionActor.Append(
        List.of(new RecordBatchBuilder(64).append(1, null, value.getBytes(StandardCharsets.UTF_8), List.of()).build()),
        MemoryCharge.NONE,
        id,
        asker.ref());
  }

  private PartitionActor.DeleteRecords delete(long id, long beforeOffset) {
    return new PartitionActor.DeleteRecords(beforeOffset, id, asker.ref());
  }

  private static PartitionReply deleted(long id, long logStartOffset) {
    return new PartitionReply.DeletionDecided(id, new RecordsDeletion.Deleted(logStartOffset));
  }

  private long shownStart() {
    return handle.view().snapshot().orElseThrow().logStartOffset();
  }

  /** The appends are queued while a commit blocks, so none of them is committed when the deletion's turn comes. */
  @Test
  void aDeletionCountsTheAppendsBeforeItAndNotThoseBehind() throws Exception {
    ActorRef<PartitionActor.Command> partition = spawn(Duration.ZERO);
    awaitOpen();
    try (FaultyDisk.Gate commit = disk.block(SYNC, ".log")) {
      partition.tell(append(0, "a"));
      commit.awaitEntered();
      partition.tell(append(1, "b"));
      partition.tell(append(2, "c"));
      partition.tell(delete(3, RecordsDeletion.ALL));
      partition.tell(append(4, "d"));
      commit.open();
    }

    for (int i = 0; i < 3; i++) {
      asker.expectMessage(LONG, new PartitionReply.Appended(i, List.of((long) i)));
    }
    asker.expectMessage(LONG, deleted(3, 3));
    asker.expectMessage(LONG, new PartitionReply.Appended(4, List.of(3L)));
    assertEquals(3, shownStart());
  }

  /** Shown, acknowledged, and not synced: a power cut must not leave less than was deleted. */
  @Test
  void withASyncIntervalADeletionSyncs() {
    ActorRef<PartitionActor.Command> partition = spawn(Duration.ofHours(1));
    awaitOpen();
    partition.tell(append(0, "a"));
    asker.expectMessage(LONG, new PartitionReply.Appended(0, List.of(0L)));
    disk.resetCounts();

    partition.tell(delete(1, RecordsDeletion.ALL));

    asker.expectMessage(LONG, deleted(1, 1));
    assertEquals(1, disk.count(SYNC, "00000000000000000000.log"));
    assertEquals(1, shownStart());
  }

  @Test
  void aDeletionThatTheDiskRefusesDoesNotFailThePartition() {
    ActorRef<PartitionActor.Command> partition = spawn(Duration.ZERO);
    awaitOpen();
    partition.tell(append(0, "a"));
    asker.expectMessage(LONG, new PartitionReply.Appended(0, List.of(0L)));
    disk.failNext(WRITE, "log-start-offset");

    partition.tell(delete(1, 1));
    partition.tell(append(2, "b"));
    partition.tell(delete(3, 1));

    asker.expectMessage(LONG, new PartitionReply.Refused(1, Refusal.STORAGE_FAILED));
    asker.expectMessage(LONG, new PartitionReply.Appended(2, List.of(1L)));
    asker.expectMessage(LONG, deleted(3, 1));
    assertEquals(PartitionState.WRITABLE, handle.view().state());
  }

  @Test
  void aFailedSyncInADeletionIsForGoodAndTheStartStays() {
    ActorRef<PartitionActor.Command> partition = spawn(Duration.ZERO);
    awaitOpen();
    partition.tell(append(0, "a"));
    asker.expectMessage(LONG, new PartitionReply.Appended(0, List.of(0L)));
    disk.failNext(SYNC, "recovery-point");

    partition.tell(delete(1, 1));
    partition.tell(append(2, "b"));
    partition.tell(delete(3, 1));

    asker.expectMessage(LONG, new PartitionReply.Refused(1, Refusal.STORAGE_FAILED));
    asker.expectMessage(LONG, new PartitionReply.Refused(2, Refusal.STORAGE_FAILED));
    asker.expectMessage(LONG, new PartitionReply.DeletionDecided(3, new RecordsDeletion.NotKnownSynced(0)));
    assertEquals(PartitionState.FAILED, handle.view().state());
    assertEquals(0, shownStart());
  }

  @Test
  void aPartitionThatIsOpeningOrDidNotOpenRefuses() throws IOException, InterruptedException {
    FaultyDisk.Gate opening = disk.block(FaultyDisk.Operation.CREATE_DIRECTORY, "");
    ActorRef<PartitionActor.Command> partition = spawn(Duration.ZERO);
    opening.awaitEntered();
    disk.failNext(SYNC, "");
    opening.open();
    awaitOpen();

    partition.tell(delete(1, 0));

    asker.expectMessage(LONG, new PartitionReply.Refused(1, Refusal.STORAGE_FAILED));
    assertTrue(handle.view().snapshot().isEmpty());
  }
}
