package kaka.partition;

import static kaka.log.FaultyDisk.Operation.SYNC;
import static kaka.log.FaultyDisk.Operation.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.ManualTime;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Behaviors;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import kaka.TestClock;
import kaka.config.KakaConfig;
import kaka.log.CompactionConfig;
import kaka.log.FaultyDisk;
import kaka.log.Isolation;
import kaka.log.LogConfig;
import kaka.log.LogReader;
import kaka.log.LogSnapshot;
import kaka.log.MemoryDisk;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionLog;
import kaka.log.Preallocation;
import kaka.log.StaleSnapshotException;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class PartitionActorTest {
  private static final UUID TOPIC_ID = new UUID(1, 2);
  private static final TopicPartition ID = new TopicPartition("orders", 0);
  private static final Path DIRECTORY = Path.of("orders-0");
  private static final Duration LONG = Duration.ofSeconds(120);

  /** What a partition is made to say when it has opened. */
  private static final PartitionReply OPENED = new PartitionReply.Advanced(-1);

  /** Loggers that would tell of hundreds of injected faults. */
  private static final List<String> FAILING = List.of("kaka.partition", "kaka.log");

  private static ActorTestKit kit;

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private final PartitionHandle handle = new PartitionHandle(ID);
  private TestProbe<PartitionReply> producer;

  @BeforeAll
  static void startKit() throws Exception {
    kit = ActorTestKit.create("partition", KakaConfig.parse("").akka());
    FAILING.forEach(name -> ((Logger) LoggerFactory.getLogger(name)).setLevel(Level.OFF));
  }

  @AfterAll
  static void stopKit() {
    kit.shutdownTestKit();
    FAILING.forEach(name -> ((Logger) LoggerFactory.getLogger(name)).setLevel(null));
  }

  @BeforeEach
  void makeProbe() {
    producer = kit.createTestProbe();
  }

  // ---------------------------------------------------------------- group commit

  /** The first sync is held up; what is queued meanwhile must wait for ONE more, and be answered only after it. */
  @Test
  void sixtyFourQueuedProducesShareOneSync() throws Exception {
    ActorRef<PartitionActor.Command> partition = spawnOpen();
    disk.resetCounts();
    FaultyDisk.Gate first = disk.block(SYNC, ".log");
    partition.tell(append(0, "first"));
    first.awaitEntered();
    FaultyDisk.Gate second = disk.block(SYNC, ".log");
    for (int i = 1; i <= 64; i++) {
      partition.tell(append(i, "queued " + i));
    }
    first.open();

    assertEquals(new PartitionReply.Appended(0, List.of(0L)), producer.receiveMessage(LONG));
    second.awaitEntered();
    producer.expectNoMessage(Duration.ZERO); // nothing acked while the sync has not returned
    assertEquals(1, handle.view().snapshot().orElseThrow().highWatermark(), "shown before the sync returned");
    second.open();

    for (int i = 1; i <= 64; i++) {
      assertEquals(new PartitionReply.Appended(i, List.of((long) i)), producer.receiveMessage(LONG));
    }
    assertEquals(2, disk.count(SYNC, ".log"));
    assertEquals(2, disk.count(WRITE, ".log"));
    assertEquals(65, handle.view().snapshot().orElseThrow().highWatermark());
  }

  /** In a system whose time stands still, so that an ack which waited for any timer would never come. */
  @Test
  void idlePartitionAddsNoWait() throws Exception {
    ActorTestKit running = kit;
    kit = ActorTestKit.create("still", ManualTime.config().withFallback(KakaConfig.parse("").akka()));
    try {
      producer = kit.createTestProbe();
      ActorRef<PartitionActor.Command> partition = spawnOpen();
      disk.resetCounts();
      int appendCount = 10_000;

      for (int i = 0; i < appendCount; i++) {
        partition.tell(append(i, "alone"));
        assertEquals(new PartitionReply.Appended(i, List.of((long) i)), producer.receiveMessage(LONG));
      }

      assertEquals(appendCount, disk.count(SYNC, ".log"));
      assertEquals(appendCount, disk.count(WRITE, ".log"));
    } finally {
      kit.shutdownTestKit();
      kit = running;
    }
  }

  @Test
  void batchesOfOneAppendAreNumberedInTheirOrder() {
    ActorRef<PartitionActor.Command> partition = spawnOpen();

    partition.tell(new PartitionActor.Append(List.of(batch("a", "b"), batch("c"), batch("d", "e")), MemoryCharge.NONE, 7, producer.ref()));

    assertEquals(new PartitionReply.Appended(7, List.of(0L, 2L, 3L)), producer.receiveMessage(LONG));
    assertEquals(List.of("a", "b", "c", "d", "e"), values());
  }

  // ---------------------------------------------------------------- fail-stop

  @Test
  void failedSyncRefusesItsCommitAndEverythingAfterAndIsNotRetried() throws Exception {
    ActorRef<PartitionActor.Command> partition = spawnOpen();
    partition.tell(append(0, "kept"));
    producer.expectMessage(LONG, new PartitionReply.Appended(0, List.of(0L)));
    FaultyDisk.Gate held = disk.block(SYNC, ".log");
    partition.tell(append(1, "held"));
    held.awaitEntered();
    for (int i = 2; i <= 20; i++) {
      partition.tell(append(i, "same commit " + i));
    }
    disk.failNext(SYNC, ".log"); // the held one has been counted already: this is the second commit's
    held.open();
    producer.expectMessage(LONG, new PartitionReply.Appended(1, List.of(1L)));

    for (int i = 2; i <= 20; i++) {
      producer.expectMessage(LONG, new PartitionReply.Refused(i, Refusal.STORAGE_FAILED));
    }
    disk.resetCounts();
    partition.tell(append(21, "later"));
    producer.expectMessage(LONG, new PartitionReply.Refused(21, Refusal.STORAGE_FAILED));

    assertEquals(0, disk.count(SYNC), "synced again after a failed sync");
    assertEquals(0, disk.count(WRITE), "written again after a failed sync");
    assertEquals(PartitionState.FAILED, handle.view().state());
    assertEquals(List.of("kept", "held"), values(), "reads go on, of what was acked only");
    assertEquals(partition, handle.actor(), "the same incarnation");
    TestProbe<Object> watcher = kit.createTestProbe();
    partition.tell(PartitionActor.Close.INSTANCE);
    watcher.expectTerminated(partition, LONG);
  }

  @Test
  void failedWriteIsForGoodToo() {
    ActorRef<PartitionActor.Command> partition = spawnOpen();
    disk.failNextWriteAfter(".log", 10);

    partition.tell(append(1, "torn"));
    partition.tell(append(2, "later"));

    producer.expectMessage(LONG, new PartitionReply.Refused(1, Refusal.STORAGE_FAILED));
    producer.expectMessage(LONG, new PartitionReply.Refused(2, Refusal.STORAGE_FAILED));
    assertEquals(List.of(), values());
  }

  /** Whatever file operation fails, an append is acked and then readable after a reopen, or refused. */
  @Test
  void everyFailingOperationIsFailStopAndLosesNothingAcked() throws Exception {
    for (int nth = 1; ; nth++) {
      FaultyDisk faulty = new FaultyDisk(new MemoryDisk());
      PartitionHandle some = new PartitionHandle(ID);
      LogConfig rolling = new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ZERO, 0);
      PartitionLog.create(faulty, DIRECTORY, TOPIC_ID, rolling, Clock.systemUTC()).close();
      ActorRef<PartitionActor.Command> partition = spawn(some, faulty, rolling, Duration.ZERO);
      producer.expectMessage(LONG, OPENED);
      faulty.failNth(FaultyDisk.CHANGES, "", nth);
      List<String> acked = new ArrayList<>();
      boolean failed = false;
      for (int i = 0; i < 40; i++) {
        String value = "value " + i + " of forty or more characters to fill it";
        partition.tell(append(i, value));
        if (producer.receiveMessage(LONG) instanceof PartitionReply.Appended) {
          assertFalse(failed, "acked after a failure, operation " + nth);
          acked.add(value);
        } else {
          failed = true;
        }
      }
      TestProbe<Object> watcher = kit.createTestProbe();
      partition.tell(PartitionActor.Close.INSTANCE);
      watcher.expectTerminated(partition, LONG);
      boolean untouched = faulty.failureCount() == 0;
      faulty.heal();
      try (PartitionLog reopened = PartitionLog.open(faulty, DIRECTORY, TOPIC_ID, rolling, Clock.systemUTC())) {
        List<String> stored = values(reopened.snapshot());
        assertEquals(acked, stored.subList(0, acked.size()), "operation " + nth);
      }
      if (untouched) {
        assertTrue(nth > 40, "only " + nth + " operations were failed");
        return;
      }
    }
  }

  @Test
  void logThatDoesNotOpenLeavesThePartitionFailedWithItsReason() throws IOException {
    PartitionLog.create(disk, DIRECTORY, TOPIC_ID, config(0), Clock.systemUTC()).close();
    ActorRef<PartitionActor.Command> partition = spawn(handle, disk, new UUID(9, 9), config(0), Duration.ZERO);
    producer.expectMessage(LONG, OPENED);

    partition.tell(append(1, "refused"));

    producer.expectMessage(LONG, new PartitionReply.Refused(1, Refusal.STORAGE_FAILED));
    assertEquals(PartitionState.FAILED, handle.view().state());
    assertTrue(handle.view().reason().contains("partition.metadata"), handle.view().reason());
    assertTrue(handle.view().snapshot().isEmpty());
  }

  // ---------------------------------------------------------------- the disk fills up

  @Test
  void nearlyFullDiskRefusesBeforeTheFileIsTouchedAndResumesByItself() {
    Duration second = Duration.ofSeconds(1);
    TestClock clock = new TestClock(1_000_000);
    ActorRef<PartitionActor.Command> partition = spawnOpen(1 << 20, clock);
    disk.setUsableBytes(1000);
    clock.advance(second.multipliedBy(2));
    disk.resetCounts();

    partition.tell(append(1, "no room"));
    producer.expectMessage(LONG, new PartitionReply.Refused(1, Refusal.DISK_NEARLY_FULL));
    assertEquals(0, disk.count(WRITE, ".log"));

    disk.setUsableBytes(2 << 20);
    clock.advance(second.multipliedBy(2));
    partition.tell(append(2, "room again"));
    producer.expectMessage(LONG, new PartitionReply.Appended(2, List.of(0L)));
    assertEquals(PartitionState.WRITABLE, handle.view().state());
  }

  // ---------------------------------------------------------------- the interval mode

  @Test
  void intervalModeAcksBeforeTheSyncWhichComesByTimer() throws Exception {
    ActorRef<PartitionActor.Command> partition = spawnOpen(config(0), Duration.ofMillis(50), Clock.systemUTC());
    disk.resetCounts();
    FaultyDisk.Gate held = disk.block(SYNC, ".log");

    partition.tell(append(1, "a"));
    producer.expectMessage(LONG, new PartitionReply.Appended(1, List.of(0L)));

    held.awaitEntered();
    assertEquals(1, disk.count(SYNC, ".log"));
    held.open();
  }

  @Test
  void failedIntervalSyncIsFailStop() throws Exception {
    ActorRef<PartitionActor.Command> partition = spawnOpen(config(0), Duration.ofMillis(20), Clock.systemUTC());
    FaultyDisk.Gate held = disk.block(SYNC, ".log");
    disk.failNext(SYNC, ".log");
    partition.tell(append(1, "acked"));
    producer.expectMessage(LONG, new PartitionReply.Appended(1, List.of(0L)));
    held.awaitEntered();
    partition.tell(append(2, "behind the failing sync"));
    held.open();

    producer.expectMessage(LONG, new PartitionReply.Refused(2, Refusal.STORAGE_FAILED));
    assertEquals(List.of("acked"), values());
  }

  // ---------------------------------------------------------------- waiting fetches

  @Test
  void waitersAreWokenByTheHighWatermarkAloneAndOnce() throws Exception {
    ActorRef<PartitionActor.Command> partition = spawnOpen();
    TestProbe<PartitionReply> reader = kit.createTestProbe();
    partition.tell(new PartitionActor.AwaitRecords(0, Isolation.UNCOMMITTED, 1, reader.ref()));
    partition.tell(new PartitionActor.AwaitRecords(1, Isolation.UNCOMMITTED, 2, reader.ref()));
    partition.tell(new PartitionActor.AwaitRecords(0, Isolation.UNCOMMITTED, 3, reader.ref()));
    partition.tell(new PartitionActor.CancelAwait(3, reader.ref()));
    FaultyDisk.Gate held = disk.block(SYNC, ".log");

    partition.tell(append(0, "a"));
    held.awaitEntered();
    reader.expectNoMessage(Duration.ZERO); // nobody woken while the sync has not returned
    held.open();
    reader.expectMessage(LONG, new PartitionReply.Advanced(1));

    partition.tell(append(1, "b"));
    producer.receiveMessage(LONG);
    producer.receiveMessage(LONG);
    reader.expectMessage(LONG, new PartitionReply.Advanced(2));
    partition.tell(new PartitionActor.AwaitRecords(0, Isolation.UNCOMMITTED, 4, reader.ref())); // there already: answered at once
    reader.expectMessage(LONG, new PartitionReply.Advanced(4)); // and 1, 2 were not answered twice, 3 not at all
  }

  @Test
  void failureAndDeletionWakeWaiters() {
    ActorRef<PartitionActor.Command> partition = spawnOpen();
    TestProbe<PartitionReply> reader = kit.createTestProbe();
    partition.tell(new PartitionActor.AwaitRecords(0, Isolation.UNCOMMITTED, 1, reader.ref()));
    disk.failNext(SYNC, ".log");
    partition.tell(append(0, "fails"));
    reader.expectMessage(LONG, new PartitionReply.Advanced(1));
    partition.tell(new PartitionActor.AwaitRecords(0, Isolation.UNCOMMITTED, 2, reader.ref()));
    reader.expectMessage(LONG, new PartitionReply.Advanced(2));
  }

  // ---------------------------------------------------------------- stop

  @Test
  void closeCommitsWhatIsPendingFirst() throws Exception {
    ActorRef<PartitionActor.Command> partition = spawnOpen();
    FaultyDisk.Gate held = disk.block(SYNC, ".log");
    partition.tell(append(0, "a"));
    held.awaitEntered();
    partition.tell(append(1, "b"));
    partition.tell(PartitionActor.Close.INSTANCE);
    held.open();

    producer.expectMessage(LONG, new PartitionReply.Appended(0, List.of(0L)));
    producer.expectMessage(LONG, new PartitionReply.Appended(1, List.of(1L)));
    kit.createTestProbe().expectTerminated(partition, LONG);
    try (PartitionLog reopened = PartitionLog.open(disk, DIRECTORY, TOPIC_ID, config(0), Clock.systemUTC())) {
      assertEquals(List.of("a", "b"), values(reopened.snapshot()));
      assertEquals(0, reopened.recovery().cutBytes());
    }
  }

  @Test
  void deletionRefusesWhatIsPendingAndRemovesTheFiles() throws Exception {
    ActorRef<PartitionActor.Command> partition = spawnOpen();
    partition.tell(append(9, "before"));
    producer.receiveMessage(LONG);
    LogSnapshot before = handle.view().snapshot().orElseThrow();
    FaultyDisk.Gate held = disk.block(SYNC, ".log");
    partition.tell(append(0, "a"));
    held.awaitEntered();
    partition.tell(append(1, "b"));
    partition.tell(PartitionActor.Delete.INSTANCE);
    held.open();

    producer.expectMessage(LONG, new PartitionReply.Appended(0, List.of(1L)));
    PartitionReply second = producer.receiveMessage(LONG); // its commit may come before the deletion, or not at all
    assertTrue(
        second.equals(new PartitionReply.Appended(1, List.of(2L)))
            || second.equals(new PartitionReply.Refused(1, Refusal.CLOSED)),
        second.toString());
    kit.createTestProbe().expectTerminated(partition, LONG);
    assertThrows(StaleSnapshotException.class, () -> before.reader(0), "a snapshot may not open a later topic's files");
    assertFalse(disk.exists(DIRECTORY));
    assertTrue(handle.view().snapshot().isEmpty());
  }

  // ---------------------------------------------------------------- helpers

  // ---------------------------------------------------------------- memory

  /** Whoever asked may be gone: the partition gives the memory back when it acks, refuses or ends, and not before. */
  @Test
  void chargeIsReleasedWithTheAnswer() throws Exception {
    MemoryBudget memory = new MemoryBudget(1000);
    ActorRef<PartitionActor.Command> partition = spawnOpen();
    try (FaultyDisk.Gate gate = disk.block(SYNC, ".log")) {
      partition.tell(charged(memory, 0));
      gate.awaitEntered();
      partition.tell(charged(memory, 1));
      assertEquals(200, memory.usedBytes());
    }
    producer.expectMessage(LONG, new PartitionReply.Appended(0, List.of(0L)));
    producer.expectMessage(LONG, new PartitionReply.Appended(1, List.of(1L)));
    assertEquals(0, memory.usedBytes());
    disk.failNext(SYNC, ".log");
    partition.tell(charged(memory, 2));
    producer.expectMessage(LONG, new PartitionReply.Refused(2, Refusal.STORAGE_FAILED));
    partition.tell(charged(memory, 3));
    producer.expectMessage(LONG, new PartitionReply.Refused(3, Refusal.STORAGE_FAILED));
    assertEquals(0, memory.usedBytes());
  }

  /** What stands in the mailbox behind a stop, or comes after it, is never handled: its memory is given back all the same. */
  @Test
  void chargeOfAnAppendThatIsNeverSeenIsReleased() throws Exception {
    MemoryBudget memory = new MemoryBudget(1000);
    awaitSubscribed(kit.spawn(LostAppends.create()));
    ActorRef<PartitionActor.Command> partition = spawnOpen();
    try (FaultyDisk.Gate gate = disk.block(SYNC, ".log")) {
      partition.tell(charged(memory, 0));
      gate.awaitEntered();
      partition.tell(PartitionActor.Close.INSTANCE);
      partition.tell(charged(memory, 1));
      assertEquals(200, memory.usedBytes());
    }
    producer.expectTerminated(partition, LONG);
    partition.tell(charged(memory, 2));
    producer.awaitAssert(
        LONG,
        () -> {
          assertEquals(0, memory.usedBytes());
          return memory;
        });
  }

  /** Its subscription is on its way when it is spawned: letters that come before are nobody's. Returns when one was seen. */
  private void awaitSubscribed(ActorRef<?> lostAppends) {
    ActorRef<PartitionActor.Command> gone = kit.spawn(Behaviors.setup(context -> Behaviors.stopped()));
    producer.expectTerminated(gone, LONG);
    List<MemoryBudget> letters = new ArrayList<>();
    producer.awaitAssert(
        LONG,
        () -> {
          boolean seen = letters.stream().anyMatch(budget -> budget.usedBytes() == 0);
          MemoryBudget next = new MemoryBudget(100);
          gone.tell(charged(next, 0));
          letters.add(next);
          assertTrue(seen, lostAppends + " has seen none of " + letters.size());
          return letters;
        });
  }

  private PartitionActor.Append charged(MemoryBudget memory, long correlationId) {
    return new PartitionActor.Append(
        List.of(batch("x")), MemoryCharge.tryReserve(memory, 100).orElseThrow(), correlationId, producer.ref());
  }

  /** A roll moves the log's own high watermark before the commit is shown: who waits is not woken for what cannot be seen yet. */
  @Test
  void awaitBehindARollWaitsForTheCommit() throws Exception {
    LogConfig rolling = new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ZERO, 0);
    ActorRef<PartitionActor.Command> partition = spawnOpen(rolling, Duration.ZERO, Clock.systemUTC());
    FaultyDisk.Gate first = disk.block(SYNC, "00000000000000000000.log");
    partition.tell(append(0, "x".repeat(400)));
    first.awaitEntered();
    partition.tell(append(1, "x".repeat(400)));
    partition.tell(append(2, "x".repeat(400))); // rolls
    partition.tell(new PartitionActor.AwaitRecords(1, Isolation.UNCOMMITTED, 77, producer.ref()));
    FaultyDisk.Gate commit = disk.block(SYNC, "00000000000000000002.log");
    first.open();
    producer.expectMessage(LONG, new PartitionReply.Appended(0, List.of(0L)));
    commit.awaitEntered();
    producer.expectNoMessage(Duration.ZERO);
    commit.open();

    producer.expectMessage(LONG, new PartitionReply.Advanced(77));
    assertTrue(handle.view().snapshot().orElseThrow().highWatermark() > 1);
  }

  /** Without zeros, whose writes would be counted as a commit's. */
  private static LogConfig config(long minFreeBytes) {
    return new LogConfig(64 << 20, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, minFreeBytes)
        .withPreallocation(Preallocation.OFF);
  }

  private ActorRef<PartitionActor.Command> spawnOpen() {
    return spawnOpen(0, Clock.systemUTC());
  }

  private ActorRef<PartitionActor.Command> spawnOpen(long minFreeBytes, Clock clock) {
    return spawnOpen(config(minFreeBytes), Duration.ZERO, clock);
  }

  private ActorRef<PartitionActor.Command> spawnOpen(LogConfig config, Duration fsyncInterval, Clock clock) {
    ActorRef<PartitionActor.Command> partition =
        spawn(
            handle,
            () -> PartitionLog.create(disk, DIRECTORY, TOPIC_ID, config, clock),
            () -> PartitionDirectory.delete(disk, DIRECTORY, TOPIC_ID),
            fsyncInterval);
    producer.expectMessage(LONG, OPENED);
    return partition;
  }

  private ActorRef<PartitionActor.Command> spawn(
      PartitionHandle some, FaultyDisk faulty, LogConfig config, Duration fsyncInterval) {
    return spawn(some, faulty, TOPIC_ID, config, fsyncInterval);
  }

  private ActorRef<PartitionActor.Command> spawn(
      PartitionHandle some, FaultyDisk faulty, UUID topicId, LogConfig config, Duration fsyncInterval) {
    return spawn(
        some,
        () -> PartitionLog.open(faulty, DIRECTORY, topicId, config, Clock.systemUTC()),
        () -> PartitionDirectory.delete(faulty, DIRECTORY, topicId),
        fsyncInterval);
  }

  private ActorRef<PartitionActor.Command> spawn(
      PartitionHandle some,
      LogOpener opener,
      LogRemover remover,
      Duration fsyncInterval) {
    TestProbe<PartitionReply> opened = producer;
    ActorRef<PartitionActor.Command> partition =
        kit.spawn(
            PartitionActor.create(
                some,
                opener,
                remover,
                new PartitionSettings(
                    fsyncInterval, Duration.ofDays(1), new CompactionShare(new CompactionConfig(1, 1 << 20, 0))),
                () -> opened.ref().tell(OPENED)),
            DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
    partition.tell(PartitionActor.Open.INSTANCE);
    some.bind(partition);
    return partition;
  }

  private PartitionActor.Append append(long correlationId, String value) {
    return new PartitionActor.Append(List.of(batch(value)), MemoryCharge.NONE, correlationId, producer.ref());
  }

  private static RecordBatch batch(String... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder(64);
    for (String value : values) {
      builder.append(1000, null, value.getBytes(StandardCharsets.UTF_8), List.of());
    }
    return builder.build();
  }

  private List<String> values() {
    return values(handle.view().snapshot().orElseThrow());
  }

  private static List<String> values(LogSnapshot snapshot) {
    List<String> values = new ArrayList<>();
    try (LogReader reader = snapshot.reader(snapshot.logStartOffset())) {
      byte[] bytes = new byte[(int) reader.sizeBytes()];
      reader.read(ByteBuffer.wrap(bytes), 0);
      for (int at = 0; at < bytes.length; ) {
        RecordBatch batch = RecordBatch.frame(bytes, at, bytes.length);
        for (Record record : batch.records()) {
          values.add(new String(record.value(), StandardCharsets.UTF_8));
        }
        at += batch.sizeBytes();
      }
    } catch (IOException | InvalidBatchException e) {
      throw new AssertionError(e);
    }
    return values;
  }
}
