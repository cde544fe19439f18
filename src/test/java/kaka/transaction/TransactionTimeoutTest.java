package kaka.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import kaka.broker.TestBroker;
import kaka.config.KakaConfig;
import kaka.log.MemoryDisk;
import kaka.transaction.TransactionRequest.Producer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timeouts in real time, of a coordinator whose time of day is set. */
class TransactionTimeoutTest {
  private static final TransactionConfig CONFIG =
      new TransactionConfig(Duration.ofMinutes(15), Duration.ofDays(7), 1 << 20, 4096);

  private ActorTestKit kit;
  private TransactionWorld world;

  @BeforeEach
  void start() throws Exception {
    kit = ActorTestKit.create("timeouts", KakaConfig.parse("").akka());
    MemoryDisk disk = new MemoryDisk();
    TransactionWorld.create(disk);
    world = new TransactionWorld(kit, disk);
    world.start(1, CONFIG);
  }

  @AfterEach
  void stop() {
    kit.shutdownTestKit();
  }

  private void begin(String id, Duration timeout) {
    var initialize = new TransactionRequest.Initialize(id, (int) timeout.toMillis(), Optional.empty());
    var begun = (TransactionResult.Initialized) world.ask(initialize);
    Producer producer = new Producer(begun.producerId(), begun.epoch());
    TransactionRequest add = new TransactionRequest.Add(id, producer, Set.of(TransactionWorld.partition(0)));
    assertEquals(TransactionResult.Done.INSTANCE, world.ask(add));
  }

  private TransactionPhase phaseOf(String id) {
    var described = (TransactionResult.Described) world.ask(new TransactionRequest.Describe(List.of(id)));
    return described.transactions().get(0).orElseThrow().phase();
  }

  /** A day forth would end the long one when the brief one is due, a day back would keep the brief one for a day. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 1})
  void aStepOfTheClockNeitherEndsNorLengthensATransaction(long days) {
    begin("lasting", Duration.ofMinutes(10));
    begin("brief", Duration.ofSeconds(1));

    world.timeOfDay.advance(Duration.ofDays(days));

    TestBroker.awaitTrue("the brief one is aborted", () -> phaseOf("brief") == TransactionPhase.COMPLETE_ABORT);
    assertEquals(TransactionPhase.ONGOING, phaseOf("lasting"));
  }
}
