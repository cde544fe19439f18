package kaka.partition;

import static kaka.log.FaultyDisk.Operation.SYNC;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.IOException;
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
import kaka.partition.PartitionReply.Appended;
import kaka.partition.PartitionReply.NotStored;
import kaka.partition.PartitionReply.PartlyAppended;
import kaka.partition.PartitionReply.Refused;
import kaka.partition.PartitionReply.Stored;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Batches of idempotent producers in a partition's commits: when a repeat is acknowledged, and what else becomes of one. */
class IdempotentAppendTest {
  private static final UUID TOPIC_ID = new UUID(1, 2);
  private static final Path DIRECTORY = Path.of("orders-0");
  private static final Duration LONG = Duration.ofSeconds(120);
  private static final LogConfig CONFIG =
      new LogConfig(1 << 20, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, 0);
  private static final PartitionReply OPENED = new PartitionReply.Advanced(-1);

  private static ActorTestKit kit;

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private final PartitionHandle handle = new PartitionHandle(new TopicPartition("orders", 0));
  private TestProbe<PartitionReply> producer;
  private ActorRef<PartitionActor.Command> partition;

  @BeforeAll
  static void startKit() throws Exception {
    kit = ActorTestKit.create("idempotent", KakaConfig.parse("").akka());
    logLevel(Level.OFF);
  }

  @AfterAll
  static void stopKit() {
    kit.shutdownTestKit();
    logLevel(null);
  }

  private static void logLevel(Level level) {
    ((Logger) LoggerFactory.getLogger("kaka.partition")).setLevel(level);
  }

  @BeforeEach
  void open() throws IOException {
    producer = kit.createTestProbe();
    PartitionLog.create(disk, DIRECTORY, TOPIC_ID, CONFIG, Clock.systemUTC()).close();
    reopen(Duration.ZERO);
  }

  private void reopen(Duration fsyncInterval) {
    partition =
        kit.spawn(
            PartitionActor.create(
                handle,
                () -> PartitionLog.open(disk, DIRECTORY, TOPIC_ID, CONFIG, Clock.systemUTC()),
                () -> {},
                new PartitionSettings(
                    fsyncInterval, Duration.ofDays(1), new CompactionShare(new CompactionConfig(1, 1 << 20, 0))),
                () -> producer.ref().tell(OPENED)),
            DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
    partition.tell(PartitionActor.Open.INSTANCE);
    producer.expectMessage(LONG, OPENED);
    disk.resetCounts();
  }

  private void restart() {
    TestProbe<Void> watcher = kit.createTestProbe();
    partition.tell(PartitionActor.Close.INSTANCE);
    watcher.expectTerminated(partition, LONG);
    reopen(Duration.ZERO);
  }

  /** One record of producer 7. */
  private static RecordBatch numbered(int sequence) {
    return numbered(0, sequence);
  }

  private static RecordBatch numbered(int epoch, int sequence) {
    return new RecordBatchBuilder(64).producer(7, (short) epoch, sequence).append(1000, null, new byte[1], List.of()).build();
  }

  private static RecordBatch plain() {
    return new RecordBatchBuilder(64).append(1000, null, new byte[1], List.of()).build();
  }

  private void append(long correlationId, RecordBatch... batches) {
    partition.tell(new PartitionActor.Append(List.of(batches), MemoryCharge.NONE, correlationId, producer.ref()));
  }

  private long highWatermark() {
    return handle.view().snapshot().orElseThrow().highWatermark();
  }

  @Test
  void repeatGetsItsFirstOffsetAndIsNotStoredAgain() {
    append(1, plain(), numbered(0));
    producer.expectMessage(LONG, new Appended(1, List.of(0L, 1L)));
    append(2, plain());
    producer.expectMessage(LONG, new Appended(2, List.of(2L)));
    disk.resetCounts();

    append(3, numbered(0));

    producer.expectMessage(LONG, new Appended(3, List.of(1L)));
    assertEquals(3, highWatermark());
    assertEquals(0, disk.count(SYNC), "nothing to sync");
  }

  @Test
  void repeatIsRecognisedAfterARestart() {
    append(1, numbered(0), numbered(1));
    producer.expectMessage(LONG, new Appended(1, List.of(0L, 1L)));

    restart();
    append(2, numbered(1), numbered(2));

    producer.expectMessage(LONG, new Appended(2, List.of(1L, 2L)));
    assertEquals(3, highWatermark());
  }

  /** The original's sync is held up: its repeat, though known, is acknowledged with it and no earlier. */
  @Test
  void repeatOfAPendingBatchWaitsForItsCommit() throws Exception {
    FaultyDisk.Gate first = disk.block(SYNC, ".log");
    append(1, plain());
    first.awaitEntered();
    FaultyDisk.Gate second = disk.block(SYNC, ".log");
    append(2, numbered(0));
    append(3, numbered(0));
    append(4, numbered(0), numbered(1));
    first.open();
    producer.expectMessage(LONG, new Appended(1, List.of(0L)));
    second.awaitEntered();
    producer.expectNoMessage(Duration.ZERO);
    second.open();

    producer.expectMessage(LONG, new Appended(2, List.of(1L)));
    producer.expectMessage(LONG, new Appended(3, List.of(1L)));
    producer.expectMessage(LONG, new Appended(4, List.of(1L, 2L)));
    assertEquals(2, disk.count(SYNC, ".log"));
    assertEquals(3, highWatermark());
  }

  /** What the failed commit held is not acknowledged, neither is its repeat, nor a repeat of what was acknowledged before. */
  @Test
  void repeatAfterAFailedCommitIsRefused() throws Exception {
    append(1, numbered(0));
    producer.expectMessage(LONG, new Appended(1, List.of(0L)));
    FaultyDisk.Gate held = disk.block(SYNC, ".log");
    append(2, plain());
    held.awaitEntered();
    append(3, numbered(1));
    append(4, numbered(1));
    disk.failNext(SYNC, ".log"); // the held one has been counted
    held.open();
    producer.expectMessage(LONG, new Appended(2, List.of(1L)));

    producer.expectMessage(LONG, new Refused(3, Refusal.STORAGE_FAILED));
    producer.expectMessage(LONG, new Refused(4, Refusal.STORAGE_FAILED));
    append(5, numbered(1));
    producer.expectMessage(LONG, new Refused(5, Refusal.STORAGE_FAILED));
    append(6, numbered(0));
    producer.expectMessage(LONG, new Refused(6, Refusal.STORAGE_FAILED));
    assertEquals(2, highWatermark());
  }

  /** A gap is refused batch by batch: what is before it, and what has nothing to do with it, is stored. */
  @Test
  void gapIsRefusedAloneAndTheRestIsStored() {
    append(1, plain(), numbered(0), numbered(2), plain(), numbered(3));

    PartlyAppended partly = (PartlyAppended) producer.receiveMessage(LONG);

    assertEquals(new Stored(0), partly.outcomes().get(0));
    assertEquals(new Stored(1), partly.outcomes().get(1));
    assertEquals(Refusal.OUT_OF_ORDER_SEQUENCE, ((NotStored) partly.outcomes().get(2)).reason());
    assertEquals(new Stored(2), partly.outcomes().get(3));
    assertEquals(Refusal.OUT_OF_ORDER_SEQUENCE, ((NotStored) partly.outcomes().get(4)).reason());
    assertEquals(3, highWatermark());
    append(2, numbered(1), numbered(2), numbered(3));
    producer.expectMessage(LONG, new Appended(2, List.of(3L, 4L, 5L)));
  }

  @Test
  void strangersAndOlderEpochsAreRefused() {
    append(1, numbered(5));
    NotStored stranger = (NotStored) ((PartlyAppended) producer.receiveMessage(LONG)).outcomes().get(0);
    assertEquals(Refusal.UNKNOWN_PRODUCER, stranger.reason());
    assertTrue(stranger.detail().contains("producer 7 epoch 0 sequence 5"), stranger.detail());
    append(2, numbered(3, 0));
    producer.expectMessage(LONG, new Appended(2, List.of(0L)));

    append(3, numbered(2, 1));

    NotStored fenced = (NotStored) ((PartlyAppended) producer.receiveMessage(LONG)).outcomes().get(0);
    assertEquals(Refusal.FENCED_PRODUCER, fenced.reason());
    assertEquals(1, highWatermark());
  }

  /** In the interval mode a repeat is acknowledged as its original was: when it is written. */
  @Test
  void repeatInTheIntervalMode() {
    TestProbe<Void> watcher = kit.createTestProbe();
    partition.tell(PartitionActor.Close.INSTANCE);
    watcher.expectTerminated(partition, LONG);
    reopen(Duration.ofDays(1));

    append(1, numbered(0));
    append(2, numbered(0));

    producer.expectMessage(LONG, new Appended(1, List.of(0L)));
    producer.expectMessage(LONG, new Appended(2, List.of(0L)));
    assertEquals(1, highWatermark());
    assertEquals(0, disk.count(SYNC));
  }
}
