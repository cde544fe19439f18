package kaka.topic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import kaka.TestSeed;
import kaka.config.KakaConfig;
import kaka.log.CompactionConfig;
import kaka.log.CrashingDisk;
import kaka.log.CrashingDisk.Unsynced;
import kaka.log.DescriptorBudget;
import kaka.log.Disk;
import kaka.log.FaultyDisk;
import kaka.log.Finding;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import kaka.partition.CompactionShare;
import kaka.partition.MemoryCharge;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.PartitionSettings;
import kaka.partition.PartitionState;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Topics that grow, change and go, over power cuts at every change of the disk. */
class PartitionsAddedTest {
  private static final Path DATA = Path.of("data");
  private static final Duration LONG = Duration.ofSeconds(120);
  private static final LogConfig LOG =
      new LogConfig(1 << 20, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, 0);
  private static final List<String> FAILING = List.of("kaka.topic", "kaka.partition", "kaka.log");

  private static ActorTestKit kit;

  private Routes routes = new Routes();
  private TestProbe<TopicReply> asker;
  private TestProbe<PartitionReply> producer;

  @BeforeAll
  static void startKit() throws Exception {
    kit = ActorTestKit.create("growing", KakaConfig.parse("").akka());
    FAILING.forEach(name -> ((Logger) LoggerFactory.getLogger(name)).setLevel(Level.OFF));
  }

  @AfterAll
  static void stopKit() {
    kit.shutdownTestKit();
    FAILING.forEach(name -> ((Logger) LoggerFactory.getLogger(name)).setLevel(null));
  }

  @BeforeEach
  void prepare() {
    asker = kit.createTestProbe();
    producer = kit.createTestProbe();
  }

  private ActorRef<TopicRegistry.Command> start(Disk disk) throws IOException {
    routes = new Routes();
    ActorRef<TopicRegistry.Command> registry =
        kit.spawn(
            TopicRegistry.create(
                new TopicStorage(
                    disk,
                    DATA,
                    LOG,
                    new PartitionSettings(
                        Duration.ZERO, Duration.ofDays(1), new CompactionShare(new CompactionConfig(1, 1 << 20, 0))),
                    Clock.systemUTC(),
                    new DescriptorBudget(1000)),
                new TopicsConfig(true, 1),
                routes),
            DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
    TestProbe<OpenedTopics> opened = kit.createTestProbe();
    registry.tell(new TopicRegistry.AwaitOpened(opened.ref()));
    opened.receiveMessage(LONG);
    return registry;
  }

  private void stop(ActorRef<TopicRegistry.Command> registry) {
    registry.tell(TopicRegistry.Close.INSTANCE);
    asker.expectTerminated(registry, LONG);
  }

  private boolean append(PartitionHandle partition, String value) {
    partition
        .actor()
        .tell(
            new PartitionActor.Append(
                List.of(new RecordBatchBuilder(64).append(1, null, value.getBytes(StandardCharsets.UTF_8), List.of()).build()),
                MemoryCharge.NONE,
                1,
                producer.ref()));
    return producer.receiveMessage(LONG) instanceof PartitionReply.Appended;
  }

  private static boolean isDone(TopicReply reply) {
    return reply instanceof TopicReply.Ready ready
        && ready.route().partitions().stream().allMatch(p -> p.view().state() == PartitionState.WRITABLE);
  }

  /** What a life of the topic was told is so. */
  private static final class Told {
    boolean created;
    boolean grown;
    boolean altered;
    boolean stored;
    boolean deleted;
  }

  private Told live(Disk disk, boolean isDeletedAtEnd) throws IOException {
    Told told = new Told();
    ActorRef<TopicRegistry.Command> registry = start(disk);
    registry.tell(new TopicRegistry.CreateTopic("a", 1, Map.of("retention.ms", "60000"), 1, asker.ref()));
    told.created = isDone(asker.receiveMessage(LONG));
    registry.tell(new TopicRegistry.AddPartitions("a", 3, 2, asker.ref()));
    TopicReply grown = asker.receiveMessage(LONG);
    told.grown = told.created && isDone(grown);
    registry.tell(new TopicRegistry.AlterTopic("a", Map.of("segment.bytes", "2048"), 3, asker.ref()));
    told.altered = asker.receiveMessage(LONG) instanceof TopicReply.Ready;
    told.stored = told.grown && append(((TopicReply.Ready) grown).route().partitions().get(2), "kept");
    if (isDeletedAtEnd) {
      registry.tell(new TopicRegistry.DeleteTopic("a", 4, asker.ref()));
      told.deleted = asker.receiveMessage(LONG) instanceof TopicReply.Gone;
    }
    stop(registry);
    return told;
  }

  /** From the n-th change on nothing reaches the disk. Half-added partitions are finished, none comes back empty over its data. */
  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void whatWasAnsweredIsSoAfterAPowerCutAtAnyChange(Unsynced unsynced) throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    for (int n = 1; ; n++) {
      String when = "change " + n + ", seed " + seed;
      CrashingDisk power = new CrashingDisk();
      power.createDirectory(DATA);
      power.syncDirectory(Path.of(""));
      FaultyDisk disk = new FaultyDisk(power);
      disk.failFrom(FaultyDisk.CHANGES, "", n);
      Told told = new Told();
      try {
        told = live(disk, false);
      } catch (IOException e) { // at the start
      }
      CrashingDisk after = power.afterPowerCut(unsynced, random);
      ActorRef<TopicRegistry.Command> registry = start(after);
      TopicRoute route = routes.table().find("a").orElse(null);
      assertTrue(route != null || !told.created, when);
      if (route != null) {
        assertTrue(route.partitions().size() == 3 || !told.grown, when);
        assertEquals(route.topic().partitionCount(), route.partitions().size());
        assertTrue(route.topic().settings().values().containsKey("segment.bytes") || !told.altered, when);
        assertEquals("60000", route.topic().settings().values().get("retention.ms"), when);
        for (PartitionHandle partition : route.partitions()) {
          assertEquals(PartitionState.WRITABLE, partition.view().state(), when + ": " + partition.view().reason());
        }
        if (told.stored) {
          assertEquals(1, route.partitions().get(2).view().snapshot().orElseThrow().highWatermark(), when);
        }
      }
      stop(registry);
      List<Finding> findings = DirectoryCheck.run(after, DATA, bytes -> {}).findings();
      assertTrue(findings.stream().noneMatch(f -> f.level() == Finding.Level.DAMAGE), when + ": " + findings);
      if (disk.failureCount() == 0) {
        assertTrue(n > 30, "only " + n);
        return;
      }
    }
  }

  /**
   * What a power cut leaves of a deletion is finished, and a topic of the same name has nothing of the old one. A check before
   * that finds nothing wrong.
   */
  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void aDeletedTopicStaysDeletedAndIsNotInherited(Unsynced unsynced) throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    for (int n = 1; ; n++) {
      String when = "change " + n + ", seed " + seed;
      CrashingDisk power = new CrashingDisk();
      power.createDirectory(DATA);
      power.syncDirectory(Path.of(""));
      FaultyDisk disk = new FaultyDisk(power);
      disk.failFrom(FaultyDisk.CHANGES, "", n);
      Told told = new Told();
      try {
        told = live(disk, true);
      } catch (IOException e) { // at the start
      }
      CrashingDisk after = power.afterPowerCut(unsynced, random);
      if (told.created) { // before, a directory may lack what every start writes anew
        List<Finding> findings = DirectoryCheck.run(after, DATA, bytes -> {}).findings();
        assertTrue(findings.stream().noneMatch(Finding::isWrong), when + ": " + findings);
      }
      ActorRef<TopicRegistry.Command> registry = start(after);
      boolean isThere = routes.table().find("a").isPresent();
      assertFalse(isThere && told.deleted, when);
      if (!isThere) {
        assertEquals(List.of("__topics-0"), after.list(DATA), when);
        registry.tell(new TopicRegistry.CreateTopic("a", 3, Map.of(), 9, asker.ref()));
        TopicRoute route = assertInstanceOf(TopicReply.Ready.class, asker.receiveMessage(LONG)).route();
        assertEquals(Map.of(), route.topic().settings().values(), when);
        for (PartitionHandle partition : route.partitions()) {
          assertEquals(PartitionState.WRITABLE, partition.view().state(), when + ": " + partition.view().reason());
          assertEquals(0, partition.view().snapshot().orElseThrow().highWatermark(), when);
        }
      }
      stop(registry);
      if (disk.failureCount() == 0) {
        assertTrue(told.deleted);
        assertTrue(n > 30, "only " + n);
        return;
      }
    }
  }

  /** It was complete when it was added: it must not come back as an empty one. */
  @Test
  void aMissingDirectoryOfAnAddedPartitionIsDamage() throws IOException {
    MemoryDisk disk = new MemoryDisk();
    disk.createDirectory(DATA);
    assertTrue(live(disk, false).stored);
    for (String name : disk.list(DATA.resolve("a-2"))) {
      disk.delete(DATA.resolve("a-2").resolve(name));
    }
    disk.delete(DATA.resolve("a-2"));

    ActorRef<TopicRegistry.Command> registry = start(disk);

    TopicRoute route = routes.table().find("a").orElseThrow();
    assertEquals(PartitionState.WRITABLE, route.partitions().get(1).view().state());
    assertEquals(PartitionState.FAILED, route.partitions().get(2).view().state());
    assertFalse(disk.exists(DATA.resolve("a-2")));
    stop(registry);
  }

  /** One that the disk refused when the topic was created is not called complete because those that were added are. */
  @Test
  void aPartitionThatCouldNotBeCreatedIsCreatedAtTheNextStartThoughOthersWereAdded() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    disk.createDirectory(DATA);
    ActorRef<TopicRegistry.Command> registry = start(disk);
    disk.failNext(FaultyDisk.Operation.CREATE_DIRECTORY, "a-1");
    registry.tell(new TopicRegistry.CreateTopic("a", 2, Map.of(), 1, asker.ref()));
    assertFalse(isDone(asker.receiveMessage(LONG)));
    registry.tell(new TopicRegistry.AddPartitions("a", 3, 2, asker.ref()));
    TopicRoute grown = assertInstanceOf(TopicReply.Ready.class, asker.receiveMessage(LONG)).route();
    assertEquals(PartitionState.FAILED, grown.partitions().get(1).view().state());
    assertEquals(PartitionState.WRITABLE, grown.partitions().get(2).view().state());
    stop(registry);

    registry = start(disk);

    for (PartitionHandle partition : routes.table().find("a").orElseThrow().partitions()) {
      assertEquals(PartitionState.WRITABLE, partition.view().state(), partition.view().reason());
    }
    stop(registry);
  }

  /** Commands for a topic whose partitions have not all opened wait for that; all are answered in the end. */
  @Test
  void changesOfATopicThatIsOpeningWait() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    disk.createDirectory(DATA);
    ActorRef<TopicRegistry.Command> registry = start(disk);
    FaultyDisk.Gate opening = disk.block(FaultyDisk.Operation.CREATE_DIRECTORY, "a-0");
    registry.tell(new TopicRegistry.CreateTopic("a", 1, Map.of(), 1, asker.ref()));
    opening.awaitEntered();
    registry.tell(new TopicRegistry.AddPartitions("a", 2, 2, asker.ref()));
    registry.tell(new TopicRegistry.AlterTopic("a", Map.of("segment.ms", "5"), 3, asker.ref()));
    registry.tell(new TopicRegistry.DeleteTopic("b", 4, asker.ref()));
    assertEquals(4, assertInstanceOf(TopicReply.TopicRefused.class, asker.receiveMessage(LONG)).correlationId());

    opening.open();

    assertEquals(1, asker.receiveMessage(LONG).correlationId());
    assertEquals(2, assertInstanceOf(TopicReply.Ready.class, asker.receiveMessage(LONG)).route().partitions().size());
    TopicReply.Ready altered = assertInstanceOf(TopicReply.Ready.class, asker.receiveMessage(LONG));
    assertEquals(Map.of("segment.ms", "5"), altered.route().topic().settings().values());
    assertEquals(2, altered.route().topic().partitionCount());
    stop(registry);
  }

  /** They are created a few at a time, in turns, which come back when a topic is deleted before all of it was created. */
  @Test
  void aTopicOfManyPartitionsDoesNotKeepOthersFromTheirCommits() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    disk.createDirectory(DATA);
    ActorRef<TopicRegistry.Command> registry = start(disk);
    registry.tell(new TopicRegistry.CreateTopic("busy", 1, Map.of(), 1, asker.ref()));
    PartitionHandle busy = assertInstanceOf(TopicReply.Ready.class, asker.receiveMessage(LONG)).route().partitions().get(0);
    disk.resetCounts();
    int atATime = kit.system().settings().config().getInt("kaka.dispatchers.log-io.threads") / 2;
    List<FaultyDisk.Gate> creations = new ArrayList<>();
    for (int number = 0; number < 40; number++) {
      creations.add(disk.block(FaultyDisk.Operation.CREATE_DIRECTORY, "many-" + number));
    }
    registry.tell(new TopicRegistry.CreateTopic("many", 40, Map.of(), 2, asker.ref()));
    for (int number = 0; number < atATime; number++) {
      creations.get(number).awaitEntered();
    }

    assertTrue(append(busy, "beside"));

    assertEquals(atATime, disk.count(FaultyDisk.Operation.CREATE_DIRECTORY));
    registry.tell(new TopicRegistry.DeleteTopic("many", 3, asker.ref()));
    assertEquals(2, assertInstanceOf(TopicReply.TopicRefused.class, asker.receiveMessage(LONG)).correlationId());
    creations.forEach(FaultyDisk.Gate::open);
    assertEquals(3, assertInstanceOf(TopicReply.Gone.class, asker.receiveMessage(LONG)).correlationId());
    registry.tell(new TopicRegistry.CreateTopic("many", 2 * atATime + 1, Map.of(), 4, asker.ref()));
    assertTrue(isDone(asker.receiveMessage(LONG)));
    stop(registry);
  }
}
