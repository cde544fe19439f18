package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.batch;
import static kaka.log.TestLogs.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import kaka.TestSeed;
import kaka.log.CrashingDisk.Unsynced;
import kaka.log.FaultyDisk.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever call the disk fails at, and whatever a power cut then takes: every flushed record is there at the next open. */
class LogCrashTest {
  private static final LogConfig KEEP_2_KB =
      new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, 2000, Duration.ZERO, 0)
          .withPreallocation(TestLogs.EAGER);

  /** A life of a log: creation, rolls, retention, a restart in the middle, and all that it was told is durable. */
  private static final class Life extends LogLife {
    Life() {
      super(KEEP_2_KB);
    }

    @Override
    void live(Disk disk) throws IOException {
      PartitionLog log = create(disk);
      try {
        for (int i = 0; i < 12; i++) {
          append(log, 40 + i * 7);
        }
        log.close();
        log = reopen(disk);
        for (int i = 0; i < 12; i++) {
          append(log, 300 - i * 9);
          log.deleteExpiredSegments();
        }
        log.close();
      } catch (IOException e) {
        log.abandon();
        throw e;
      }
    }

    private void append(PartitionLog log, int size) throws IOException {
      for (int i = 0; i < 2; i++) {
        String value = text(appended.size(), size);
        appended.add(value);
        assertEquals(appended.size() - 1, log.append(batch(value)));
      }
      log.flush();
      flushedCount = appended.size();
    }
  }

  /** @param flushedCount how many of {@code appended} must be there; the others may */
  private static void check(List<String> appended, int flushedCount, PartitionLog log, String when) throws IOException {
    LogSnapshot snapshot = log.snapshot();
    long highWatermark = snapshot.highWatermark();
    assertTrue(highWatermark >= flushedCount, when + ": " + highWatermark + " of " + flushedCount);
    assertTrue(highWatermark <= appended.size(), when);
    assertEquals(
        appended.subList((int) snapshot.logStartOffset(), (int) highWatermark), TestLogs.values(snapshot), when);
  }

  @Test
  void everyFlushedRecordSurvivesAFailureOfAnyCall() throws IOException {
    int calls =
        LogLife.failEachCall(
            Life::new,
            (life, disk, when) -> {
              try (PartitionLog log = life.reopen(disk)) {
                check(life.appended, life.flushedCount, log, when);
              }
            });
    assertTrue(calls > 200, "only " + calls + " calls");
  }

  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void everyFlushedRecordSurvivesAPowerCutAtAnyChange(Unsynced unsynced) throws IOException {
    int changes =
        LogLife.cutPowerAtEachChange(
            unsynced, 3, Life::new, (life, found, random, when) -> checkAfterCut(life, found, unsynced, random, when));
    assertTrue(changes > 100, "only " + changes + " changes");
  }

  /** The power goes again during recovery; then the log opens, goes on, and opens once more. */
  private static void checkAfterCut(Life life, CrashingDisk found, Unsynced unsynced, Random random, String when)
      throws IOException {
    FaultyDisk disk = new FaultyDisk(found);
    disk.failFrom(FaultyDisk.CHANGES, "", 1 + random.nextInt(12));
    try {
      life.reopen(disk).abandon();
    } catch (IOException e) { // in the middle of recovery
    }
    CrashingDisk after = found.afterPowerCut(unsynced, random);

    List<String> expected;
    try (PartitionLog log = life.reopen(after)) {
      check(life.appended, life.flushedCount, log, when);
      assertTrue(log.isWritable(), when);
      expected = new ArrayList<>(life.appended.subList(0, (int) log.logEndOffset()));
      expected.add("after");
      assertEquals(expected.size() - 1, log.append(batch("after")), when);
      log.flush();
    }
    try (PartitionLog log = life.reopen(after.afterPowerCut(unsynced, random))) {
      check(expected, expected.size(), log, when + ", opened again");
    }
  }

  /** Whenever the power goes while a torn tail is kept aside and cut, its bytes are in the one place or the other. */
  @Test
  void noByteOfATornTailIsLost() throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    byte[] tail = text(0, 500).getBytes(StandardCharsets.US_ASCII);
    for (int n = 1; ; n++) {
      CrashingDisk power = new CrashingDisk();
      TestLogs.create(power).close();
      TestLogs.setContent(power, TestLogs.file("00000000000000000000.log"), tail);
      CrashingDisk found = power.afterPowerCut(Unsynced.EVERYTHING, random);
      FaultyDisk disk = new FaultyDisk(found);
      disk.failFrom(FaultyDisk.CHANGES, "", n);

      TestLogs.open(disk).abandon();

      for (int i = 0; i < 20; i++) {
        CrashingDisk after = found.afterPowerCut(Unsynced.values()[i % 3], random);
        boolean kept = false;
        for (String name : after.list(DIRECTORY)) {
          kept |= Arrays.equals(tail, TestLogs.content(after, TestLogs.file(name)));
        }
        assertTrue(kept, "change " + n + ", seed " + seed);
      }
      if (disk.failureCount() == 0) {
        assertTrue(n > 5);
        return;
      }
    }
  }

  /**
   * A failed sync loses bytes that the page cache goes on showing. The next open sees them whole, so it writes them again; the
   * sync of a later batch would not.
   */
  @Test
  void bytesWhoseSyncFailedAreWrittenAgainBeforeTheyAreServed() throws IOException {
    CrashingDisk disk = new CrashingDisk();
    PartitionLog log = TestLogs.create(disk);
    log.append(batch("synced"));
    log.flush();
    log.append(batch("lost by the disk"));
    disk.failNextSync();
    assertThrows(IOException.class, log::flush);
    log.abandon();

    try (PartitionLog reopened = TestLogs.open(disk)) {
      assertEquals(List.of("synced", "lost by the disk"), TestLogs.values(reopened.snapshot()));
      assertTrue(reopened.recovery().rewrittenBytes() > 0);
      reopened.append(batch("next"));
      reopened.flush();

      CrashingDisk after = disk.afterPowerCut(Unsynced.NOTHING, new Random(0));

      try (PartitionLog survivor = TestLogs.open(after)) {
        assertEquals(List.of("synced", "lost by the disk", "next"), TestLogs.values(survivor.snapshot()));
      }
    }
  }

  @Test
  void afterAFailedSyncNothingIsWrittenOrSyncedAgainAndReadsGoOn() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    PartitionLog log = TestLogs.create(disk);
    log.append(batch("synced"));
    log.flush();
    log.append(batch("not synced"));
    disk.failNext(Operation.SYNC, ".log");
    assertThrows(IOException.class, log::flush);
    disk.resetCounts();

    assertThrows(IOException.class, () -> log.append(batch("more")));
    assertThrows(IOException.class, log::flush);
    assertThrows(IOException.class, log::write);
    assertThrows(IOException.class, log::rollIfAged);
    log.abandon();

    assertEquals(List.of("synced"), TestLogs.values(log.snapshot()));
    log.close();
    for (Operation change : FaultyDisk.CHANGES) {
      assertEquals(0, disk.count(change), change + " " + disk.calls());
    }
  }
}
