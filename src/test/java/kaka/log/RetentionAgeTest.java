package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import kaka.TestClock;
import org.junit.jupiter.api.Test;

/** The age of a segment is that of its newest record, wherever in it that is, not that of its file. */
class RetentionAgeTest {
  private final TestClock clock = new TestClock(1_000_000_000_000L);

  private PartitionLog create() throws IOException {
    LogConfig config = new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ofHours(1), 0);
    return PartitionLog.create(new MemoryDisk(clock), TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, clock);
  }

  @Test
  void theGreatestTimestampOfASegmentDecides() throws IOException {
    long nowMs = clock.millis();
    long oldMs = nowMs - Duration.ofMinutes(61).toMillis();
    try (PartitionLog log = create()) {
      log.append(TestLogs.batchAt(oldMs, TestLogs.text(0, 600)));
      log.append(TestLogs.batchAt(oldMs, TestLogs.text(1, 600)));
      log.append(TestLogs.batchAt(new long[] {oldMs, nowMs, oldMs})); // beside the second: its newest is neither first nor last
      log.append(TestLogs.batchAt(oldMs, TestLogs.text(2, 800)));
      log.flush();
      assertEquals(3, log.snapshot().segmentCount());

      log.deleteExpiredSegments(() -> {});

      assertEquals(1, log.snapshot().logStartOffset(), "written just now, but of an hour ago");
      clock.advance(Duration.ofMinutes(61));
      log.deleteExpiredSegments(() -> {});
      assertEquals(5, log.snapshot().logStartOffset());
    }
  }
}
