package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import kaka.TestSeed;
import kaka.log.CrashingDisk.Unsynced;

/**
 * A life of a log, from its creation on, and what it was told is durable; and the frame of tests that let the disk fail, or the power
 * go, at each of its calls in turn.
 */
abstract class LogLife {
  final List<String> appended = new ArrayList<>();
  int flushedCount;
  boolean created;
  private final LogConfig config;

  LogLife(LogConfig config) {
    this.config = config;
  }

  /** To its end, or to what the disk refuses; leaves no file open. */
  abstract void live(Disk disk) throws IOException;

  /** The process has ended; the disk has what is left. */
  interface AfterFailure<L> {
    void check(L life, FaultyDisk disk, String when) throws IOException;
  }

  /** The power has gone; {@code random} is for what may still happen to the disk. */
  interface AfterCut<L> {
    void check(L life, CrashingDisk found, Random random, String when) throws IOException;
  }

  final PartitionLog create(Disk disk) throws IOException {
    PartitionLog log = PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, Clock.systemUTC());
    created = true;
    return log;
  }

  /** Opens it, or creates it if that has not come about. */
  final PartitionLog reopen(Disk disk) throws IOException {
    return created || PartitionDirectory.isCreated(disk, TestLogs.DIRECTORY)
        ? PartitionLog.open(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, Clock.systemUTC())
        : PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, Clock.systemUTC());
  }

  /** @return how many calls there are, and one more, where none failed */
  static <L extends LogLife> int failEachCall(Supplier<L> lives, AfterFailure<L> after) throws IOException {
    for (int n = 1; ; n++) {
      FaultyDisk disk = new FaultyDisk(new MemoryDisk());
      disk.failNth(FaultyDisk.ALL, "", n);
      L life = lives.get();
      try {
        life.live(disk);
      } catch (IOException e) { // goes on at the next open
      }
      boolean failed = disk.failureCount() > 0;
      assertEquals(0, disk.openCount(), "files left open after call " + n);
      disk.heal();
      after.check(life, disk, "call " + n);
      assertEquals(0, disk.openCount(), "files left open, opened again after call " + n);
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
  static <L extends LogLife> int cutPowerAtEachChange(Unsynced unsynced, int cuts, Supplier<L> lives, AfterCut<L> after)
      throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    for (int n = 1; ; n++) {
      CrashingDisk power = new CrashingDisk();
      FaultyDisk disk = new FaultyDisk(power);
      disk.failFrom(FaultyDisk.CHANGES, "", n);
      L life = lives.get();
      try {
        life.live(disk);
      } catch (IOException e) { // the power is gone
      }
      for (int i = 0; i < (unsynced == Unsynced.ANYTHING ? cuts : 1); i++) {
        after.check(life, power.afterPowerCut(unsynced, random), random, "change " + n + ", seed " + seed);
      }
      if (disk.failureCount() == 0) {
        return n;
      }
    }
  }
}
