package kaka.log;

import static kaka.log.CompactionLogs.compact;
import static kaka.log.CompactionLogs.keyed;
import static kaka.log.CompactionLogs.lines;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import kaka.TestSeed;
import kaka.log.CrashingDisk.Unsynced;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compaction is stopped at every call to the disk, by a failure and by a power cut: the next open finds a log that is whole,
 * has the newest record of every key, and nothing that was never there; and compaction then comes to the same end.
 */
class LogCompactionCrashTest extends CompactionCrashes {
  private static final int KEYS = 5;
  private static final int RECORDS = 40;
  private static final Path FIRST = TestLogs.file("00000000000000000000.log");

  @Override
  PartitionLog fill(Disk disk) throws IOException {
    PartitionLog log = CompactionLogs.create(disk, clock);
    for (int i = 0; i < RECORDS; i++) {
      log.append(keyed(clock.millis(), i == 3 ? "once" : "k" + i % KEYS, i % 13 == 12 ? null : i + "x".repeat(100)));
      log.flush();
      if (i < 4) { // four small segments, which become one
        roll(log);
      }
    }
    roll(log);
    return log;
  }

  @Override
  void work(PartitionLog log) throws IOException {
    compact(log);
  }

  private void roll(PartitionLog log) throws IOException {
    clock.advance(Duration.ofDays(2));
    log.rollIfAged();
  }

  private List<String> filled() throws IOException {
    try (PartitionLog log = fill(new MemoryDisk(clock))) {
      return lines(log.snapshot());
    }
  }

  /** What compaction makes of it when nothing fails. */
  private List<String> expected() throws IOException {
    try (PartitionLog log = fill(new MemoryDisk(clock))) {
      compact(log);
      return lines(log.snapshot());
    }
  }

  private void check(PartitionLog log, List<String> all, List<String> newest, String when) throws IOException {
    List<String> found = lines(log.snapshot());
    assertTrue(all.containsAll(found), when + ": something that was not written " + found);
    assertTrue(found.containsAll(newest), when + ": the newest of a key is missing " + found);
    assertEquals(RECORDS, log.logEndOffset(), when);
    compact(log);
    assertEquals(newest, lines(log.snapshot()), when + ", compacted again");
  }

  @Test
  void aFailureOfAnyCallLosesNothing() throws IOException {
    List<String> all = filled();
    List<String> newest = expected();
    int calls =
        failEachCall(
            (disk, log, when) -> {
              List<String> live = lines(log.snapshot());
              assertTrue(all.containsAll(live) && live.containsAll(newest), when + ": " + live);
              log.append(keyed(1, "k0", "the log takes appends as before"));
              log.flush();
              log.abandon();
              log.close();
              assertEquals(0, disk.openCount(), "files left open after " + when);

              try (PartitionLog reopened = CompactionLogs.open(disk, clock)) {
                List<String> found = lines(reopened.snapshot());
                assertEquals(RECORDS + 1, reopened.logEndOffset(), when);
                assertTrue(found.containsAll(newest), when + ": " + found);
                compact(reopened);
                assertEquals(newest, lines(reopened.snapshot()).subList(0, newest.size()), when);
              }
              assertTrue(
                  disk.list(TestLogs.DIRECTORY).stream().noneMatch(name -> name.endsWith(".cleaned") || name.endsWith(".swap")), when);
            });
    assertTrue(calls > 60, "only " + calls + " calls");
  }

  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void aPowerCutAtAnyChangeLosesNothing(Unsynced unsynced) throws IOException {
    List<String> all = filled();
    List<String> newest = expected();
    int changes =
        cutPowerAtEachChange(
            unsynced,
            3,
            (found, when) -> {
              try (PartitionLog survivor = CompactionLogs.open(found, clock)) {
                check(survivor, all, newest, when);
              }
            });
    assertTrue(changes > 30, "only " + changes + " changes");
  }

  /** The open itself, which finishes what compaction had begun, is cut off at every change, too. */
  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void aPowerCutWhileTheNextOpenFinishesASwapLosesNothing(Unsynced unsynced) throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    List<String> newest = expected();
    int finished = 0;
    for (int n = 1; ; n++) {
      String when = unsynced + ", change " + n + " of the open, seed " + seed;
      CrashingDisk crashing = new CrashingDisk();
      FaultyDisk disk = new FaultyDisk(crashing);
      PartitionLog log = fill(disk);
      List<String> all = lines(log.snapshot());
      disk.failNext(FaultyDisk.Operation.MOVE, ".log.swap"); // committed, and old segments are gone
      assertThrows(IOException.class, () -> compact(log));
      log.abandon();
      CrashingDisk crashed = crashing.afterPowerCut(Unsynced.EVERYTHING, random);

      FaultyDisk opening = new FaultyDisk(crashed);
      opening.failFrom(FaultyDisk.CHANGES, "", n);
      try (PartitionLog half = CompactionLogs.open(opening, clock)) {
        assertTrue(n > 1);
      } catch (IOException e) {
        when += " " + e.getMessage();
      }
      boolean cut = opening.failureCount() > 0;

      try (PartitionLog survivor = CompactionLogs.open(crashed.afterPowerCut(unsynced, random), clock)) {
        check(survivor, all, newest, when);
      }
      if (!cut) {
        finished = n;
        break;
      }
    }
    assertTrue(finished > 5, "only " + finished + " changes");
  }

  /** Its name may mean the new segment already, which goes on above what retention would take. */
  @Test
  void retentionTakesNothingAfterASwapThatFailed() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk(clock));
    PartitionLog log = fill(disk);
    disk.failNth(EnumSet.of(FaultyDisk.Operation.SYNC_DIRECTORY), "", 3); // after the last rename
    assertThrows(IOException.class, () -> compact(log));
    LogConfig keepNothing =
        new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, 0, Duration.ZERO, 0)
            .withCleanup(new Cleanup(true, true, Duration.ofDays(1), 0));
    log.updateConfig(keepNothing);
    assertTrue(disk.exists(FIRST));

    assertEquals(0, log.deleteExpiredSegments());

    assertTrue(disk.exists(FIRST));
    log.close();
    try (PartitionLog reopened =
        PartitionLog.open(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, keepNothing, clock)) {
      assertTrue(lines(reopened.snapshot()).containsAll(expected()));
      assertTrue(reopened.deleteExpiredSegments() > 0);
    }
  }

  /** Who looks at a closed log, or cuts it, finds what the next open would. */
  @Test
  void checkAndTruncationKnowASwapThatIsPending() throws IOException {
    for (boolean all : new boolean[] {true, false}) {
      FaultyDisk disk = new FaultyDisk(new MemoryDisk(clock));
      PartitionLog log = fill(disk);
      disk.failNext(FaultyDisk.Operation.MOVE, ".log.swap");
      assertThrows(IOException.class, () -> compact(log));
      log.abandon();
      log.close();
      LogFiles files = new LogFiles(TestLogs.DIRECTORY);
      Path swap = files.swap(0);
      assertTrue(disk.exists(swap));

      List<Finding> findings =
          PartitionCheck.run(disk, TestLogs.DIRECTORY, Optional.of(TestLogs.TOPIC_ID), bytes -> {}).findings();
      assertEquals(List.of(swap), findings.stream().map(Finding::file).toList());
      assertEquals(Finding.Level.NOTE, findings.get(0).level());

      long toOffset = all ? 0 : CompactionSwap.endOf(disk, files, 0);
      long bytes = LogTruncation.bytesAfter(disk, TestLogs.DIRECTORY, toOffset);
      assertTrue(disk.exists(swap), "only looked at");
      assertEquals(bytes, LogTruncation.truncate(disk, TestLogs.DIRECTORY, toOffset).cutBytes());
      assertFalse(disk.exists(swap));
      try (PartitionLog reopened = CompactionLogs.open(disk, clock)) {
        assertEquals(toOffset, reopened.logEndOffset());
      }
    }
  }

  @Test
  void checkNamesASwapThatIsDamaged() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk(clock));
    PartitionLog log = fill(disk);
    disk.failNext(FaultyDisk.Operation.MOVE, ".log.swap");
    assertThrows(IOException.class, () -> compact(log));
    log.close();
    Path swap = new LogFiles(TestLogs.DIRECTORY).swap(0);
    try (DiskFile file = disk.openForWriting(swap)) {
      file.truncate(file.sizeBytes() - 1);
    }

    List<Finding> findings =
        PartitionCheck.run(disk, TestLogs.DIRECTORY, Optional.of(TestLogs.TOPIC_ID), bytes -> {}).findings();

    assertTrue(findings.stream().anyMatch(f -> f.file().equals(swap) && f.level() == Finding.Level.DAMAGE), findings.toString());
    assertThrows(LogDamagedException.class, () -> LogTruncation.truncate(disk, TestLogs.DIRECTORY, 0));
  }

  @Test
  void aSwapThatFailedIsFinishedByTheNextOpenAndNotTriedAgain() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk(clock));
    PartitionLog log = fill(disk);
    List<String> all = lines(log.snapshot());
    disk.failNext(FaultyDisk.Operation.MOVE, ".log.swap");
    assertThrows(IOException.class, () -> compact(log));

    assertTrue(log.planCompaction(1000).isEmpty());
    assertEquals(all, lines(log.snapshot()), "the old files are gone from the directory, but still open");
    log.releaseReplaced();
    assertEquals(all, lines(log.snapshot()));
    log.close();
    assertEquals(0, disk.openCount());

    try (PartitionLog reopened = CompactionLogs.open(disk, clock)) {
      assertTrue(lines(reopened.snapshot()).size() < all.size());
      check(reopened, all, expected(), "reopened");
    }
  }

  @Test
  void aDamagedSwapFileIsDamageAndChangesNothing() throws IOException {
    for (int bit : new int[] {8 * 3, 8 * 25, 8 * 100}) {
      FaultyDisk disk = swapping();
      Path swap = TestLogs.file("00000000000000000000.log.swap");
      disk.flipBit(swap, bit);
      List<String> names = disk.list(TestLogs.DIRECTORY);

      LogDamagedException damaged =
          assertThrows(LogDamagedException.class, () -> CompactionLogs.open(disk, clock));

      assertEquals(swap, damaged.file());
      assertEquals(names, disk.list(TestLogs.DIRECTORY));
    }
  }

  @Test
  void aSwapFileThatEndsWhereNoSegmentStartsIsDamage() throws IOException {
    FaultyDisk disk = swapping();
    Path swap = TestLogs.file("00000000000000000000.log.swap");
    byte[] content = TestLogs.content(disk, swap);
    int lastBatch = 0;
    for (int at = 0; at < content.length; at += java.nio.ByteBuffer.wrap(content).getInt(at + 8) + 12) {
      lastBatch = at;
    }
    disk.cut(swap, lastBatch);
    List<String> names = disk.list(TestLogs.DIRECTORY);
    assertThrows(LogDamagedException.class, () -> CompactionLogs.open(disk, clock));
    assertEquals(names, disk.list(TestLogs.DIRECTORY), "nothing is deleted by what does not fit");
  }

  /** A log whose first swap is committed and not finished. */
  private FaultyDisk swapping() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk(clock));
    PartitionLog log = fill(disk);
    disk.failNext(FaultyDisk.Operation.MOVE, ".log.swap"); // what it stands for is gone
    assertThrows(IOException.class, () -> compact(log));
    log.close();
    return disk;
  }

  @Test
  void aSegmentMissingFromACompactedLogIsDamage() throws IOException {
    MemoryDisk disk = new MemoryDisk(clock);
    try (PartitionLog log = fill(disk)) {
      compact(log);
      log.append(keyed(1, "more", "x".repeat(900)));
      log.append(keyed(1, "more2", "x".repeat(900)));
    }
    List<String> logs = disk.list(TestLogs.DIRECTORY).stream().filter(name -> name.endsWith(".log")).toList();
    assertTrue(logs.size() > 3, logs.toString());
    for (String missing : logs.subList(0, logs.size() - 1)) {
      MemoryDisk copy = TestLogs.copy(disk);
      copy.delete(TestLogs.file(missing));
      assertThrows(LogDamagedException.class, () -> CompactionLogs.open(copy, clock), missing);
    }
  }

  /** A compacted segment is as well guarded as any: every bit of it, with its index gone. */
  @Test
  void everyFlippedBitOfACompactedSegmentIsFound() throws IOException {
    MemoryDisk disk = new MemoryDisk(clock);
    try (PartitionLog log = fill(disk)) {
      compact(log);
    }
    disk.delete(TestLogs.file("00000000000000000000.index"));
    FaultyDisk flipping = new FaultyDisk(disk);
    int bits = TestLogs.content(disk, FIRST).length * 8;
    for (int bit = 0; bit < bits; bit++) {
      flipping.flipBit(FIRST, bit);
      int flipped = bit;
      assertThrows(LogDamagedException.class, () -> CompactionLogs.open(disk, clock), () -> "bit " + flipped);
      flipping.flipBit(FIRST, bit);
    }
    CompactionLogs.open(disk, clock).close();
  }

  @Test
  void progressThatIsDamagedBeginsAnew() throws IOException {
    MemoryDisk disk = new MemoryDisk(clock);
    try (PartitionLog log = fill(disk)) {
      compact(log);
    }
    Path file = TestLogs.file("cleaned-offset");
    byte[] content = TestLogs.content(disk, file);
    for (int i = 0; i < content.length; i++) {
      byte[] flipped = content.clone();
      flipped[i] ^= 1;
      TestLogs.setContent(disk, file, flipped);
      assertEquals(CleanedOffset.NONE, CleanedOffset.read(disk, new LogFiles(TestLogs.DIRECTORY)), "byte " + i);
    }
    try (PartitionLog log = CompactionLogs.open(disk, clock)) {
      assertEquals(1, compact(log));
      assertEquals(expected(), lines(log.snapshot()));
    }
  }

  /** As after {@code kaka log truncate}: what is written then must not pass for compacted. */
  @Test
  void progressBeyondWhatIsSealedAtOpenBeginsAnew() throws IOException {
    MemoryDisk disk = new MemoryDisk(clock);
    fill(disk).close();
    new CleanedOffset(RECORDS + 100, Long.MAX_VALUE).write(disk, new LogFiles(TestLogs.DIRECTORY));
    try (PartitionLog log = CompactionLogs.open(disk, clock)) {
      assertEquals(1, compact(log));
      assertEquals(expected(), lines(log.snapshot()));
    }
  }

  @Test
  void theOfflineCheckFindsNothingWrongWithACompactedLog() throws IOException {
    MemoryDisk disk = new MemoryDisk(clock);
    try (PartitionLog log = fill(disk)) {
      compact(log);
    }
    PartitionCheck.Result result =
        PartitionCheck.run(disk, TestLogs.DIRECTORY, Optional.of(TestLogs.TOPIC_ID), bytes -> {});
    assertEquals(List.of(), result.findings());
  }
}
