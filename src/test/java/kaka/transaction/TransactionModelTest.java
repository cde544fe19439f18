package kaka.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import ch.qos.logback.classic.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import kaka.TestRounds;
import kaka.TestSeed;
import kaka.config.KakaConfig;
import kaka.log.CrashingDisk;
import kaka.log.CrashingDisk.Unsynced;
import kaka.log.FaultyDisk;
import kaka.log.LogSnapshot;
import kaka.log.TransactionLogs;
import kaka.partition.PartitionReply;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.transaction.TransactionRequest.Producer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Random transactions of several producers over several partitions, and the power goes at the n-th change of the disk, for each n:
 * whoever reads what is committed sees then, in order and in every partition or in none, what was told to be committed, nothing
 * that was aborted or never ended, and no transaction stays open.
 */
class TransactionModelTest {
  private static final int PARTITIONS = 3;
  private static final int PRODUCERS = 2;
  private static final TransactionConfig CONFIG =
      new TransactionConfig(Duration.ofMinutes(15), Duration.ofDays(7), 1 << 20, 1024);

  private static ActorTestKit kit;
  private static Level level;

  @BeforeAll
  static void start() throws Exception {
    level = logger().getLevel();
    logger().setLevel(Level.OFF); // every life ends with failures
    kit = ActorTestKit.create("transactions", KakaConfig.parse("").akka());
  }

  @AfterAll
  static void stop() {
    kit.shutdownTestKit();
    logger().setLevel(level);
  }

  private static ch.qos.logback.classic.Logger logger() {
    return (ch.qos.logback.classic.Logger) LoggerFactory.getLogger("kaka");
  }

  private enum Outcome {
    COMMITTED,
    ABORTED,
    /** It was to be committed, and the answer never came. */
    UNKNOWN
  }

  /** One transaction; its values are in the order of its writes. */
  private static final class Written {
    final List<List<String>> values = new ArrayList<>();
    Outcome outcome = Outcome.ABORTED;

    Written() {
      for (int i = 0; i < PARTITIONS; i++) {
        values.add(new ArrayList<>());
      }
    }
  }

  /** What clients do until the disk fails, and what they were told. */
  private static final class Life {
    final List<Written> all = new ArrayList<>(); // in the order of their ends
    private final TransactionWorld world;
    private final Random random;
    private final Client[] clients = new Client[PRODUCERS];
    private int nextValue;

    private static final class Client {
      Producer producer;
      final int[] sequences = new int[PARTITIONS];
      Written open;
    }

    Life(TransactionWorld world, Random random) {
      this.world = world;
      this.random = random;
    }

    /** Whether every step went well. */
    boolean live(int steps) {
      for (int i = 0; i < PRODUCERS; i++) {
        clients[i] = new Client();
        if (!initialize(i)) {
          return false;
        }
      }
      for (int i = 0; i < steps; i++) {
        int which = random.nextInt(PRODUCERS);
        Client client = clients[which];
        int what = random.nextInt(10);
        boolean goesOn = what < 6 || client.open == null ? write(which) : what < 9 ? end(which, what < 8) : renew(which);
        if (!goesOn) {
          return false;
        }
      }
      return true;
    }

    private static String id(int which) {
      return "mover-" + which;
    }

    private boolean initialize(int which) {
      TransactionResult result =
          world.askUntilEnded(new TransactionRequest.Initialize(id(which), 600_000, Optional.empty()));
      if (!(result instanceof TransactionResult.Initialized initialized)) {
        return false;
      }
      clients[which] = new Client();
      clients[which].producer = new Producer(initialized.producerId(), initialized.epoch());
      return true;
    }

    /** Another instance of the producer comes, and the open transaction goes. */
    private boolean renew(int which) {
      all.add(clients[which].open);
      clients[which].open = null;
      return initialize(which);
    }

    private boolean write(int which) {
      Client client = clients[which];
      if (client.open == null) {
        client.open = new Written();
      }
      int partition = random.nextInt(PARTITIONS);
      TransactionResult added =
          world.ask(
              new TransactionRequest.Add(
                  id(which), client.producer, Set.of(TransactionWorld.partition(partition))));
      if (added != TransactionResult.Done.INSTANCE) {
        all.add(client.open);
        return false;
      }
      String value = "v" + nextValue++ + "-" + "x".repeat(random.nextInt(120));
      PartitionReply reply = world.append(partition, batch(client, partition, value));
      if (!(reply instanceof PartitionReply.Appended)) {
        all.add(client.open);
        return false;
      }
      client.open.values.get(partition).add(value);
      client.sequences[partition]++;
      return true;
    }

    private RecordBatch batch(Client client, int partition, String value) {
      return new RecordBatchBuilder(64)
          .producer(client.producer.id(), client.producer.epoch(), client.sequences[partition])
          .transactional()
          .append(1000, null, value.getBytes(StandardCharsets.UTF_8), List.of())
          .build();
    }

    private boolean end(int which, boolean isCommit) {
      Client client = clients[which];
      Written ending = client.open;
      client.open = null;
      all.add(ending);
      TransactionResult result = world.ask(new TransactionRequest.End(id(which), client.producer, isCommit));
      if (result == TransactionResult.Done.INSTANCE) {
        ending.outcome = isCommit ? Outcome.COMMITTED : Outcome.ABORTED;
        return true;
      }
      ending.outcome = isCommit ? Outcome.UNKNOWN : Outcome.ABORTED;
      return false;
    }

    /** Those that are still open were never ended. */
    void finish() {
      for (Client client : clients) {
        if (client != null && client.open != null && !all.contains(client.open)) {
          all.add(client.open);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void everyTransactionIsSeenAsAWholeOrNotAtAll(Unsynced unsynced) throws Exception {
    long seed = TestSeed.get();
    System.out.println("TransactionModelTest -Dkaka.seed=" + seed);
    boolean cut;
    int n = 0;
    do {
      n += 1 + n / TestRounds.of(15); // each of the first ones, and of the later ones some
      String when = "change " + n + ", seed " + seed;
      Random random = new Random(seed);
      CrashingDisk power = new CrashingDisk();
      TransactionWorld.create(power);
      FaultyDisk disk = new FaultyDisk(power);
      disk.failFrom(FaultyDisk.CHANGES, "", n);
      TransactionWorld world = new TransactionWorld(kit, disk);
      Life life = new Life(world, random);
      world.start(PARTITIONS, CONFIG);
      life.live(40);
      life.finish();
      cut = disk.failureCount() > 0;
      world.kill();
      check(life, power.afterPowerCut(unsynced, random), random, when);
    } while (cut);
    assertTrue(n > 100, "only " + n + " changes");
  }

  private static void check(Life life, CrashingDisk found, Random random, String when) throws Exception {
    TransactionWorld world = new TransactionWorld(kit, found);
    world.start(PARTITIONS, CONFIG);
    for (int i = 0; i < PRODUCERS; i++) {
      TransactionResult result =
          world.askUntilEnded(new TransactionRequest.Initialize(Life.id(i), 600_000, Optional.empty()));
      assertInstanceOf(TransactionResult.Initialized.class, result, when);
    }
    List<List<String>> seen = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      LogSnapshot snapshot = world.snapshot(i);
      assertEquals(snapshot.highWatermark(), snapshot.lastStableOffset(), when + ": a transaction is open in " + i);
      seen.add(new ArrayList<>(TransactionLogs.readCommitted(snapshot, 0).values()));
    }
    for (int i = 0; i < PARTITIONS; i++) {
      int partition = i;
      List<String> expected =
          life.all.stream()
              .filter(each -> each.outcome == Outcome.COMMITTED || each.outcome == Outcome.UNKNOWN && isSeen(each, seen))
              .flatMap(each -> each.values.get(partition).stream())
              .sorted(java.util.Comparator.comparingInt(value -> Integer.parseInt(value.substring(1, value.indexOf('-')))))
              .toList();
      assertEquals(expected, seen.get(i), when + ", partition " + i);
    }
    Life next = new Life(world, random);
    assertTrue(next.live(12), when + ": it goes on");
    world.kill();
  }

  /** Whether any of it is: then all of it has to be. */
  private static boolean isSeen(Written written, List<List<String>> seen) {
    for (int i = 0; i < PARTITIONS; i++) {
      for (String value : written.values.get(i)) {
        if (seen.get(i).contains(value)) {
          return true;
        }
      }
    }
    return false;
  }
}
