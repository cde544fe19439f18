package kaka.topic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
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
import java.util.Map;
import java.util.TreeMap;
import kaka.config.KakaConfig;
import kaka.log.CompactionConfig;
import kaka.log.DiskFile;
import kaka.log.DescriptorBudget;
import kaka.log.FaultyDisk;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import kaka.log.SegmentScan;
import kaka.partition.CompactionShare;
import kaka.partition.MemoryCharge;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.PartitionSettings;
import kaka.partition.PartitionState;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TopicRegistryTest {
  private static final Path DATA = Path.of("/data");
  private static final Duration LONG = Duration.ofSeconds(120);
  private static final LogConfig LOG =
      new LogConfig(1 << 20, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, 0);

  /** Loggers that would tell of hundreds of injected faults. */
  private static final List<String> FAILING = List.of("kaka.topic", "kaka.partition", "kaka.log");

  private static ActorTestKit kit;

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private LogConfig log = LOG;
  private DescriptorBudget descriptors = new DescriptorBudget(1000);
  private Routes routes = new Routes();
  private OpenedTopics opened;
  private TestProbe<TopicReply> asker;
  private TestProbe<PartitionReply> producer;

  @BeforeAll
  static void startKit() throws Exception {
    kit = ActorTestKit.create("topic", KakaConfig.parse("").akka());
    FAILING.forEach(name -> ((Logger) LoggerFactory.getLogger(name)).setLevel(Level.OFF));
  }

  @AfterAll
  static void stopKit() {
    kit.shutdownTestKit();
    FAILING.forEach(name -> ((Logger) LoggerFactory.getLogger(name)).setLevel(null));
  }

  @BeforeEach
  void prepare() throws IOException {
    disk.createDirectory(DATA);
    asker = kit.createTestProbe();
    producer = kit.createTestProbe();
  }

  @Test
  void createdTopicIsThereAfterRestartWithItsIdSettingsAndRecords() throws Exception {
    ActorRef<TopicRegistry.Command> registry = start(true, 1);
    TopicRoute created = create(registry, "orders", 3, Map.of("segment.bytes", "2048", "retention.ms", "60000"));
    assertEquals(3, created.partitions().size());
    append(created.partitions().get(2), "kept");
    stop(registry);

    ActorRef<TopicRegistry.Command> again = start(true, 1);
    TopicRoute found = routes.table().find("orders").orElseThrow();
    assertEquals(created.topic(), found.topic());
    assertEquals(1, found.partitions().get(2).view().snapshot().orElseThrow().highWatermark());
    assertEquals("60000", found.topic().settings().effective(LOG).get("retention.ms"));
    stop(again);
  }

  @Test
  void reCreatedTopicInheritsNothing() throws Exception {
    ActorRef<TopicRegistry.Command> registry = start(true, 1);
    TopicRoute first = create(registry, "orders", 1, Map.of("segment.bytes", "2048"));
    append(first.partitions().get(0), "old");
    registry.tell(new TopicRegistry.DeleteTopic("orders", 5, asker.ref()));
    registry.tell(new TopicRegistry.CreateTopic("orders", 1, Map.of(), 6, asker.ref())); // waits for the files to go

    assertEquals(new TopicReply.Gone(5), asker.receiveMessage(LONG));
    TopicRoute second = assertInstanceOf(TopicReply.Ready.class, asker.receiveMessage(LONG)).route();
    assertNotEquals(first.topic().id(), second.topic().id());
    assertEquals(0, second.partitions().get(0).view().snapshot().orElseThrow().highWatermark());
    assertEquals(Map.of(), second.topic().settings().values());
    stop(registry);
    stop(start(true, 1));
    assertEquals(second.topic(), routes.table().find("orders").orElseThrow().topic());
  }

  @Test
  void deletedTopicIsGoneWithItsFiles() throws Exception {
    ActorRef<TopicRegistry.Command> registry = start(true, 1);
    create(registry, "orders", 2, Map.of());
    create(registry, "kept", 1, Map.of());
    registry.tell(new TopicRegistry.DeleteTopic("orders", 1, asker.ref()));

    assertEquals(new TopicReply.Gone(1), asker.receiveMessage(LONG));
    assertTrue(routes.table().find("orders").isEmpty());
    assertEquals(List.of("__topics-0", "kept-0"), disk.list(DATA));
    registry.tell(new TopicRegistry.DeleteTopic("orders", 2, asker.ref()));
    assertRefused(TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION);
    stop(registry);
  }

  @Test
  void badCreationsAreRefusedWithTheReason() throws Exception {
    ActorRef<TopicRegistry.Command> registry = start(true, 1);
    create(registry, "orders", 1, Map.of());
    registry.tell(new TopicRegistry.CreateTopic("orders", 1, Map.of(), 1, asker.ref()));
    assertRefused(TopicRefusal.EXISTS);
    registry.tell(new TopicRegistry.CreateTopic("a/b", 1, Map.of(), 2, asker.ref()));
    assertRefused(TopicRefusal.INVALID);
    registry.tell(new TopicRegistry.CreateTopic("__topics", 1, Map.of(), 3, asker.ref()));
    assertRefused(TopicRefusal.INVALID);
    registry.tell(new TopicRegistry.CreateTopic("many", 10_001, Map.of(), 4, asker.ref()));
    assertRefused(TopicRefusal.INVALID);
    for (Map<String, String> bad :
        List.of(
            Map.of("no.such", "1"),
            Map.of("segment.bytes", "many"),
            Map.of("segment.bytes", "10"),
            Map.of("segment.bytes", "99999999999"),
            Map.of("retention.bytes", "-2"))) {
      registry.tell(new TopicRegistry.CreateTopic("bad", 1, bad, 5, asker.ref()));
      TopicReply.TopicRefused refused = assertRefused(TopicRefusal.INVALID);
      String name = bad.keySet().iterator().next();
      assertTrue(refused.message().contains(name) || refused.message().contains(name.replace('.', '-')), refused.message());
    }
    assertEquals(List.of("__topics-0", "orders-0"), disk.list(DATA));
    stop(registry);
  }

  @Test
  void useCreatesWhereAllowedAndOnlyPartitionsOfTheDefaultCount() throws Exception {
    ActorRef<TopicRegistry.Command> registry = start(true, 2);
    registry.tell(new TopicRegistry.EnsureTopic("orders", 2, 1, asker.ref()));
    assertRefused(TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION);
    registry.tell(new TopicRegistry.EnsureTopic("__offsets", 0, 2, asker.ref()));
    assertRefused(TopicRefusal.INVALID);
    registry.tell(new TopicRegistry.EnsureTopic("orders", 1, 3, asker.ref()));
    registry.tell(new TopicRegistry.EnsureTopic("orders", 0, 4, asker.ref())); // while it is being created
    TopicReply.Ready first = assertInstanceOf(TopicReply.Ready.class, asker.receiveMessage(LONG));
    TopicReply.Ready second = assertInstanceOf(TopicReply.Ready.class, asker.receiveMessage(LONG));
    assertEquals(first.route().topic().id(), second.route().topic().id());
    assertEquals(2, first.route().topic().partitionCount());
    assertTrue(first.route().partitions().stream().allMatch(p -> p.view().state() == PartitionState.WRITABLE));
    stop(registry);

    ActorRef<TopicRegistry.Command> strict = start(false, 2);
    strict.tell(new TopicRegistry.EnsureTopic("orders", 0, 5, asker.ref()));
    assertInstanceOf(TopicReply.Ready.class, asker.receiveMessage(LONG));
    strict.tell(new TopicRegistry.EnsureTopic("other", 0, 6, asker.ref()));
    assertRefused(TopicRefusal.UNKNOWN_TOPIC_OR_PARTITION);
    stop(strict);
  }

  @Test
  void failedRegistryLogRefusesChangesForGoodAndServesOn() throws Exception {
    ActorRef<TopicRegistry.Command> registry = start(true, 1);
    TopicRoute orders = create(registry, "orders", 1, Map.of());
    disk.failNext(FaultyDisk.Operation.SYNC, ".log");
    registry.tell(new TopicRegistry.CreateTopic("late", 1, Map.of(), 1, asker.ref()));
    assertRefused(TopicRefusal.STORAGE_FAILED);
    disk.resetCounts();
    registry.tell(new TopicRegistry.CreateTopic("later", 1, Map.of(), 2, asker.ref()));
    assertRefused(TopicRefusal.STORAGE_FAILED);
    registry.tell(new TopicRegistry.DeleteTopic("orders", 3, asker.ref()));
    assertRefused(TopicRefusal.STORAGE_FAILED);
    assertEquals(0, disk.count(FaultyDisk.Operation.SYNC));
    append(orders.partitions().get(0), "still served");
    stop(registry);
  }

  /** Refused before anything is touched, and taken again when there is room: a partition half created would stay failed. */
  @Test
  void creationIsRefusedWhileTheDiskIsNearlyFull() throws Exception {
    log = new LogConfig(1 << 20, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, 1000);
    ActorRef<TopicRegistry.Command> registry = start(true, 1);
    disk.setUsableBytes(999);
    registry.tell(new TopicRegistry.CreateTopic("orders", 1, Map.of(), 1, asker.ref()));
    assertEquals("disk nearly full", assertRefused(TopicRefusal.STORAGE_FAILED).message());
    assertEquals(List.of("__topics-0"), disk.list(DATA));
    disk.setUsableBytes(-1);
    append(create(registry, "orders", 1, Map.of()).partitions().get(0), "room");
    stop(registry);
  }

  @Test
  void creationIsRefusedWhereItsFilesWouldTakeThoseThatRollsNeed() throws Exception {
    descriptors = new DescriptorBudget(40); // two reserves of 10: room for ten partitions of two files each
    ActorRef<TopicRegistry.Command> registry = start(true, 1);
    registry.tell(new TopicRegistry.CreateTopic("many", 11, Map.of(), 1, asker.ref()));
    assertTrue(assertRefused(TopicRefusal.STORAGE_FAILED).message().contains("ulimit -n"));
    create(registry, "few", 10, Map.of());
    stop(registry);
  }

  /** A directory that vanished was acknowledged data: it must not come back as an empty partition. */
  @Test
  void missingDirectoryOfACompleteTopicIsDamage() throws Exception {
    ActorRef<TopicRegistry.Command> registry = start(true, 1);
    create(registry, "orders", 2, Map.of());
    stop(registry);
    for (String name : disk.list(DATA.resolve("orders-1"))) {
      disk.delete(DATA.resolve("orders-1").resolve(name));
    }
    disk.delete(DATA.resolve("orders-1"));

    ActorRef<TopicRegistry.Command> again = start(true, 1);
    TopicRoute route = routes.table().find("orders").orElseThrow();
    assertEquals(PartitionState.WRITABLE, route.partitions().get(0).view().state());
    assertEquals(PartitionState.FAILED, route.partitions().get(1).view().state());
    assertFalse(disk.exists(DATA.resolve("orders-1")));
    stop(again);
  }

  /**
   * Without its log, or with a damaged one, the registry does not begin anew beside partitions that it no longer knows, nor
   * does it keep them from being served: they are found by their directories, keep everything, and stay as they are.
   */
  @Test
  void damagedOrMissingRegistryLogLeavesTopicsServedButUnchangeable() throws Exception {
    ActorRef<TopicRegistry.Command> registry = start(true, 1);
    TopicRoute orders = create(registry, "orders", 2, Map.of("segment.bytes", "2048", "retention.ms", "60000"));
    TopicRoute late = create(registry, "late", 1, Map.of("retention.ms", "60000"));
    append(orders.partitions().get(1), "kept");
    stop(registry);
    Path log = DATA.resolve("__topics-0/00000000000000000000.log");
    List<SegmentScan.Piece> pieces = new ArrayList<>();
    try (SegmentScan scan = SegmentScan.open(disk, log)) {
      scan.next().ifPresent(pieces::add); // orders created
      scan.next().ifPresent(pieces::add); // orders completed
      scan.next().ifPresent(pieces::add); // late created
    }
    flip(log, pieces.get(2).position() + 70);

    for (boolean isMissing : List.of(false, true)) {
      if (isMissing) {
        for (String name : disk.list(DATA.resolve("__topics-0"))) {
          disk.delete(DATA.resolve("__topics-0").resolve(name));
        }
      }
      ActorRef<TopicRegistry.Command> again = start(true, 1);
      assertTrue(opened.problem().contains("`kaka log rebuild-topics /data --yes`"), opened.problem());
      assertTrue(routes.notice().contains(opened.problem()), routes.notice());
      TopicRoute found = routes.table().find("orders").orElseThrow();
      assertEquals(orders.topic().id(), found.topic().id());
      assertEquals(2, found.partitions().size());
      assertEquals(late.topic().id(), routes.table().find("late").orElseThrow().topic().id());
      assertEquals("-1", found.topic().settings().values().get("retention.ms"), "nothing expires");
      assertEquals(isMissing ? null : "2048", found.topic().settings().values().get("segment.bytes"));
      append(found.partitions().get(0), "still written");
      again.tell(new TopicRegistry.CreateTopic("new", 1, Map.of(), 1, asker.ref()));
      assertRefused(TopicRefusal.STORAGE_FAILED);
      again.tell(new TopicRegistry.DeleteTopic("orders", 2, asker.ref()));
      assertRefused(TopicRefusal.STORAGE_FAILED);
      again.tell(new TopicRegistry.EnsureTopic("unheard-of", 0, 3, asker.ref()));
      assertRefused(TopicRefusal.STORAGE_FAILED);
      again.tell(new TopicRegistry.EnsureTopic("orders", 0, 4, asker.ref()));
      assertInstanceOf(TopicReply.Ready.class, asker.receiveMessage(LONG));
      stop(again);
      assertEquals(List.of("__topics-0", "late-0", "orders-0", "orders-1"), disk.list(DATA));
    }
  }

  /** Dies at every change of the disk while the log of topics is made anew; the next call finishes it. */
  @Test
  void rebuiltTopicsAreThoseThatWereThereWhateverInterruptsIt() throws Exception {
    ActorRef<TopicRegistry.Command> registry = start(true, 1);
    TopicRoute orders = create(registry, "orders", 2, Map.of("segment.bytes", "2048"));
    TopicRoute late = create(registry, "late", 1, Map.of("retention.ms", "60000"));
    create(registry, "gone", 1, Map.of());
    registry.tell(new TopicRegistry.DeleteTopic("gone", 1, asker.ref()));
    asker.receiveMessage(LONG);
    stop(registry);
    Path log = DATA.resolve("__topics-0/00000000000000000000.log");
    long end;
    try (DiskFile file = disk.openForReading(log)) {
      end = file.sizeBytes();
    }
    flip(log, end - 2);
    Map<Path, byte[]> before = contents();

    for (int nth = 1; ; nth++) {
      FaultyDisk faulty = new FaultyDisk(new MemoryDisk());
      restore(faulty, before);
      faulty.failFrom(FaultyDisk.CHANGES, "", nth);
      boolean interrupted = false;
      try {
        TopicsRebuild.run(faulty, DATA, LOG, Clock.systemUTC());
      } catch (IOException e) {
        interrupted = true;
      }
      faulty.heal();
      if (interrupted) {
        TopicsRebuild.run(faulty, DATA, LOG, Clock.systemUTC());
      }
      ActorRef<TopicRegistry.Command> again = start(faulty, true, 1);
      assertEquals("", opened.problem(), "change " + nth);
      assertEquals(2, routes.table().topicCount(), "change " + nth);
      assertEquals(orders.topic(), routes.table().find("orders").orElseThrow().topic(), "change " + nth);
      assertEquals(late.topic(), routes.table().find("late").orElseThrow().topic(), "change " + nth);
      create(again, "new", 1, Map.of());
      stop(again);
      List<String> names = faulty.list(DATA);
      assertTrue(names.contains("__topics-0.damaged-1"), names.toString());
      if (!interrupted) {
        assertTrue(nth > 10, "only " + nth + " changes were failed");
        return;
      }
    }
  }

  private void flip(Path file, long position) throws IOException {
    try (DiskFile open = disk.openForWriting(file)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      open.read(one, position);
      one.put(0, (byte) (one.get(0) ^ 4));
      open.write(one.flip(), position);
    }
  }

  private Map<Path, byte[]> contents() throws IOException {
    Map<Path, byte[]> all = new TreeMap<>();
    for (String directory : disk.list(DATA)) {
      for (String name : disk.list(DATA.resolve(directory))) {
        Path path = DATA.resolve(directory).resolve(name);
        try (DiskFile file = disk.openForReading(path)) {
          byte[] bytes = new byte[(int) file.sizeBytes()];
          file.read(ByteBuffer.wrap(bytes), 0);
          all.put(path, bytes);
        }
      }
    }
    return all;
  }

  private static void restore(FaultyDisk to, Map<Path, byte[]> contents) throws IOException {
    to.createDirectory(DATA);
    for (Map.Entry<Path, byte[]> each : contents.entrySet()) {
      if (!to.isDirectory(each.getKey().getParent())) {
        to.createDirectory(each.getKey().getParent());
      }
      try (DiskFile file = to.create(each.getKey())) {
        file.write(ByteBuffer.wrap(each.getValue()), 0);
      }
    }
  }

  /**
   * Dies at every change of the disk while topics come and go. After a restart: what was answered is so, every topic that is
   * there can be written, and nothing of a deleted one is left.
   */
  @Test
  void everyInterruptedChangeIsFinishedAtTheNextStart() throws Exception {
    for (int nth = 1; ; nth++) {
      FaultyDisk faulty = new FaultyDisk(new MemoryDisk());
      faulty.createDirectory(DATA);
      faulty.failFrom(FaultyDisk.CHANGES, "", nth);
      Map<String, Boolean> answered = new TreeMap<>();
      try {
        ActorRef<TopicRegistry.Command> registry = start(faulty, true, 1);
        for (String name : List.of("a", "b")) {
          registry.tell(new TopicRegistry.CreateTopic(name, 2, Map.of(), 1, asker.ref()));
          if (asker.receiveMessage(LONG) instanceof TopicReply.Ready ready
              && ready.route().partitions().stream().allMatch(p -> p.view().state() == PartitionState.WRITABLE)) {
            answered.put(name, true);
          }
        }
        registry.tell(new TopicRegistry.DeleteTopic("a", 2, asker.ref()));
        if (asker.receiveMessage(LONG) instanceof TopicReply.Gone) {
          answered.put("a", false);
        } else {
          answered.remove("a");
        }
        stop(registry);
      } catch (IOException e) {
        assertTrue(answered.isEmpty(), "the start failed");
      }
      boolean untouched = faulty.failureCount() == 0;
      faulty.heal();

      ActorRef<TopicRegistry.Command> again = start(faulty, true, 1);
      for (Map.Entry<String, Boolean> topic : answered.entrySet()) {
        assertEquals(topic.getValue(), routes.table().find(topic.getKey()).isPresent(), topic + ", change " + nth);
      }
      List<String> expected = new ArrayList<>(List.of("__topics-0"));
      for (TopicRoute route : routes.table().all()) {
        for (PartitionHandle partition : route.partitions()) {
          assertEquals(PartitionState.WRITABLE, partition.view().state(), partition.id() + ", change " + nth + ": " + partition.view().reason());
          append(partition, "works");
          expected.add(partition.id().toString());
        }
      }
      assertEquals(expected, faulty.list(DATA), "change " + nth);
      stop(again);
      if (untouched) {
        assertTrue(nth > 30, "only " + nth + " changes were failed");
        return;
      }
    }
  }

  @Test
  void eventsRoundTripAndUnknownOnesAreRefused() throws Exception {
    Topic topic = new Topic("orders", new java.util.UUID(3, 4), 2, new TopicSettings(Map.of("segment.ms", "5")));
    for (TopicEvent event :
        List.of(
            new TopicEvent.Created(topic),
            new TopicEvent.PartitionsAdded(topic.id(), 7),
            new TopicEvent.SettingsChanged(topic.id(), new TopicSettings(Map.of("retention.ms", "9", "segment.bytes", "2048"))),
            new TopicEvent.SettingsChanged(topic.id(), TopicSettings.NONE),
            new TopicEvent.Completed(topic.id()),
            new TopicEvent.Deleted(topic.id()))) {
      assertEquals(event, TopicEvent.parse(event.key(), event.value()));
    }
    byte[] key = topic.id().toString().getBytes(StandardCharsets.US_ASCII);
    for (String bad : List.of("", "event=created\nversion=2\n", "event=moved\nversion=1\n", "event=created\nversion=1\nname=x\n")) {
      assertThrows(
          IOException.class, () -> TopicEvent.parse(key, bad.getBytes(StandardCharsets.UTF_8)), bad);
    }
  }

  // ---------------------------------------------------------------- helpers

  private ActorRef<TopicRegistry.Command> start(boolean autoCreate, int defaultPartitions) throws IOException {
    return start(disk, autoCreate, defaultPartitions);
  }

  /** Returns when every partition has opened. */
  private ActorRef<TopicRegistry.Command> start(FaultyDisk on, boolean autoCreate, int defaultPartitions)
      throws IOException {
    routes = new Routes();
    ActorRef<TopicRegistry.Command> registry =
        kit.spawn(
            TopicRegistry.create(
                new TopicStorage(
                    on,
                    DATA,
                    log,
                    new PartitionSettings(
                        Duration.ZERO, Duration.ofDays(1), new CompactionShare(new CompactionConfig(1, 1 << 20, 0))),
                    Clock.systemUTC(),
                    descriptors),
                new TopicsConfig(autoCreate, defaultPartitions),
                routes),
            DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
    TestProbe<OpenedTopics> opened = kit.createTestProbe();
    registry.tell(new TopicRegistry.AwaitOpened(opened.ref()));
    this.opened = opened.receiveMessage(LONG);
    return registry;
  }

  private void stop(ActorRef<TopicRegistry.Command> registry) {
    registry.tell(TopicRegistry.Close.INSTANCE);
    asker.expectTerminated(registry, LONG);
  }

  private TopicRoute create(
      ActorRef<TopicRegistry.Command> registry, String name, int partitions, Map<String, String> settings) {
    registry.tell(new TopicRegistry.CreateTopic(name, partitions, settings, 77, asker.ref()));
    TopicReply reply = asker.receiveMessage(LONG);
    return assertInstanceOf(TopicReply.Ready.class, reply).route();
  }

  private TopicReply.TopicRefused assertRefused(TopicRefusal reason) {
    TopicReply.TopicRefused refused = assertInstanceOf(TopicReply.TopicRefused.class, asker.receiveMessage(LONG));
    assertEquals(reason, refused.reason(), refused.message());
    return refused;
  }

  private void append(PartitionHandle partition, String value) {
    RecordBatch batch =
        new RecordBatchBuilder(64).append(1, null, value.getBytes(StandardCharsets.UTF_8), List.of()).build();
    partition.actor().tell(new PartitionActor.Append(List.of(batch), MemoryCharge.NONE, 1, producer.ref()));
    assertInstanceOf(PartitionReply.Appended.class, producer.receiveMessage(LONG));
  }
}
