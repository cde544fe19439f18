package kaka.log;

import static kaka.log.CompactionLogs.compact;
import static kaka.log.CompactionLogs.compactOnce;
import static kaka.log.CompactionLogs.keyed;
import static kaka.log.CompactionLogs.lines;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import kaka.TestClock;
import kaka.record.RecordBatch;
import org.junit.jupiter.api.Test;

/** A tombstone goes only when nothing it stands against can be there any more: what was deleted must not come back. */
class TombstoneTest {
  private static final Duration LONG_AFTER = CompactionLogs.DELETE_RETENTION.multipliedBy(3);

  private final TestClock clock = new TestClock(1_000_000);
  private final MemoryDisk disk = new MemoryDisk(clock);

  private void roll(PartitionLog log) throws IOException {
    clock.advance(Duration.ofDays(2));
    log.rollIfAged();
  }

  private void seal(PartitionLog log, RecordBatch batch) throws IOException {
    log.append(batch);
    log.flush();
    roll(log);
  }

  private void seal(PartitionLog log, String... keysAndValues) throws IOException {
    seal(log, keyed(clock.millis(), keysAndValues));
  }

  @Test
  void aRetentionForEverIsForEver() throws IOException {
    Cleanup forEver = new Cleanup(true, false, Duration.ofMillis(Long.MAX_VALUE), 0);
    LogConfig config = CompactionLogs.COMPACT.withCleanup(forEver);
    try (PartitionLog log = PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, clock)) {
      seal(log, "a", "1", "b", "1");
      seal(log, "a", null);
      seal(log, "c", "1");
      compact(log);
      clock.advance(LONG_AFTER);
      assertEquals(0, compact(log));
      seal(log, "d", "1");
      compact(log);
      assertEquals(List.of("1 b=1", "2 a=null", "3 c=1", "4 d=1"), lines(log.snapshot()));
      assertEquals(1_000_000, CompactionLogs.records(log.snapshot()).get(1L).timestampMs(), "times are as they were");
    }
  }

  /** A throttled run can take longer than the retention: it counts from when the older record went. */
  @Test
  void theRetentionBeginsWhenTheTombstoneIsReachedNotWhenTheRunBegan() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      seal(log, "a", "1", "b", "1");
      seal(log, "a", null, "b", "2");
      seal(log, "c", "1");
      LogCompaction run = log.planCompaction(CompactionLogs.MAP_BYTES).orElseThrow();
      assertEquals(LogCompaction.Progress.WORKING, run.step());
      clock.advance(LONG_AFTER);
      for (LogCompaction.Progress progress = run.step(); progress != LogCompaction.Progress.DONE; progress = run.step()) {
        if (progress == LogCompaction.Progress.READY) {
          log.swapIn(run);
          log.releaseReplaced();
        }
      }
      log.compacted(run);
      clock.advance(CompactionLogs.DELETE_RETENTION.minusMillis(1));
      compact(log);
      assertTrue(lines(log.snapshot()).contains("2 a=null"));
      clock.advance(Duration.ofMillis(1));
      compact(log);
      assertEquals(List.of("3 b=2", "4 c=1"), lines(log.snapshot()));
    }
  }

  /** Only one key fits: the round that drops the old c is the one that begins the tombstone's time, though b's began before. */
  @Test
  void theRetentionOfATombstoneBeginsWithTheRoundThatNotedIt() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      seal(log, "c", "old");
      assertTrue(compactOnce(log, 0));
      seal(log, "b", "old");
      seal(log, "b", null, "c", null);
      seal(log, "d", "1");
      assertTrue(compactOnce(log, 0));
      assertEquals(List.of("0 c=old", "2 b=null", "3 c=null", "4 d=1"), lines(log.snapshot()));
      clock.advance(LONG_AFTER);

      assertTrue(compactOnce(log, 0));

      assertEquals(List.of("2 b=null", "3 c=null", "4 d=1"), lines(log.snapshot()));
    }
  }

  /** Retention takes a segment in the middle of a run: the rest of its group was not compacted, and must not pass for it. */
  @Test
  void whatARunDidNotCompactBecauseRetentionCameDoesNotPassForCompacted() throws IOException {
    LogConfig both = sized(-1);
    try (PartitionLog log = PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, both, clock)) {
      seal(log, "x", "0".repeat(200));
      seal(log, "a", "old", "a", null);
      seal(log, "c", "1");
      LogCompaction run = log.planCompaction(CompactionLogs.MAP_BYTES).orElseThrow();
      while (run.step() != LogCompaction.Progress.READY) {}
      log.updateConfig(sized(log.snapshot().sizeBytes() - 280));
      assertEquals(1, log.deleteExpiredSegments(), "one of the two that were to be one");
      log.updateConfig(both);

      log.swapIn(run);
      log.releaseReplaced();
      assertEquals(LogCompaction.Progress.CANCELLED, run.step());
      assertTrue(disk.list(TestLogs.DIRECTORY).stream().noneMatch(name -> name.contains("cleaned")));

      compactOnce(log, CompactionLogs.MAP_BYTES);
      clock.advance(LONG_AFTER);
      compact(log);
      assertEquals(List.of("3 c=1"), lines(log.snapshot()), "neither the tombstone nor what it stood against");
    }
  }

  private static LogConfig sized(long retentionBytes) {
    return new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, retentionBytes, Duration.ZERO, 0)
        .withCleanup(new Cleanup(true, true, CompactionLogs.DELETE_RETENTION, 0));
  }

  @Test
  void aRunOfATopicThatIsNotCompactedAnyMoreDropsNothing() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      seal(log, "a", "1", "a", "2");
      LogCompaction run = log.planCompaction(CompactionLogs.MAP_BYTES).orElseThrow();
      while (run.step() != LogCompaction.Progress.READY) {}
      log.updateConfig(TestLogs.CONFIG);

      log.swapIn(run);
      log.releaseReplaced();

      assertEquals(LogCompaction.Progress.CANCELLED, run.step());
      assertEquals(List.of("0 a=1", "1 a=2"), lines(log.snapshot()));
    }
  }

  /** After {@code kaka log truncate} other records have the offsets that were compacted. */
  @Test
  void whatIsWrittenAfterATruncationDoesNotPassForCompacted() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      seal(log, "a", "old", "b", "1");
      seal(log, "c", "1", "d", "1");
      seal(log, "e", "1");
      compact(log);
    }
    LogTruncation.truncate(disk, TestLogs.DIRECTORY, 2);
    assertFalse(disk.exists(cleanedOffset()));
    try (PartitionLog log = CompactionLogs.open(disk, clock)) {
      seal(log, "a", null); // where c was; no run in this life of the log
      seal(log, "f", "1", "g", "1");
      seal(log, "h", "1", "i", "1");
    }
    try (PartitionLog log = CompactionLogs.open(disk, clock)) {
      compact(log);
      clock.advance(LONG_AFTER);
      seal(log, "j", "1");
      compact(log);
      assertFalse(lines(log.snapshot()).contains("0 a=old"), "deleted, and back again: " + lines(log.snapshot()));
    }
  }

  private static Path cleanedOffset() {
    return new LogFiles(TestLogs.DIRECTORY).cleanedOffset();
  }

  /** A record from the far future must not keep its segment for ever, so the age is that of the file: not of its compaction. */
  @Test
  void compactionDoesNotMakeRecordsYounger() throws IOException {
    LogConfig byAge =
        new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ofDays(7), 0)
            .withCleanup(new Cleanup(true, true, Duration.ZERO, 0));
    try (PartitionLog log = PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, byAge, clock)) {
      seal(log, keyed(Long.MAX_VALUE, "a", "1", "a", "2"));
      clock.advance(Duration.ofDays(2));
      seal(log, "b", "1");
      compact(log);
      assertEquals(List.of("1 a=2", "2 b=1"), lines(log.snapshot()));
      assertEquals(0, log.deleteExpiredSegments());
      clock.advance(Duration.ofDays(2));
      assertEquals(1, log.deleteExpiredSegments());
      assertEquals(List.of("2 b=1"), lines(log.snapshot()));
    }
  }
}
