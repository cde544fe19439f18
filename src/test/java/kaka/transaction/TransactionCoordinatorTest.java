package kaka.transaction;

import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import kaka.BreakableClock;
import kaka.broker.TestBroker;
import kaka.config.KakaConfig;
import kaka.group.GroupHandle;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.log.OngoingTransactions;
import kaka.log.ProducerIds;
import kaka.partition.PartitionHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bug ends the coordinator. Whoever asked may have gone, and does not watch it any more: what its request took is given back here. */
class TransactionCoordinatorTest {
  private static final Path DATA = Path.of("data");

  private final ActorTestKit testKit = ActorTestKit.create(ConfigFactory.load());
  private final BreakableClock clock = new BreakableClock();
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  @AfterEach
  void stop() {
    testKit.shutdownTestKit();
  }

  private static final Partitions NONE =
      new Partitions() {
        @Override
        public Optional<PartitionHandle> find(TransactionPartition partition) {
          return Optional.empty();
        }

        @Override
        public boolean isComplete() {
          return true;
        }
      };

  private ActorRef<TransactionCoordinator.Command> opened() throws IOException {
    disk.createDirectory(DATA);
    TransactionCoordinator.Storage storage;
    try {
      storage =
          new TransactionCoordinator.Storage(
              disk, DATA, KakaConfig.parse("").log(), clock, System::nanoTime, ProducerIds.open(disk, DATA));
    } catch (kaka.config.ConfigException e) {
      throw new AssertionError(e);
    }
    TransactionConfig config = new TransactionConfig(Duration.ofMinutes(1), Duration.ofDays(1), 1 << 20, 1 << 20);
    ActorRef<TransactionCoordinator.Command> coordinator =
        testKit.spawn(TransactionCoordinator.create(new TransactionHandle(new OngoingTransactions()), storage, config, NONE, new GroupHandle()));
    TestProbe<TransactionCoordinator.Opened> opened = testKit.createTestProbe();
    coordinator.tell(new TransactionCoordinator.AwaitOpened(opened.getRef()));
    opened.expectMessage(new TransactionCoordinator.Opened(""));
    return coordinator;
  }

  /** It looks at the clock for the disk's room, for its decision, and for what it writes. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  @Timeout(180)
  void whatARequestTookIsGivenBackWhereverTheBugIs(int good) throws Exception {
    ActorRef<TransactionCoordinator.Command> coordinator = opened();
    TestProbe<TransactionReply> asker = testKit.createTestProbe();
    CountDownLatch givenBack = new CountDownLatch(1);

    clock.breakAfter(good);
    coordinator.tell(
        new TransactionCoordinator.Ask(
            new TransactionRequest.Initialize("id", 1000, Optional.empty()), givenBack::countDown, 1, asker.getRef()));

    assertTrue(givenBack.await(150, TimeUnit.SECONDS));
    asker.expectTerminated(coordinator);
  }

  /** Giving back fails for the first two, while they are answered and at the end: the third's is given back all the same, and no file is kept. */
  @Test
  @Timeout(180)
  void everythingIsLetGoWhateverFails() throws Exception {
    ActorRef<TransactionCoordinator.Command> coordinator = opened();
    TestProbe<TransactionReply> asker = testKit.createTestProbe();
    CountDownLatch givenBack = new CountDownLatch(1);
    Runnable failing =
        () -> {
          throw new IllegalStateException("bug in a test's giving back");
        };
    try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.SYNC, ".log")) {
      coordinator.tell(initialize("before", () -> {}, asker));
      gate.awaitEntered();
      coordinator.tell(initialize("first", failing, asker));
      coordinator.tell(initialize("second", failing, asker));
      coordinator.tell(initialize("third", givenBack::countDown, asker));
    }

    assertTrue(givenBack.await(150, TimeUnit.SECONDS));
    asker.expectMessageClass(TransactionReply.class);
    asker.expectTerminated(coordinator);
    TestBroker.awaitTrue("no file is open", () -> disk.openCount() == 0);
  }

  private static TransactionCoordinator.Ask initialize(String id, Runnable onAnswered, TestProbe<TransactionReply> asker) {
    return new TransactionCoordinator.Ask(new TransactionRequest.Initialize(id, 1000, Optional.empty()), onAnswered, 1, asker.getRef());
  }
}
