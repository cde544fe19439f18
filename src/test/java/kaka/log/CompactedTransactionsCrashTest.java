package kaka.log;

import static kaka.log.CompactionLogs.compact;
import static kaka.log.CompactionLogs.keyed;
import static kaka.log.CompactionLogs.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import kaka.log.CrashingDisk.Unsynced;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TransactionMarker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compaction of transactions is stopped at every call to the disk, in the run that drops records and in the one that drops
 * markers: the next open, with and without what it remembers of producers, has no transaction open, shows nothing that was
 * aborted and lacks nothing that counts; and compaction then comes to the same end.
 */
class CompactedTransactionsCrashTest extends CompactionCrashes {
  private static final Duration LONG_AFTER = CompactionLogs.DELETE_RETENTION.multipliedBy(3);
  private static final int PRODUCERS = 3;

  /** Committed and aborted transactions, some over several segments; every record's value says what became of it. */
  @Override
  PartitionLog fill(Disk disk) throws IOException {
    PartitionLog log = CompactionLogs.create(disk, clock);
    int[] sequences = new int[PRODUCERS];
    for (int i = 0; i < 12; i++) {
      int producer = i % PRODUCERS;
      boolean isCommit = i % 4 != 1;
      for (int part = 0; part < 2; part++) {
        RecordBatchBuilder builder = new RecordBatchBuilder(64).producer(producer, (short) 0, sequences[producer]++);
        CompactionLogs.addTo(builder, clock.millis(), "k" + (i * 2 + part) % 5, (isCommit ? "committed " : "aborted ") + i);
        log.append(builder.transactional().build());
        if (i % 6 == 0 && part == 0) {
          roll(log);
        }
      }
      log.append(new TransactionMarker(producer, (short) 0, isCommit, 0));
    }
    log.append(keyed(clock.millis(), "end", "committed"));
    roll(log);
    log.append(keyed(clock.millis(), "really", "committed"));
    roll(log);
    return log;
  }

  private void roll(PartitionLog log) throws IOException {
    log.flush();
    clock.advance(Duration.ofDays(2));
    log.rollIfAged();
  }

  /** Drops records, then, later, markers. */
  @Override
  void work(PartitionLog log) throws IOException {
    compact(log);
    clock.advance(LONG_AFTER);
    compact(log);
  }

  private static List<String> committed(PartitionLog log) throws IOException {
    return TransactionLogs.committedRecords(log.snapshot(), 0).stream()
        .map(record -> record.offset() + " " + text(record.key()) + "=" + text(record.value()))
        .toList();
  }

  /** What compaction makes of it when nothing fails. */
  private List<String> expected() throws IOException {
    try (PartitionLog log = fill(new MemoryDisk(clock))) {
      List<String> all = committed(log);
      work(log);
      List<String> left = committed(log);
      assertTrue(all.containsAll(left) && left.size() >= 6, left.toString());
      List<RecordBatch> batches = CompactionLogs.batches(log.snapshot());
      assertTrue(batches.stream().filter(RecordBatch::isControl).count() <= 6, "markers have gone");
      return left;
    }
  }

  private void check(Disk disk, List<String> newest, String when) throws IOException {
    for (boolean remembers : new boolean[] {true, false}) {
      if (!remembers) {
        for (String name : disk.list(TestLogs.DIRECTORY)) {
          if (name.endsWith(".snapshot") || name.endsWith(".txnindex") || name.equals("clean-stop")) {
            disk.delete(TestLogs.file(name));
          }
        }
      }
      try (PartitionLog log = CompactionLogs.open(disk, clock)) {
        checkSeen(log, newest, when);
      }
    }
    try (PartitionLog log = CompactionLogs.open(disk, clock)) {
      work(log);
      assertEquals(newest, committed(log), when + ", compacted again");
      checkSeen(log, newest, when + ", compacted again");
    }
  }

  private static void checkSeen(PartitionLog log, List<String> newest, String when) throws IOException {
    for (int i = 0; i < PRODUCERS; i++) {
      assertFalse(log.hasOpenTransaction(i), when + ", producer " + i);
    }
    assertEquals(log.logEndOffset(), log.snapshot().lastStableOffset(), when);
    List<String> found = committed(log);
    assertTrue(found.containsAll(newest), when + ": the newest of a key is missing " + found);
    assertTrue(found.stream().noneMatch(line -> line.contains("aborted")), when + ": " + found);
  }

  @Test
  void aFailureOfAnyCallLosesNothing() throws IOException {
    List<String> newest = expected();
    int calls =
        failEachCall(
            (disk, log, when) -> {
              checkSeen(log, newest, when + ", still open");
              log.close();
              assertEquals(0, disk.openCount(), "files left open after " + when);
              check(disk, newest, when);
            });
    assertTrue(calls > 80, "only " + calls + " calls");
  }

  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void aPowerCutAtAnyChangeLosesNothing(Unsynced unsynced) throws IOException {
    List<String> newest = expected();
    int changes = cutPowerAtEachChange(unsynced, 1, (found, when) -> check(found, newest, when));
    assertTrue(changes > 40, "only " + changes + " changes");
  }
}
