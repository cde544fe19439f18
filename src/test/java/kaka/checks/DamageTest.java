package kaka.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import kaka.record.BatchHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link DamageCheck} in a short form; {@code ops/checks/damage.sh} is the long one. */
class DamageTest {
  @TempDir Path work;

  @Test
  void randomDamagesAreRefusedOrHarmlessNeverServed() throws Exception {
    long seed = System.nanoTime();
    try {
      DamageCheck.run(20, seed, work);
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  /** Of a batch in the middle of an older segment, which no start reads: also the fields that no CRC covers. */
  @Test
  void noFieldOfAStoredHeaderIsBelievedWhenItIsDamaged() throws Exception {
    Random random = new Random(1);
    DamageImage image = DamageImage.make(work.resolve("make"), false, random);
    String name = "orders-1/00000000000000000000.log";
    byte[] intact = image.files.get(name);
    int third = 0;
    for (int i = 0; i < 2; i++) {
      third += ByteBuffer.wrap(intact).getInt(third + BatchHeader.LENGTH) + BatchHeader.OVERHEAD;
    }
    int[] fields = {
      BatchHeader.BASE_OFFSET + 7, BatchHeader.LENGTH + 3, BatchHeader.LEADER_EPOCH + 3, BatchHeader.MAGIC, BatchHeader.CRC,
      BatchHeader.ATTRIBUTES + 1, BatchHeader.LAST_OFFSET_DELTA + 3, BatchHeader.MAX_TIMESTAMP + 7, BatchHeader.SIZE + 4
    };
    for (int field : fields) {
      byte[] damaged = intact.clone();
      damaged[third + field] ^= 1;

      DamageTrial.Outcome outcome =
          new DamageTrial(image, new Damage(name, "field at " + field, damaged), work.resolve("data"), random).run();

      assertEquals(DamageTrial.Outcome.REFUSED_AT_FETCH, outcome, "field at " + field);
    }
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
        damaged[damaged.length / 2] ^= 1;

        DamageTrial.Outcome outcome =
            new DamageTrial(image, new Damage(name, "bit in the middle", damaged), work.resolve("data"), random).run();

        assertEquals(DamageTrial.Outcome.GROUPS_REFUSED, outcome, name);
      }
    }
    assertTrue(names.size() > 1, names.toString());
  }
}
