package kaka.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;

class AckLedgerTest {
  /** Far more requests than ranges, so that the ranges were made wider several times. */
  private static final int REQUESTS = 50_000;

  private final AckLedger ledger = new AckLedger();
  private final long[] offsets = new long[REQUESTS];

  private void acknowledgeAll() {
    Random random = new Random(TestSeed.get());
    long offset = 0;
    for (int i = 0; i < REQUESTS; i++) {
      offset += 1 + random.nextInt(10);
      offsets[i] = offset;
      ledger.acknowledge(offset);
    }
  }

  @Test
  void whatIsFoundWhereItsAckSaidLeavesNothing() {
    acknowledgeAll();

    for (int i = 0; i < REQUESTS; i++) {
      ledger.found(i, offsets[i]);
    }

    assertEquals(0, ledger.rangesThatDiffer());
  }

  @Test
  void twoThatHaveChangedPlacesAreSeen() {
    acknowledgeAll();

    for (int i = 0; i < REQUESTS; i++) {
      ledger.found(i, i == 7 ? offsets[8] : i == 8 ? offsets[7] : offsets[i]);
    }

    assertEquals(1, ledger.rangesThatDiffer());
  }

  @Test
  void whatIsNotFoundIsSeen() {
    acknowledgeAll();

    for (int i = 0; i < REQUESTS - 1; i++) {
      ledger.found(i, offsets[i]);
    }

    assertEquals(1, ledger.rangesThatDiffer());
  }

  @Test
  void refusedRequestsAreNotMissed() {
    ledger.acknowledge(0);
    assertTrue(ledger.refuse());
    ledger.acknowledge(1);
    assertTrue(ledger.refuse());

    assertTrue(ledger.isAcknowledged(0));
    assertFalse(ledger.isAcknowledged(1));
    assertTrue(ledger.isAcknowledged(2));
    assertFalse(ledger.isAcknowledged(3));
    assertFalse(ledger.isAcknowledged(4), "not answered");
    assertEquals(2, ledger.acknowledgedBetween(0, 100));
    assertEquals(1, ledger.acknowledgedBetween(1, 4));
    assertEquals(0, ledger.acknowledgedBetween(3, 100));
  }

  @Test
  void refusalsThatAreRememberedHaveABound() {
    for (int i = 0; i < AckLedger.MAX_REFUSED; i++) {
      assertTrue(ledger.refuse());
    }

    assertFalse(ledger.refuse());
  }
}
