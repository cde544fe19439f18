package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import kaka.TestClock;
import kaka.TestSeed;
import kaka.log.CrashingDisk.Unsynced;

/**
 * The frame of a compacted log's random life: compaction that is let run, interleaved, cancelled or fails, restarts, and power
 * cuts. What is written, and what has to be so at any time, is the test's.
 *
 * @param <E> what the test knows of one offset
 */
abstract class CompactedLife<E> {
  private static final int STEPS = 700;

  /** One for each offset of the log, from 0 on. */
  final List<E> written = new ArrayList<>();

  Random random;
  TestClock clock;
  CrashingDisk disk;
  PartitionLog log;
  private LogConfig config;
  private FaultyDisk faulty;
  private LogCompaction run; // null while none is under way
  private int flushedCount;
  private int droppedCount;

  /** Something of what the test is about; often {@link #check}. */
  abstract void step() throws IOException;

  /** That the log shows what {@link #written} gives. */
  abstract void check() throws IOException;

  /** All steps are done, and nothing fails any more. */
  void finish() throws IOException {}

  /** Before the log is opened again. */
  void beforeOpen() throws IOException {}

  /**
   * @param segmentRoom how many bytes a segment may have above 1 KiB
   * @param maxStepMinutes that pass between two steps
   */
  final void live(int round, int segmentRoom, int tombstoneMinutes, int maxStepMinutes) throws IOException {
    long seed = TestSeed.get() + round;
    try {
      random = new Random(seed);
      clock = new TestClock(1_000_000);
      config =
          TestLogs.withSegmentBytes(1024 + random.nextInt(segmentRoom))
              .withCleanup(new Cleanup(true, false, Duration.ofMinutes(random.nextInt(tombstoneMinutes)), random.nextInt(3) * 0.3));
      disk = new CrashingDisk();
      faulty = new FaultyDisk(disk);
      log = PartitionLog.create(faulty, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, clock);
      for (int i = 0; i < STEPS; i++) {
        clock.advance(Duration.ofMinutes(random.nextInt(maxStepMinutes)));
        step();
      }
      finish();
      endRun();
      log.close();
      assertEquals(0, faulty.openCount());
      assertTrue(droppedCount > 20, "only " + droppedCount + " records went");
    } catch (AssertionError | IOException | RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  final void flush() throws IOException {
    log.flush();
    flushedCount = written.size();
  }

  // ---------------------------------------------------------------- compaction

  /** One step of a run, or all of it. */
  final void compactSome() throws IOException {
    if (run == null) {
      run = log.planCompaction(random.nextBoolean() ? 8 * KeyOffsets.SLOT_BYTES : 100_000).orElse(null);
    }
    advance(random.nextInt(2) == 0 ? 1 : 1000);
    if (run != null && random.nextInt(20) == 0) {
      endRun();
    }
  }

  /** Runs until none is due. */
  final void compactAll() throws IOException {
    endRun();
    while ((run = log.planCompaction(100_000).orElse(null)) != null) {
      advance(Integer.MAX_VALUE);
    }
  }

  private void advance(int steps) throws IOException {
    for (; run != null && steps > 0; steps--) {
      switch (run.step()) {
        case READY -> {
          log.swapIn(run);
          log.releaseReplaced();
        }
        case DONE -> {
          log.compacted(run);
          droppedCount += (int) run.droppedCount();
          run = null;
        }
        case CANCELLED -> throw new IllegalStateException();
        case WORKING -> {}
      }
    }
  }

  private void endRun() throws IOException {
    if (run != null) {
      run.cancel();
      run = null;
    }
  }

  // ---------------------------------------------------------------- ends, and the next open

  final void restart() throws IOException {
    endRun();
    log.close();
    flushedCount = written.size();
    reopen();
  }

  /** The process ends, its run with it; the disk has all that was written. */
  final void crash() throws IOException {
    log.abandon();
    run = null;
    faulty = new FaultyDisk(disk);
    reopen();
  }

  /** Now and then in the middle of compaction. */
  final void cutPower() throws IOException {
    if (random.nextBoolean()) {
      faulty.failFrom(FaultyDisk.CHANGES, "", 1 + random.nextInt(40));
      try {
        for (int i = 0; i < 20; i++) {
          compactSome();
        }
      } catch (IOException e) {
        assertTrue(faulty.failureCount() > 0, e.toString());
      }
    }
    log.abandon();
    run = null;
    disk = disk.afterPowerCut(Unsynced.values()[random.nextInt(4)], random);
    faulty = new FaultyDisk(disk);
    reopen();
  }

  private void reopen() throws IOException {
    beforeOpen();
    log = PartitionLog.open(faulty, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, clock);
    long end = log.logEndOffset();
    assertTrue(end >= flushedCount && end <= written.size(), end + " of " + flushedCount + " to " + written.size());
    written.subList((int) end, written.size()).clear();
    flushedCount = written.size();
    check();
  }

  /** What a record means for the map that a compacted log is. */
  static void put(Map<String, String> map, String key, String value) {
    if (value == null) {
      map.remove(key);
    } else {
      map.put(key, value);
    }
  }
}
