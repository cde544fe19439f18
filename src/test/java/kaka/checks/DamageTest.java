package kaka.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import kaka.TestSeed;
import kaka.record.BatchHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link DamageCheck} in a short form; {@code ops/checks/damage.sh} is the long one. */
class DamageTest {
  private static final int[] FIELDS = {
    BatchHeader.BASE_OFFSET + 7, BatchHeader.LENGTH + 3, BatchHeader.LEADER_EPOCH + 3, BatchHeader.MAGIC, BatchHeader.CRC,
    BatchHeader.ATTRIBUTES + 1, BatchHeader.LAST_OFFSET_DELTA + 3, BatchHeader.MAX_TIMESTAMP + 7, BatchHeader.SIZE + 4
  };

  @TempDir Path work;

  @Test
  void randomDamagesAreRefusedOrHarmlessNeverServed() throws Exception {
    long seed = TestSeed.get();
    try {
      DamageCheck.run(20, seed, work);
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  /** Of a batch in the middle of a segment that no start reads, an older one or the newest: also the fields that no CRC covers. */
  @Test
  void noFieldOfAStoredHeaderIsBelievedWhenItIsDamaged() throws Exception {
    Random random = new Random(1);
    DamageImage image = DamageImage.make(work.resolve("make"), false, random);
    for (String name : List.of("orders-1/00000000000000000000.log", "audit-0/00000000000000000000.log")) {
      for (int field : FIELDS) {
        assertEquals(DamageTrial.Outcome.REFUSED_AT_FETCH, outcome(image, name, field, random), name + ", field at " + field);
      }
    }
  }

  /** The broker's own logs are read from batch to batch: what no CRC covers is not asked, or leads nowhere. */
  @Test
  void noFieldOfAHeaderOfTheBrokersOwnLogsIsBelievedAfterAStop() throws Exception {
    Random random = new Random(1);
    DamageImage image = DamageImage.make(work.resolve("make"), false, random);
    Map<String, DamageTrial.Outcome> refusals =
        Map.of(
            "__topics-0", DamageTrial.Outcome.TOPICS_UNCHANGEABLE, "__offsets-0", DamageTrial.Outcome.GROUPS_REFUSED);
    for (String log : refusals.keySet()) {
      String newest =
          image.files.keySet().stream()
              .filter(name -> name.matches(log + "/\\d+\\.log") && hasThreeBatches(image.files.get(name)))
              .max(String::compareTo)
              .orElseThrow();
      for (int field : FIELDS) {
        boolean isAsked = field != BatchHeader.BASE_OFFSET + 7 && field != BatchHeader.LEADER_EPOCH + 3;
        assertEquals(
            isAsked ? refusals.get(log) : DamageTrial.Outcome.NOTHING_LOST,
            outcome(image, newest, field, random),
            newest + ", field at " + field);
      }
    }
  }

  /** It spares a start some reading; check names it all the same. */
  @Test
  void aDamagedMarkOfACleanStopLosesNothing() throws Exception {
    Random random = new Random(1);
    DamageImage image = DamageImage.make(work.resolve("make"), false, random);
    for (String directory : List.of("audit-0", "__topics-0")) {
      String name = directory + "/clean-stop";
      byte[] damaged = image.files.get(name).clone();
      damaged[damaged.length / 2] ^= 1;

      DamageTrial.Outcome outcome =
          new DamageTrial(image, new Damage(name, "bit in the middle", damaged), work.resolve("data"), random).run();

      assertEquals(DamageTrial.Outcome.NOTHING_LOST, outcome, name);
    }
  }

  /** Of the damage of one bit in the third batch. */
  private DamageTrial.Outcome outcome(DamageImage image, String name, int field, Random random) throws Exception {
    byte[] damaged = image.files.get(name).clone();
    damaged[endOfBatch(damaged, endOfBatch(damaged, 0)) + field] ^= 1;
    return new DamageTrial(image, new Damage(name, "field at " + field, damaged), work.resolve("data"), random).run();
  }

  private static boolean hasThreeBatches(byte[] log) {
    int position = 0;
    for (int i = 0; i < 3 && position <= log.length; i++) {
      position = position == log.length ? log.length + 1 : endOfBatch(log, position);
    }
    return position <= log.length;
  }

  /** Where zeros begin that a killed broker has left behind them, or the file's end. */
  private static int endOfBatches(byte[] log) {
    int position = 0;
    while (position + BatchHeader.MAGIC < log.length && log[position + BatchHeader.MAGIC] != 0) {
      position = endOfBatch(log, position);
    }
    return position;
  }

  private static int endOfBatch(byte[] log, int position) {
    return position + ByteBuffer.wrap(log).getInt(position + BatchHeader.LENGTH) + BatchHeader.OVERHEAD;
  }

  /** Of a batch in every segment, also in one that no start needs to recover: each may hold a group's newest offset. */
  @Test
  void aDamagedLogOfOffsetsRefusesGroupsAndAllElseIsServed() throws Exception {
    Random random = new Random(1);
    DamageImage image = DamageImage.make(work.resolve("make"), true, random);
    List<String> names = image.files.keySet().stream().filter(name -> name.matches("__offsets-0/\\d+\\.log")).toList();
    for (String name : names) {
      byte[] damaged = image.files.get(name).clone();
      if (damaged.length > 0) {
        int end = endOfBatches(damaged);
        int middle = 0;
        while (middle < end / 2) {
          middle = endOfBatch(damaged, middle);
        }
        damaged[(middle < end ? middle : 0) + BatchHeader.CRC] ^= 1;

        DamageTrial.Outcome outcome =
            new DamageTrial(image, new Damage(name, "bit of a batch in the middle", damaged), work.resolve("data"), random).run();

        assertEquals(DamageTrial.Outcome.GROUPS_REFUSED, outcome, name);
      }
    }
    assertTrue(names.size() > 1, names.toString());
  }
}
