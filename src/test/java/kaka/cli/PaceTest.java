package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PaceTest {
  private final AtomicLong nowNs = new AtomicLong(7);

  @Test
  void copyingTakesAsLongAsItsRateSays() {
    Pace pace = new Pace(1000, nowNs::get, nowNs::addAndGet);

    for (int i = 0; i < 50; i++) {
      pace.copied(100);
    }

    assertEquals(7 + 5_000_000_000L, nowNs.get());
    assertEquals(5000, pace.doneBytes());
  }

  /** A wait may end too early, as LockSupport's can. */
  @Test
  void shortWaitIsWaitedAgain() {
    Pace pace = new Pace(1000, nowNs::get, ns -> nowNs.addAndGet(Math.max(1, ns / 2)));

    pace.copied(1000);

    assertEquals(7 + 1_000_000_000L, nowNs.get());
  }

  @Test
  void whatTakesLongerByItselfIsNotHeldUp() {
    Pace pace = new Pace(1000, nowNs::get, nowNs::addAndGet);

    pace.copied(100);
    nowNs.addAndGet(10_000_000_000L);
    long before = nowNs.get();
    pace.copied(100);

    assertEquals(before, nowNs.get());
  }

  @Test
  void withoutARateNothingWaitsAndWhatIsLinkedCostsNothing() {
    new Pace(0, nowNs::get, nowNs::addAndGet).copied(1_000_000);
    new Pace(1, nowNs::get, nowNs::addAndGet).linked(1_000_000);

    assertEquals(7, nowNs.get());
  }
}
