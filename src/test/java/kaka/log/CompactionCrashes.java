package kaka.log;

import java.io.IOException;
import java.util.Random;
import kaka.TestClock;
import kaka.TestSeed;
import kaka.log.CrashingDisk.Unsynced;

/** The frame of tests that stop compaction at every call to the disk, by a failure and by a power cut. */
abstract class CompactionCrashes {
  final TestClock clock = new TestClock(1_000_000);

  /** A log with much to compact, all of it flushed. */
  abstract PartitionLog fill(Disk disk) throws IOException;

  /** All of the compaction that is to be stopped. */
  abstract void work(PartitionLog log) throws IOException;

  /** After the failure of a call, or after none failed; the disk is whole again, the log still open. */
  interface AfterFailure {
    void check(FaultyDisk disk, PartitionLog log, String when) throws IOException;
  }

  /** After the power has gone: what the next process finds. */
  interface AfterCut {
    void check(CrashingDisk found, String when) throws IOException;
  }

  /** @return how many calls there are, and one more, where none failed */
  final int failEachCall(AfterFailure after) throws IOException {
    for (int n = 1; ; n++) {
      FaultyDisk disk = new FaultyDisk(new MemoryDisk(clock));
      PartitionLog log = fill(disk);
      disk.failNth(FaultyDisk.ALL, "", n);
      String when = "call " + n + workedOrFailed(log);
      boolean failed = disk.failureCount() > 0;
      disk.heal();
      after.check(disk, log, when);
      if (!failed) {
        return n;
      }
    }
  }

  /**
   * From each change on nothing reaches the disk.
   *
   * @param cuts how many times it is looked what may be left, where that is a matter of chance
   * @return how many changes there are, and one more
   */
  final int cutPowerAtEachChange(Unsynced unsynced, int cuts, AfterCut after) throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    for (int n = 1; ; n++) {
      CrashingDisk crashing = new CrashingDisk();
      FaultyDisk disk = new FaultyDisk(crashing);
      PartitionLog log = fill(disk);
      disk.failFrom(FaultyDisk.CHANGES, "", n);
      String when = unsynced + ", change " + n + ", seed " + seed + workedOrFailed(log);
      log.abandon();
      for (int i = 0; i < (unsynced.compareTo(Unsynced.ANYTHING) >= 0 ? cuts : 1); i++) {
        after.check(crashing.afterPowerCut(unsynced, random), when);
      }
      if (disk.failureCount() == 0) {
        return n;
      }
    }
  }

  private String workedOrFailed(PartitionLog log) {
    try {
      work(log);
      return "";
    } catch (IOException e) {
      return " " + e.getMessage();
    }
  }
}
