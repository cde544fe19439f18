package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batch;
import static kaka.log.TestLogs.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import kaka.log.CrashingDisk.Unsynced;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever call of a deletion fails, and whatever a power cut then takes: what was deleted by an answer stays deleted, the log
 * starts where one of the deletions said, and every flushed record above that is there.
 */
class RecordsDeletionCrashTest {
  private static final LogConfig CONFIG = TestLogs.withSegmentBytes(1024);

  /** Deletions in the middle of a segment and of a batch, of whole segments, of everything, twice, after unsynced writes. */
  private static final class Life extends LogLife {
    long answeredStart;
    long askedStart;

    Life() {
      super(CONFIG);
    }

    @Override
    void live(Disk disk) throws IOException {
      PartitionLog log = create(disk);
      try {
        append(log, 6, true);
        delete(log, 3);
        delete(log, 11);
        append(log, 2, false);
        delete(log, 15);
        append(log, 1, true);
        delete(log, RecordsDeletion.ALL);
        delete(log, RecordsDeletion.ALL);
        log.close();
        log = reopen(disk);
        append(log, 4, true);
        delete(log, appended.size() - 3);
        append(log, 3, false);
        delete(log, RecordsDeletion.ALL);
        append(log, 1, true);
        log.close();
      } catch (IOException e) {
        log.abandon();
        log.close();
        throw e;
      }
    }

    private void append(PartitionLog log, int batchCount, boolean isSynced) throws IOException {
      for (int i = 0; i < batchCount; i++) {
        String one = text(appended.size(), 200);
        String other = text(appended.size() + 1, 200);
        appended.addAll(List.of(one, other));
        assertEquals(appended.size() - 2, log.append(batch(one, other)));
      }
      if (isSynced) {
        log.flush();
        flushedCount = appended.size();
      } else {
        log.write();
      }
    }

    private void delete(PartitionLog log, long offset) throws IOException {
      askedStart = offset == RecordsDeletion.ALL ? appended.size() : offset;
      answeredStart = ((RecordsDeletion.Deleted) log.deleteRecordsBefore(offset, () -> {})).logStartOffset();
      assertEquals(askedStart, answeredStart);
      assertEquals(appended.subList((int) answeredStart, appended.size()), TestLogs.values(log.snapshot()));
    }
  }

  private static void check(Life life, PartitionLog log, String when) throws IOException {
    LogSnapshot snapshot = log.snapshot();
    long start = snapshot.logStartOffset();
    assertTrue(start == life.answeredStart || start == life.askedStart, when + ": starts at " + start);
    long highWatermark = snapshot.highWatermark();
    assertTrue(highWatermark >= life.flushedCount && highWatermark >= life.answeredStart, when + ": " + highWatermark);
    assertTrue(highWatermark <= life.appended.size(), when);
    assertEquals(life.appended.subList((int) start, (int) highWatermark), TestLogs.values(snapshot), when);
  }

  @Test
  void aFailureOfAnyCallLosesNothingAndBringsNothingBack() throws IOException {
    int calls =
        LogLife.failEachCall(
            Life::new,
            (life, disk, when) -> {
              if (life.created) {
                checkDirectory(disk, when);
              }
              try (PartitionLog log = life.reopen(disk)) {
                check(life, log, when);
              }
            });
    assertTrue(calls > 200, "only " + calls + " calls");
  }

  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void aPowerCutAtAnyChangeLosesNothingAndBringsNothingBack(Unsynced unsynced) throws IOException {
    int changes =
        LogLife.cutPowerAtEachChange(
            unsynced, 5, Life::new, (life, found, random, when) -> checkAfterCut(life, found, unsynced, random, when));
    assertTrue(changes > 100, "only " + changes + " changes");
  }

  /** The power goes again during recovery; then the log opens, deletes all there is, and opens once more. */
  private static void checkAfterCut(Life life, CrashingDisk found, Unsynced unsynced, Random random, String when)
      throws IOException {
    FaultyDisk disk = new FaultyDisk(found);
    disk.failFrom(FaultyDisk.CHANGES, "", 1 + random.nextInt(12));
    try {
      PartitionLog opened = life.reopen(disk);
      if (!opened.isWritable()) { // the disk takes nothing: what it shows must not end before it starts
        assertTrue(opened.snapshot().logStartOffset() <= opened.snapshot().highWatermark(), when);
      }
      opened.abandon();
    } catch (IOException e) { // in the middle of recovery
    }
    CrashingDisk after = found.afterPowerCut(unsynced, random);

    long end;
    try (PartitionLog log = life.reopen(after)) {
      check(life, log, when);
      assertTrue(log.isWritable(), when);
      end = log.logEndOffset();
      log.deleteRecordsBefore(RecordsDeletion.ALL, () -> {});
      assertEquals(end, log.append(batch("after")), when);
      log.flush();
    }
    CrashingDisk last = after.afterPowerCut(unsynced, random);
    checkDirectory(last, when);
    try (PartitionLog log = life.reopen(last)) {
      assertEquals(end, log.snapshot().logStartOffset(), when);
      assertEquals(List.of("after"), TestLogs.values(log.snapshot()), when);
    }
  }

  private static void checkDirectory(Disk disk, String when) throws IOException {
    for (Finding finding : PartitionCheck.run(disk, DIRECTORY, Optional.of(TOPIC_ID), bytes -> {}).findings()) {
      assertTrue(finding.level() != Finding.Level.DAMAGE, when + ": " + finding);
    }
  }
}
