package kaka.group;

import static kaka.group.Groups.ORDERS;
import static kaka.log.FaultyDisk.Operation.SYNC;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import kaka.TestClock;
import kaka.config.KakaConfig;
import kaka.log.FaultyDisk;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class GroupCoordinatorTest {
  private static final Path DATA = Path.of("data");
  private static final Path SEGMENT = DATA.resolve("__offsets-0/00000000000000000000.log");
  private static final Duration LONG = Duration.ofSeconds(120);
  private static final long MIN_FREE = 64 << 20;
  private static final LogConfig LOG =
      new LogConfig(128 << 20, Duration.ofDays(7), 4096, Duration.ZERO, -1, Duration.ZERO, MIN_FREE);
  private static final Topics TOPICS = Topics.of(Map.of("orders", new Topics.Shape(ORDERS, 4)));
  private static final Runnable NOTHING = () -> {};

  private static ActorTestKit kit;

  private final TestClock clock = new TestClock(1_700_000_000_000L);
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private GroupHandle handle;
  private TestProbe<GroupReply> asker;

  @BeforeAll
  static void startKit() throws Exception {
    kit = ActorTestKit.create("groups", KakaConfig.parse("").akka());
    ((Logger) LoggerFactory.getLogger("kaka.group")).setLevel(Level.OFF); // would tell of the injected faults
  }

  @AfterAll
  static void stopKit() {
    kit.shutdownTestKit();
    ((Logger) LoggerFactory.getLogger("kaka.group")).setLevel(null);
  }

  @BeforeEach
  void makeProbe() throws Exception {
    asker = kit.createTestProbe();
    disk.createDirectory(DATA);
  }

  private ActorRef<GroupCoordinator.Command> spawn() {
    return spawn(Groups.config(Duration.ZERO));
  }

  private ActorRef<GroupCoordinator.Command> spawn(GroupConfig config) {
    handle = new GroupHandle();
    GroupMemory memory =
        new GroupMemory() {
          @Override
          public boolean tryReserve(long bytes) {
            return true;
          }

          @Override
          public void release(long bytes) {}
        };
    return kit.spawn(
        GroupCoordinator.create(
            handle,
            new GroupCoordinator.Storage(disk, DATA, LOG, clock, System::nanoTime),
            config,
            memory,
            new GroupCoordinator.TopicsChanged(TOPICS, true)),
        DispatcherSelector.fromConfig("kaka.dispatchers.log-io"));
  }

  private String problem(ActorRef<GroupCoordinator.Command> coordinator) {
    TestProbe<GroupCoordinator.Opened> probe = kit.createTestProbe();
    coordinator.tell(new GroupCoordinator.AwaitOpened(probe.getRef()));
    return probe.receiveMessage(LONG).problem();
  }

  private void stop(ActorRef<GroupCoordinator.Command> coordinator) {
    coordinator.tell(GroupCoordinator.Close.INSTANCE);
    asker.expectTerminated(coordinator, LONG);
  }

  private void ask(ActorRef<GroupCoordinator.Command> coordinator, long id, GroupRequest request) {
    coordinator.tell(new GroupCoordinator.Ask(request, NOTHING, id, asker.getRef()));
  }

  private GroupResult get(ActorRef<GroupCoordinator.Command> coordinator, GroupRequest request) {
    ask(coordinator, 77, request);
    GroupReply reply = asker.receiveMessage(LONG);
    assertEquals(77, reply.correlationId());
    return reply.result();
  }

  private static GroupRequest commit(String group, long offset) {
    return new GroupRequest.Commit(
        group, OptionalInt.empty(), "", Optional.empty(), List.of(Groups.offset(ORDERS, 0, offset)));
  }

  private static GroupResult committed() {
    return new GroupResult.Committed(List.of(Optional.empty()));
  }

  private long offsetOf(String group) {
    return handle.offsets().find(group, new TopicIdPartition(ORDERS, 0)).map(StoredOffset::offset).orElse(-1L);
  }

  /** The first sync is held up; what is committed meanwhile, by many groups, waits for ONE more. */
  @Test
  void commitsOfManyGroupsShareOneSyncAndAreShownAfterIt() throws Exception {
    ActorRef<GroupCoordinator.Command> coordinator = spawn();
    assertEquals("", problem(coordinator));
    disk.resetCounts();
    FaultyDisk.Gate first = disk.block(SYNC, ".log");
    ask(coordinator, 0, commit("group-0", 1));
    first.awaitEntered();
    FaultyDisk.Gate second = disk.block(SYNC, ".log");
    for (int i = 1; i <= 64; i++) {
      ask(coordinator, i, commit("group-" + i, i));
    }
    first.open();

    assertEquals(new GroupReply(0, committed()), asker.receiveMessage(LONG));
    second.awaitEntered();
    asker.expectNoMessage(Duration.ZERO);
    assertEquals(-1, offsetOf("group-1"), "shown before it is on disk");
    second.open();

    Set<Long> answered = new HashSet<>();
    for (int i = 1; i <= 64; i++) {
      GroupReply reply = asker.receiveMessage(LONG);
      assertEquals(committed(), reply.result());
      answered.add(reply.correlationId());
    }
    assertEquals(64, answered.size());
    assertEquals(2, disk.count(SYNC, ".log"));
    assertEquals(64, offsetOf("group-64"));
  }

  private static GroupRequest.EpochHeartbeat epochs(String memberId, int epoch) {
    return new GroupRequest.EpochHeartbeat(
        "e",
        memberId,
        epoch,
        Optional.empty(),
        Optional.empty(),
        "client",
        "/127.0.0.1",
        OptionalInt.of(1000),
        Optional.of(List.of("orders")),
        Optional.empty(),
        Optional.empty(),
        Optional.of(PartitionSet.NONE));
  }

  /** Its first request's answer was lost: the second changes nothing, but what it is told is not on disk before the first is. */
  @Test
  void repeatedHeartbeatIsAnsweredAfterWhatItRestsOnIsOnDisk() throws Exception {
    ActorRef<GroupCoordinator.Command> coordinator = spawn();
    assertEquals("", problem(coordinator));
    FaultyDisk.Gate first = disk.block(SYNC, ".log");
    ask(coordinator, 0, commit("g", 1));
    first.awaitEntered();
    FaultyDisk.Gate second = disk.block(SYNC, ".log");
    ask(coordinator, 1, epochs("m", 0));
    ask(coordinator, 2, epochs("m", 0));
    first.open();

    assertEquals(0, asker.receiveMessage(LONG).correlationId());
    second.awaitEntered();
    asker.expectNoMessage(Duration.ZERO);
    second.open();
    GroupResult.Beaten joined = (GroupResult.Beaten) asker.receiveMessage(LONG).result();
    assertEquals(joined, asker.receiveMessage(LONG).result());
    assertEquals(4, joined.assignment().orElseThrow().count());
  }

  /** Members go on with what they have, in their epoch; nothing else is so that is not on disk, and a restart finds them again. */
  @Test
  void afterAFailedSyncMembersStayAsTheyAre() throws Exception {
    ActorRef<GroupCoordinator.Command> coordinator = spawn();
    int epoch = ((GroupResult.Beaten) get(coordinator, epochs("m", 0))).epoch();
    disk.failNext(SYNC, ".log");
    assertEquals(GroupError.STORAGE, ((GroupResult.Refused) get(coordinator, epochs("n", 0))).reason());
    assertEquals(GroupError.STORAGE, ((GroupResult.Refused) get(coordinator, epochs("n", 0))).reason());
    assertEquals(GroupError.STORAGE, ((GroupResult.Refused) get(coordinator, epochs("m", -1))).reason());

    GroupResult.Beaten alive = (GroupResult.Beaten) get(coordinator, epochs("m", epoch));

    assertEquals(epoch, alive.epoch());
    assertEquals(4, alive.assignment().orElseThrow().count());
    stop(coordinator);
    coordinator = spawn();
    assertEquals("", problem(coordinator));
    assertTrue(((GroupResult.Beaten) get(coordinator, epochs("m", epoch))).epoch() >= epoch);
  }

  @Test
  void afterAFailedSyncCommitsAreRefusedAndReadsGoOn() throws Exception {
    ActorRef<GroupCoordinator.Command> coordinator = spawn();
    assertEquals(committed(), get(coordinator, commit("g", 1)));
    disk.failNext(SYNC, ".log");

    assertEquals(GroupError.STORAGE, ((GroupResult.Refused) get(coordinator, commit("g", 2))).reason());
    disk.resetCounts();
    assertEquals(GroupError.STORAGE, ((GroupResult.Refused) get(coordinator, commit("g", 3))).reason());

    assertEquals(0, disk.count(SYNC, ".log"), "tried again");
    assertTrue(handle.isReadable());
    assertEquals(1, offsetOf("g"));
    assertEquals(
        new GroupResult.GroupsListed(List.of(new GroupResult.Listing("g", "", GroupPhase.EMPTY, GroupType.CLASSIC, 0))),
        get(coordinator, new GroupRequest.ListGroups(Set.of())));
    GroupResult joined = get(coordinator, Groups.nativeJoin("", "range", "orders"));
    assertEquals(GroupError.STORAGE, ((GroupResult.Refused) joined).reason(), "a generation that is not written");
    stop(coordinator);

    coordinator = spawn();
    assertEquals("", problem(coordinator));
    assertTrue(offsetOf("g") >= 1, "offset " + offsetOf("g"));
    assertEquals(committed(), get(coordinator, commit("g", 4)));
  }

  @Test
  void aDamagedLogIsNamedAndEverythingRefused() throws Exception {
    ActorRef<GroupCoordinator.Command> coordinator = spawn();
    for (int i = 0; i < 10; i++) {
      assertEquals(committed(), get(coordinator, commit("g", i)));
    }
    stop(coordinator);
    disk.flipBit(SEGMENT, 8 * 100);

    coordinator = spawn();
    String problem = problem(coordinator);

    assertTrue(problem.contains(SEGMENT.toString()), problem);
    assertTrue(problem.contains("kaka log check"), problem);
    assertFalse(handle.isReadable());
    assertEquals(problem, handle.unreadableReason());
    assertEquals(new GroupResult.Refused(GroupError.STORAGE, problem), get(coordinator, commit("g", 9)));
    stop(coordinator);
  }

  /** The reserve of produces is 64 MiB here: with a quarter of it left offsets can still be committed. */
  @Test
  void commitsGoOnWhereProducesCannotAndEndBeforeTheDiskIsFull() throws Exception {
    ActorRef<GroupCoordinator.Command> coordinator = spawn();
    assertEquals("", problem(coordinator));
    disk.setUsableBytes(MIN_FREE / 2);
    assertEquals(committed(), get(coordinator, commit("g", 1)));
    stop(coordinator);
    disk.setUsableBytes(MIN_FREE / 8);

    coordinator = spawn();
    GroupResult result = get(coordinator, commit("g", 2));

    assertEquals(GroupError.DISK_NEARLY_FULL, ((GroupResult.Refused) result).reason());
    assertEquals(1, offsetOf("g"));
    GroupResult joined = get(coordinator, Groups.nativeJoin("", "range", "orders"));
    assertEquals(GroupResult.Joined.class, joined.getClass(), "what a generation takes is there: " + joined);
  }

  /** Real time: the one that says nothing has left, and the other is told. */
  @Test
  void aMemberThatSaysNothingLeavesAtItsSessionTimeout() throws Exception {
    ActorRef<GroupCoordinator.Command> coordinator = spawn(Groups.config(Duration.ZERO));
    GroupResult.Joined silent = (GroupResult.Joined) get(coordinator, join(Groups.GROUP, Duration.ofSeconds(1)));
    ask(coordinator, 1, Groups.nativeJoin("", "range", "orders")); // waits for the silent one

    GroupReply other = asker.receiveMessage(LONG);

    assertEquals(1, other.correlationId());
    GroupResult.Joined joined = (GroupResult.Joined) other.result();
    assertTrue(joined.generation() > silent.generation());
    assertEquals(Map.of("orders", List.of(0, 1, 2, 3)), ConsumerProtocol.partitions(joined.assignment()).orElseThrow());
  }

  private static GroupRequest.Join join(String group, Duration session) {
    return new GroupRequest.Join(
        group,
        "",
        Optional.empty(),
        "client",
        "",
        "consumer",
        List.of(Groups.protocol("range", "orders")),
        (int) session.toMillis(),
        60_000,
        false,
        false,
        GroupRequest.Assigning.BY_COORDINATOR);
  }

  /** A day forth would end the long session when the brief one is due, a day back would keep the brief one for a day. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 1})
  void aStepOfTheClockNeitherEndsNorLengthensASession(long days) {
    ActorRef<GroupCoordinator.Command> coordinator = spawn();
    GroupResult.Joined lasting = (GroupResult.Joined) get(coordinator, join("lasting", Duration.ofMinutes(10)));
    get(coordinator, join("brief", Duration.ofSeconds(1)));
    clock.advance(Duration.ofDays(days));

    GroupResult other = get(coordinator, join("brief", Duration.ofMinutes(10))); // when the silent one has left

    assertEquals(GroupResult.Joined.class, other.getClass(), "" + other);
    GroupRequest alive =
        new GroupRequest.Heartbeat("lasting", lasting.generation(), lasting.memberId(), Optional.empty());
    assertEquals(GroupResult.Alive.INSTANCE, get(coordinator, alive));
  }

  @Test
  void aCancelledJoinIsNotAnsweredAndGivesItsMemoryBack() {
    ActorRef<GroupCoordinator.Command> coordinator = spawn(Groups.config(Duration.ofMinutes(1)));
    AtomicInteger given = new AtomicInteger();
    coordinator.tell(
        new GroupCoordinator.Ask(Groups.join(""), given::incrementAndGet, 5, asker.getRef()));
    coordinator.tell(new GroupCoordinator.Cancel(Groups.GROUP, 5, asker.getRef()));

    assertEquals(committed(), get(coordinator, commit("other", 1)));
    assertEquals(1, given.get());
    stop(coordinator);
    assertEquals(1, given.get());
  }

  @Test
  void whatStillWaitsAtTheStopGivesItsMemoryBack() {
    ActorRef<GroupCoordinator.Command> coordinator = spawn(Groups.config(Duration.ofMinutes(1)));
    AtomicInteger given = new AtomicInteger();
    coordinator.tell(
        new GroupCoordinator.Ask(Groups.join(""), given::incrementAndGet, 5, asker.getRef()));

    stop(coordinator);

    assertEquals(1, given.get());
  }

  @Test
  void offsetsOfATopicThatIsDeletedGo() {
    ActorRef<GroupCoordinator.Command> coordinator = spawn();
    assertEquals(committed(), get(coordinator, commit("g", 1)));
    coordinator.tell(new GroupCoordinator.TopicsChanged(Topics.NONE, true));

    GroupResult after = get(coordinator, commit("g", 2));

    assertEquals(new GroupResult.Committed(List.of(Optional.of(GroupError.UNKNOWN_TOPIC_OR_PARTITION))), after);
    assertEquals(GroupResult.GroupsListed.class, get(coordinator, new GroupRequest.ListGroups(Set.of())).getClass());
    stop(coordinator);
    assertEquals("", problem(spawn()));
    assertEquals(-1, offsetOf("g"));
  }

  /** A start that cannot be sure of the topics there are forgets nothing. */
  @Test
  void offsetsStayWhereTopicsAreNotKnownForSure() {
    ActorRef<GroupCoordinator.Command> coordinator = spawn();
    assertEquals(committed(), get(coordinator, commit("g", 1)));
    coordinator.tell(new GroupCoordinator.TopicsChanged(Topics.NONE, false));

    stop(coordinator);

    spawn();
    assertEquals(1, offsetOfOpened("g"));
  }

  private long offsetOfOpened(String group) {
    kaka.broker.TestBroker.awaitTrue("opened", () -> !handle.isOpening());
    return offsetOf(group);
  }
}
