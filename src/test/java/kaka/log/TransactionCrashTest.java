package kaka.log;

import static kaka.log.TransactionLogs.transactional;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Random;
import kaka.TestSeed;
import kaka.log.CrashingDisk.Unsynced;
import kaka.record.TransactionMarker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random transactions in one log, with restarts, and crashes at any change of the disk, against a model. */
class TransactionCrashTest {
  private static final int PRODUCERS = 4;

  /** Producers who write transactions as clients do, and one that writes plain batches. */
  private static final class Life {
    final TransactionLogs.Model model = new TransactionLogs.Model();
    final int[] sequences = new int[PRODUCERS];
    final boolean[] open = new boolean[PRODUCERS];
    int flushed;

    void step(PartitionLog log, Random random) throws IOException {
      int id = random.nextInt(PRODUCERS);
      int what = random.nextInt(10);
      String value = TestLogs.text(model.entries.size(), random.nextInt(150));
      if (what < 2) {
        model.data(-1, false, value);
        log.append(TestLogs.batch(value));
      } else if (what < 7 || !open[id]) {
        model.data(id, true, value, value + "'");
        open[id] = true;
        log.append(transactional(id, 0, sequences[id], value, value + "'"));
        sequences[id] += 2;
      } else {
        TransactionMarker marker = new TransactionMarker(id, (short) 0, random.nextBoolean(), 0);
        model.marker(marker);
        open[id] = false;
        log.append(marker);
      }
      if (random.nextInt(3) > 0) {
        log.flush();
        flushed = model.entries.size();
      }
    }

    void recovered(PartitionLog log, String when) throws IOException {
      int end = (int) log.logEndOffset();
      assertTrue(end >= flushed && end <= model.entries.size(), when + ": " + end + " of " + flushed);
      model.check(log.snapshot(), when);
      for (int id = 0; id < PRODUCERS; id++) {
        boolean isOpen = false;
        for (TransactionLogs.Model.Entry each : model.entries.subList(0, end)) {
          isOpen = each.producerId() == id ? each.value() != null : isOpen;
        }
        assertEquals(isOpen, log.hasOpenTransaction(id), when + ", producer " + id);
      }
    }
  }

  @Test
  void randomTransactionsAndRestarts() throws IOException {
    long seed = TestSeed.get();
    System.out.println("TransactionCrashTest -Dkaka.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 5; round++) {
      MemoryDisk disk = new MemoryDisk();
      Life life = new Life();
      PartitionLog log = TestLogs.create(disk);
      for (int i = 0; i < 150; i++) {
        life.step(log, random);
        if (random.nextInt(10) == 0) {
          log.close();
          log = TestLogs.open(disk);
          life.flushed = life.model.entries.size();
          life.recovered(log, "round " + round + ", step " + i + ", seed " + seed);
        } else if (random.nextInt(5) == 0) {
          life.model.check(log.snapshot(), "round " + round + ", step " + i + ", seed " + seed);
        }
      }
      log.close();
    }
  }

  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void powerCutAtAnyChange(Unsynced unsynced) throws IOException {
    long seed = TestSeed.get();
    System.out.println("TransactionCrashTest -Dkaka.seed=" + seed);
    boolean cut;
    int n = 0;
    do {
      n++;
      Random random = new Random(seed);
      CrashingDisk power = new CrashingDisk();
      TestLogs.create(power).close();
      FaultyDisk failing = new FaultyDisk(power);
      failing.failFrom(FaultyDisk.CHANGES, "", n);
      Life life = new Life();
      try {
        PartitionLog log = TestLogs.open(failing);
        for (int i = 0; i < 45; i++) {
          life.step(log, random);
          if (i == 25) {
            log.close();
            log = TestLogs.open(failing);
          }
        }
        log.close();
      } catch (IOException e) { // the power is gone
      }
      cut = failing.failureCount() > 0;
      for (int i = 0; i < (unsynced == Unsynced.ANYTHING ? 3 : 1); i++) {
        CrashingDisk after = power.afterPowerCut(unsynced, random);
        String when = "change " + n + ", seed " + seed;
        try (PartitionLog log = TestLogs.open(after)) {
          life.recovered(log, when);
          log.append(new TransactionMarker(0, (short) 0, true, 0)); // and rolls, and opens once more
        }
        TestLogs.open(after).close();
      }
    } while (cut);
    assertTrue(n > 60, "only " + n + " changes");
  }
}
