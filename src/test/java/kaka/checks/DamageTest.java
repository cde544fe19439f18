package kaka.checks;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link DamageCheck} in a short form; {@code ops/checks/damage.sh} is the long one. */
class DamageTest {
  @TempDir Path work;

  @Test
  void randomDamagesAreRefusedOrHarmlessNeverServed() throws Exception {
    long seed = System.nanoTime();
    try {
      DamageCheck.run(40, seed, work);
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }
}
