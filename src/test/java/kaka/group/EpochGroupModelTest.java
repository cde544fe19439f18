package kaka.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import kaka.TestRounds;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;

/**
 * Members of one group that join, leave, die, are slow, lose requests and answers, while topics change, the disk fails, and the broker is
 * killed and started again. Whatever happens, no partition has two owners at once, and no epoch goes back; when it gets quiet, the
 * members have everything, each partition once.
 */
class EpochGroupModelTest {
  private static final int RUNS = TestRounds.of(75);
  private static final int STEPS = 300;
  private static final int MAX_CLIENTS = 6;

  private final Random random = new Random(TestSeed.get());

  @Test
  void noPartitionHasTwoOwnersAndEverythingComesToRest() throws Exception {
    for (int run = 0; run < RUNS; run++) {
      long seed = random.nextLong();
      try {
        new Run(new Random(seed)).run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("run " + run + " seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  private static final class Run {
    private final Random random;
    private final EpochWorld world;
    private final List<EpochClient> clients = new ArrayList<>();
    private final Map<String, Topics.Shape> topics = new HashMap<>();
    private final boolean isUniform;
    private int ids;

    Run(Random random) {
      this.random = random;
      this.isUniform = random.nextBoolean();
      topics.put("a", new Topics.Shape(new UUID(1, 0), 1 + random.nextInt(8)));
      topics.put("b", new Topics.Shape(new UUID(2, 0), 1 + random.nextInt(3)));
      this.world = new EpochWorld(random, Topics.of(topics));
    }

    void run() throws Exception {
      for (int step = 0; step < STEPS; step++) {
        act();
        check();
      }
      comeToRest();
      everybodyLeaves();
    }

    private void act() throws Exception {
      int what = random.nextInt(100);
      if (what < 8 && clients.size() < MAX_CLIENTS) {
        clients.add(new EpochClient(world, "m" + ids++, isUniform ? "uniform" : "range", nextInstance(), "a", "b"));
      } else if (what < 50 && !clients.isEmpty()) {
        any().heartbeat();
      } else if (what < 70 && !clients.isEmpty()) {
        any().reconcile();
      } else if (what < 74 && !clients.isEmpty()) {
        any().loseConnection();
      } else if (what < 77 && !clients.isEmpty()) {
        EpochClient leaving = any();
        leaving.leave();
        clients.remove(leaving);
      } else if (what < 79 && !clients.isEmpty()) {
        clients.remove(any()); // dies; whoever has its instance's name later is another
      } else if (what < 90) {
        world.flush();
      } else if (what < 95) {
        world.pass(random.nextInt(Groups.SESSION_MS / 2));
      } else if (what < 97) {
        changeTopics();
      } else if (what < 98) {
        world.failDisk();
      } else {
        world.kill();
      }
      clients.forEach(EpochClient::checkTime);
    }

    private EpochClient any() {
      return clients.get(random.nextInt(clients.size()));
    }

    /** Sometimes one; never that of another who is there. */
    private String nextInstance() {
      String instance = "i" + random.nextInt(4);
      boolean isFree = clients.stream().noneMatch(client -> client.instance().equals(instance));
      return isFree && random.nextInt(3) == 0 ? instance : "";
    }

    private void changeTopics() {
      int count = topics.containsKey("b") ? topics.get("b").partitionCount() : 0;
      if (random.nextBoolean()) {
        topics.put("b", new Topics.Shape(new UUID(2, topics.containsKey("b") ? topics.get("b").id().getLeastSignificantBits() : ids), count + 1));
      } else {
        topics.remove("b");
      }
      world.changeTopics(Topics.of(topics));
    }

    private void check() {
      Map<TopicIdPartition, String> owners = new HashMap<>();
      for (EpochClient client : clients) {
        for (TopicIdPartition partition : client.owns()) {
          String other = owners.put(partition, client.id());
          assertTrue(other == null, partition + " of " + other + " and " + client.id());
        }
      }
    }

    private void comeToRest() throws Exception {
      world.kill(); // so that the disk works
      if (clients.isEmpty()) {
        clients.add(new EpochClient(world, "m" + ids++, "uniform", "", "a", "b"));
      }
      for (int round = 0; round < 40; round++) { // whoever has died is missed in the first ones
        for (EpochClient client : clients) {
          client.checkTime();
          client.heartbeat();
          world.flush();
          check();
          client.reconcile();
          client.reconcile();
          check();
        }
        world.pass(round < 10 ? Groups.SESSION_MS / 8 : 0);
      }
      int written = world.writtenCount();
      clients.forEach(EpochClient::heartbeat);
      world.flush();

      assertEquals(written, world.writtenCount(), "still something to write");
      assertEquals(GroupPhase.STABLE, world.describe().phase(), () -> world.describe().toString());
      TreeSet<String> owned = new TreeSet<>();
      int least = Integer.MAX_VALUE;
      int most = 0;
      for (EpochClient client : clients) {
        client.owns().forEach(partition -> owned.add(partition.toString()));
        least = Math.min(least, client.owns().size());
        most = Math.max(most, client.owns().size());
      }
      TreeSet<String> all = new TreeSet<>();
      topics.values().forEach(
          shape -> {
            for (int i = 0; i < shape.partitionCount(); i++) {
              all.add(new TopicIdPartition(shape.id(), i).toString());
            }
          });
      assertEquals(all, owned);
      assertTrue(most - least <= topics.size() && (!isUniform || most - least <= 1), least + " to " + most);
      assertEquals(1 + clients.size(), world.liveEventCount(), "a record for the group and each member");
    }

    private void everybodyLeaves() {
      clients.forEach(EpochClient::leaveForGood);
      world.flush();
      world.deleteGroup();
      assertEquals(0, world.heldBytes());
    }
  }
}
