package kaka.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The gate on a process whose descriptors and clock are the test's. */
class DescriptorGateTest {
  private static final int MARGIN = 16;

  private long open = 100;
  private int unusedByStorage = 50;
  private long nowNs;
  private int looks;

  private final DescriptorGate gate =
      new DescriptorGate(
          () -> {
            looks++;
            nowNs += 1_000;
            return open;
          },
          300,
          () -> unusedByStorage,
          () -> nowNs);

  /** Each one that is accepted takes a descriptor: storage's own, and the margin, are never touched. */
  @Test
  void acceptsUpToWhatStorageNeeds() {
    int accepted = 0;
    while (gate.getAsBoolean()) {
      open++;
      accepted++;
    }

    assertEquals(300 - 100 - 50 - MARGIN, accepted);
    assertTrue(looks < 12, looks + " looks for " + accepted);
  }

  @Test
  void fullIsNotLookedAtAgainBeforeAWhile() {
    open = 290;
    assertFalse(gate.getAsBoolean());
    open = 100;
    assertFalse(gate.getAsBoolean(), "known to be full");
    assertEquals(1, looks);

    nowNs += 5_000_000;

    assertTrue(gate.getAsBoolean());
  }

  @Test
  void lookThatTakesLongIsRare() {
    DescriptorGate slow =
        new DescriptorGate(
            () -> {
              nowNs += 50_000_000;
              return 300;
            },
            300,
            () -> 0,
            () -> nowNs);
    slow.getAsBoolean();
    long lookedNs = nowNs;

    for (nowNs += 10_000_000; nowNs < lookedNs + 1_000_000_000; nowNs += 10_000_000) {
      long before = nowNs;
      assertFalse(slow.getAsBoolean());
      assertEquals(before, nowNs, "no look");
    }
    slow.getAsBoolean();
    assertEquals(lookedNs + 1_050_000_000, nowNs);
  }

  @Test
  void whatStorageHasOpenIsNotKeptFreeAsWell() {
    open = 250;
    assertFalse(gate.getAsBoolean());

    unusedByStorage = 0;
    nowNs += 5_000_000;

    assertTrue(gate.getAsBoolean());
  }
}
