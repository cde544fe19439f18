package kaka.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class QuietLineTest {
  private final AtomicLong nowNs = new AtomicLong(-5);
  private final QuietLine line = new QuietLine(nowNs::get);
  private final List<Long> told = new ArrayList<>();

  private void advanceMs(long ms) {
    nowNs.addAndGet(ms * 1_000_000);
  }

  @Test
  void oneLineInTenSecondsSaysHowManyThereWere() {
    for (int i = 0; i < 1000; i++) {
      line.tell(told::add);
      advanceMs(5);
    }
    assertEquals(List.of(0L), told);

    advanceMs(5001);
    line.tell(told::add);
    assertEquals(List.of(0L, 999L), told);

    advanceMs(10_000);
    line.tell(told::add);
    assertEquals(List.of(0L, 999L, 0L), told);
  }
}
