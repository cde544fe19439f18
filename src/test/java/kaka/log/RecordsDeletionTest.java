package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batch;
import static kaka.log.TestLogs.batchAt;
import static kaka.log.TestLogs.file;
import static kaka.log.TestLogs.text;
import static kaka.log.TestLogs.values;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import kaka.TestClock;
import kaka.log.FaultyDisk.Operation;
import kaka.log.RecordsDeletion.Deleted;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records go up to an offset: what is below is not read again, what is above stays as it is, and the room comes back. */
class RecordsDeletionTest {
  private static final LogConfig KEEP = TestLogs.withSegmentBytes(1024);

  private final TestClock clock = new TestClock(10_000_000);
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk(clock));
  private final List<String> values = new ArrayList<>();

  private PartitionLog create(LogConfig config) throws IOException {
    return PartitionLog.create(disk, DIRECTORY, TOPIC_ID, config, clock);
  }

  private PartitionLog open(LogConfig config) throws IOException {
    return PartitionLog.open(disk, DIRECTORY, TOPIC_ID, config, clock);
  }

  private static RecordsDeletion delete(PartitionLog log, long offset) throws IOException {
    return log.deleteRecordsBefore(offset, () -> {});
  }

  /** Batches of three records; two batches a segment. */
  private void append(PartitionLog log, int batchCount) throws IOException {
    for (int i = 0; i < batchCount; i++) {
      String[] together = new String[3];
      for (int j = 0; j < 3; j++) {
        together[j] = text(values.size(), 120);
        values.add(together[j]);
      }
      log.append(batchAt(1000 + values.size(), together));
    }
    log.flush();
  }

  private static RecordBatch numbered() {
    return new RecordBatchBuilder(64).producer(7, (short) 0, 0).append(1, null, new byte[] {1}, List.of()).build();
  }

  private static LogConfig with(Cleanup cleanup) {
    return KEEP.withCleanup(cleanup);
  }

  /** Every offset of a log of several segments, the middles of batches among them, each on a log of its own. */
  @Test
  void theLogStartsAtTheOffsetWhateverThatIs() throws IOException {
    for (int offset = 0; offset <= 30; offset++) {
      FaultyDisk fresh = new FaultyDisk(new MemoryDisk(clock));
      values.clear();
      try (PartitionLog log = PartitionLog.create(fresh, DIRECTORY, TOPIC_ID, KEEP, clock)) {
        append(log, 10);
        assertEquals(5, log.snapshot().segmentCount());

        assertEquals(new Deleted(offset), delete(log, offset));

        check(log, offset);
        assertEquals(offset == 30 ? 1 : 5 - offset / 6, log.snapshot().segmentCount());
        assertEquals(offset < 6, fresh.exists(file("00000000000000000000.log")), "segments below " + offset + " go");
      }
      try (PartitionLog log = PartitionLog.open(fresh, DIRECTORY, TOPIC_ID, KEEP, clock)) {
        check(log, offset);
        append(log, 3);
        check(log, offset);
      }
      assertEquals(0, fresh.openCount());
    }
  }

  private void check(PartitionLog log, int start) throws IOException {
    LogSnapshot snapshot = log.snapshot();
    assertEquals(start, snapshot.logStartOffset());
    assertEquals(values.size(), snapshot.highWatermark());
    assertEquals(values.subList(start, values.size()), values(snapshot));
    OptionalLong first = snapshot.offsetForTime(0);
    assertEquals(start == values.size() ? OptionalLong.empty() : OptionalLong.of(start), first, "not one below the start");
    if (start > 0) {
      assertThrows(IllegalArgumentException.class, () -> snapshot.reader(start - 1));
    }
  }

  @Test
  void allStandsForTheHighWatermarkAndTheSpaceComesBack() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      append(log, 5);

      assertEquals(new Deleted(15), delete(log, RecordsDeletion.ALL));

      assertEquals(0, log.snapshot().sizeBytes());
      assertEquals(1, log.snapshot().segmentCount());
      assertEquals(
          List.of("00000000000000000015.log", "00000000000000000015.snapshot", "log-start-offset", "partition.metadata", "recovery-point"),
          disk.list(DIRECTORY));
      assertEquals(15, log.append(batch("no offset is given twice")));
      log.flush();
    }
    try (PartitionLog log = open(KEEP)) {
      assertEquals(List.of("no offset is given twice"), values(log.snapshot()));
    }
  }

  @Test
  void whatCannotBeDeletedIsSaidAndNothingChanges() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      append(log, 3);
      log.append(batch("not flushed"));
      disk.resetCounts();

      assertEquals(new RecordsDeletion.AboveHighWatermark(9), delete(log, 10));
      assertEquals(new Deleted(0), delete(log, 0));
      assertThrows(IllegalArgumentException.class, () -> delete(log, -2));
      for (Operation change : FaultyDisk.CHANGES) {
        assertEquals(0, disk.count(change), change.toString());
      }
      assertEquals(new Deleted(4), delete(log, 4));
      assertEquals(new Deleted(4), delete(log, 2), "below the start: answered with the start as it is");
      log.flush();
      values.add("not flushed");
      check(log, 4);
    }
  }

  /** Of a compacted log the newest value of every key must stay; unless it deletes as well. */
  @Test
  void aCompactedLogIsRefusedUnlessItDeletesToo() throws IOException {
    Cleanup compact = new Cleanup(true, false, Duration.ZERO, 0);
    try (PartitionLog log = create(with(compact))) {
      append(log, 3);
      assertEquals(new RecordsDeletion.Compacted(), delete(log, 4));
      assertEquals(0, log.snapshot().logStartOffset());

      log.updateConfig(with(new Cleanup(true, true, Duration.ZERO, 0)));

      assertEquals(new Deleted(4), delete(log, 4));
    }
  }

  /** What fills the disk must be able to go: nothing new is needed for it. Where not even an empty file fits, that comes later. */
  @Test
  void aFullDiskTakesTheDeletionAndTheActiveSegmentGoesWhenThereIsRoom() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      append(log, 5);
      disk.failFrom(EnumSet.of(Operation.CREATE), "", 1);
      disk.setUsableBytes(0);

      assertEquals(new Deleted(15), delete(log, RecordsDeletion.ALL));

      assertTrue(log.isWritable());
      assertEquals(15, log.snapshot().logStartOffset());
      assertFalse(disk.exists(file("00000000000000000000.log")), "the sealed ones are gone");
      assertTrue(disk.exists(file("00000000000000000012.log")));
      disk.heal();
      disk.setUsableBytes(-1);
      LogSnapshot before = log.snapshot();

      assertTrue(log.rollIfAged(), "whatever its age");

      assertEquals(OptionalLong.empty(), before.offsetForTime(0), "readers have no more use for it");

      assertFalse(disk.exists(file("00000000000000000012.log")));
      assertEquals(0, log.snapshot().sizeBytes());
      append(log, 1);
      check(log, 15);
    }
  }

  /** The same, but records come before room does: they are kept where they are. */
  @Test
  void aDeletedActiveSegmentThatCouldNotGoTakesMoreRecords() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      append(log, 1);
      disk.failNext(Operation.CREATE, "00000000000000000003.log");
      assertEquals(new Deleted(3), delete(log, RecordsDeletion.ALL));
      append(log, 1);
      assertFalse(log.rollIfAged());
      check(log, 3);
    }
    try (PartitionLog log = open(KEEP)) {
      check(log, 3);
    }
  }

  /** It exists or not, nobody knows: were it there after a power cut, the records that follow would be in the way. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aNextSegmentThatMayExistFailsTheLog(int nth) throws IOException {
    try (PartitionLog log = create(KEEP)) {
      append(log, 1);
      disk.failNth(EnumSet.of(Operation.SYNC_DIRECTORY), DIRECTORY.toString(), nth);
      assertThrows(IOException.class, () -> delete(log, RecordsDeletion.ALL));
      assertFalse(log.isWritable());
      assertThrows(IOException.class, () -> log.append(batch("more")));
    }
    try (PartitionLog log = open(KEEP)) {
      check(log, 3);
      append(log, 2);
      check(log, 3);
    }
  }

  /** A log start that could not be written is no failure of the log, and what was durable stays so. */
  @Test
  void aRefusedWriteOfTheLogStartLeavesTheLogAsItWas() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      append(log, 5);
      disk.failNext(Operation.WRITE, "log-start-offset");

      assertThrows(IOException.class, () -> delete(log, 7));

      assertTrue(log.isWritable());
      check(log, 0);
      assertEquals(new Deleted(7), delete(log, 7));
      check(log, 7);
    }
  }

  /**
   * With a sync interval readers see what is not synced yet. The start must never be above what a power cut leaves, and the
   * recovery point not below it: where the disk takes no recovery, the log is shown up to that.
   */
  @Test
  void everythingBelowTheNewStartIsSyncedBeforeTheStartIs() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      log.append(batch("written", "not synced", "kept"));
      log.write();
      disk.resetCounts();

      assertEquals(new Deleted(2), delete(log, 2));

      List<String> calls = disk.calls();
      assertTrue(calls.indexOf("SYNC 00000000000000000000.log") >= 0, calls.toString());
      assertTrue(calls.indexOf("SYNC 00000000000000000000.log") < calls.indexOf("SYNC recovery-point"), calls.toString());
      assertTrue(calls.indexOf("SYNC recovery-point") < calls.indexOf("WRITE log-start-offset"), calls.toString());
    }
  }

  /** Of a log that failed, what was sealed can go, which may be what it needs; of the rest nobody knows what is on the disk. */
  @Test
  void aFailedLogDeletesWhatIsSealed() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      append(log, 5);
      log.append(batch("lost"));
      disk.failNext(Operation.SYNC, ".log");
      assertThrows(IOException.class, log::flush);

      assertEquals(new RecordsDeletion.NotKnownSynced(12), delete(log, RecordsDeletion.ALL));
      assertEquals(new RecordsDeletion.NotKnownSynced(12), delete(log, 13));
      assertEquals(new Deleted(12), delete(log, 12));

      assertFalse(log.isWritable());
      assertEquals(values.subList(12, 15), values(log.snapshot()));
      assertFalse(disk.exists(file("00000000000000000006.log")));
    }
  }

  /** Whoever looks at the old snapshot when a segment has gone must find that there is a newer one. */
  @Test
  void theNewSnapshotIsShownBeforeTheOldOneIsStale() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      append(log, 5);
      LogSnapshot before = log.snapshot();
      List<Long> shown = new ArrayList<>();

      log.deleteRecordsBefore(
          RecordsDeletion.ALL,
          () -> {
            shown.add(log.snapshot().logStartOffset());
            if (shown.size() == 1) {
              readWhole(before);
            }
          });

      assertEquals(15L, shown.get(0));
      assertThrows(StaleSnapshotException.class, () -> before.reader(0));
    }
    try (PartitionLog log = open(new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, 0, Duration.ZERO, 0))) {
      append(log, 5);
      LogSnapshot before = log.snapshot();

      log.deleteExpiredSegments(() -> readWhole(before));

      assertThrows(StaleSnapshotException.class, () -> before.reader(15));
    }
  }

  private static void readWhole(LogSnapshot snapshot) {
    try {
      snapshot.reader(snapshot.logStartOffset()).close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aReaderInTheMiddleOfADeletedSegmentFinishes() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      append(log, 5);
      LogSnapshot before = log.snapshot();
      try (LogReader reader = before.reader(4)) {
        assertEquals(new Deleted(15), delete(log, RecordsDeletion.ALL));

        ByteBuffer all = ByteBuffer.allocate((int) reader.sizeBytes());
        assertEquals(reader.sizeBytes(), reader.read(all, 0));
        String read = new String(all.array(), StandardCharsets.ISO_8859_1);
        values.subList(4, 15).forEach(value -> assertTrue(read.contains(value)));
      }
      assertEquals(0, log.snapshot().sizeBytes());
    }
    assertEquals(0, disk.openCount());
  }

  /** Segments whose records went without the segment, because another setting kept them, go at the next look. */
  @Test
  void retentionGoesOnFromTheStartThatADeletionHasLeft() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      append(log, 5);
      delete(log, 8);
      assertEquals(0, log.deleteExpiredSegments());

      log.updateConfig(new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, 0, Duration.ZERO, 0));

      assertEquals(1, log.deleteExpiredSegments());
      check(log, 12);
    }
  }

  /** The producer's last batches are all deleted, their segment is gone, and still each is known. */
  @Test
  void producersAreRememberedWhenAllTheirRecordsWereDeleted() throws IOException {
    try (PartitionLog log = create(KEEP)) {
      log.append(numbered());
      log.flush();
      delete(log, RecordsDeletion.ALL);
    }
    try (PartitionLog log = open(KEEP)) {
      assertEquals(1, log.snapshot().logStartOffset());
      assertInstanceOf(ProducerCheck.Duplicate.class, log.check(numbered()));
    }
  }

  /** Compaction of a log that starts in the middle of a segment: what is readable is what it would be without the start. */
  @Test
  void compactionLeavesTheStartWhereItIs() throws IOException {
    try (PartitionLog log = create(with(new Cleanup(true, true, Duration.ZERO, 0)))) {
      for (int i = 0; i < 40; i++) {
        log.append(CompactionLogs.keyed(1, "key " + i % 7, text(i, 120)));
      }
      log.flush();
      assertEquals(new Deleted(9), delete(log, 9));

      CompactionLogs.compact(log);

      assertEquals(9, log.snapshot().logStartOffset());
      List<Long> offsets =
          CompactionLogs.records(log.snapshot()).keySet().stream().filter(offset -> offset >= 9).toList();
      for (long newest = 33; newest < 40; newest++) {
        assertTrue(offsets.contains(newest), newest + " in " + offsets);
      }
      assertTrue(offsets.size() < 31, "something was compacted: " + offsets);
    }
    try (PartitionLog log = open(with(new Cleanup(true, true, Duration.ZERO, 0)))) {
      assertEquals(9, log.snapshot().logStartOffset());
    }
  }

  /** What is on the disk is less than what was deleted up to: records above that are missing too. */
  @Test
  void aLogThatEndsBelowItsStartIsDamaged() throws IOException {
    try (PartitionLog log = create(TestLogs.withSegmentBytes(1 << 20))) {
      append(log, 4);
      delete(log, 8);
    }
    byte[] whole = TestLogs.content(disk, file("00000000000000000000.log"));
    byte[] half = Arrays.copyOf(whole, whole.length / 2);
    TestLogs.setContent(disk, file("00000000000000000000.log"), half);
    disk.delete(file("recovery-point"));

    LogDamagedException e = assertThrows(LogDamagedException.class, () -> open(KEEP));

    assertTrue(e.getMessage().contains("--to-offset 6 --yes"), e.getMessage());
    PartitionCheck.Result checked = PartitionCheck.run(disk, DIRECTORY, Optional.of(TOPIC_ID), bytes -> {});
    assertTrue(
        checked.findings().stream().anyMatch(f -> f.level() == Finding.Level.DAMAGE && f.what().contains("starts at offset 8")),
        checked.findings().toString());

    LogTruncation.truncate(disk, DIRECTORY, 6); // as the advice says

    try (PartitionLog log = open(KEEP)) {
      values.subList(6, 12).clear();
      check(log, 6);
    }
    assertEquals(List.of(), damages());
  }

  /** The batch in which the log starts is damaged: giving it up must be possible. */
  @Test
  void aLogCanBeCutBelowItsStartAtAnyFailureOfTheDisk() throws IOException {
    try (PartitionLog log = create(TestLogs.withSegmentBytes(1 << 20))) {
      append(log, 4);
      delete(log, 2);
      delete(log, 4);
    }
    MemoryDisk before = TestLogs.copy(disk);
    assertThrows(IllegalArgumentException.class, () -> LogTruncation.truncate(disk, DIRECTORY, 4));
    for (int n = 1; ; n++) {
      FaultyDisk faulty = new FaultyDisk(TestLogs.copy(before));
      faulty.failNth(FaultyDisk.CHANGES, "", n);
      boolean failed = false;
      try {
        LogTruncation.truncate(faulty, DIRECTORY, 3);
      } catch (IOException e) {
        failed = true;
      }
      faulty.heal();
      if (failed) {
        LogTruncation.truncate(faulty, DIRECTORY, 3);
      }
      try (PartitionLog log = PartitionLog.open(faulty, DIRECTORY, TOPIC_ID, KEEP, clock)) {
        assertEquals(3, log.snapshot().logStartOffset(), "change " + n);
        assertEquals(3, log.snapshot().highWatermark(), "change " + n);
      }
      if (!failed) {
        assertTrue(n > 5, "only " + n);
        return;
      }
    }
  }

  private List<Finding> damages() throws IOException {
    return PartitionCheck.run(disk, DIRECTORY, Optional.of(TOPIC_ID), bytes -> {}).findings().stream()
        .filter(finding -> finding.level() != Finding.Level.NOTE)
        .toList();
  }

  /** Nothing of a deleted segment is missed, checked or made anew, whatever of it an interruption has left. */
  @Test
  void leftSegmentsBelowTheStartAreNoDamage() throws IOException {
    List<Runnable> never = new ArrayList<>();
    LogResources resources = new LogResources(new StagingPool(0), new DiskSpaceWatch(disk, DIRECTORY, clock), never::add);
    try (PartitionLog log = PartitionLog.create(disk, DIRECTORY, TOPIC_ID, KEEP, clock, resources)) {
      append(log, 5);
      delete(log, RecordsDeletion.ALL);
    }
    disk.delete(file("00000000000000000006.log"));
    disk.flipBit(file("00000000000000000000.log"), 5000);

    assertEquals(List.of(), damages());
    assertEquals(0, Reindexing.run(disk, DIRECTORY, 100, bytes -> {}));
    try (PartitionLog log = open(KEEP)) {
      check(log, 15);
      assertEquals(0, log.snapshot().sizeBytes());
    }
    assertFalse(disk.exists(file("00000000000000000012.log")));
  }
}
