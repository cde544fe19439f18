package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batchAt;
import static kaka.log.TestLogs.file;
import static kaka.log.TestLogs.text;
import static kaka.log.TestLogs.values;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import kaka.TestClock;
import kaka.log.FaultyDisk.Operation;
import org.junit.jupiter.api.Test;

/** Whole sealed segments go, from the oldest; the log start is durable first; whoever reads one reads on. */
class RetentionTest {
  private final TestClock clock = new TestClock(10_000_000);
  private final MemoryDisk memory = new MemoryDisk(clock);
  private final FaultyDisk disk = new FaultyDisk(memory);
  private final List<String> values = new ArrayList<>();

  private static LogConfig keep(long bytes, Duration time) {
    return new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, bytes, time, 0);
  }

  private PartitionLog create(LogConfig config) throws IOException {
    return PartitionLog.create(disk, DIRECTORY, TOPIC_ID, config, clock);
  }

  private PartitionLog create(LogConfig config, List<Runnable> unlinks) throws IOException {
    LogResources resources =
        new LogResources(new StagingPool(0), new DiskSpaceWatch(disk, DIRECTORY, clock), unlinks::add);
    return PartitionLog.create(disk, DIRECTORY, TOPIC_ID, config, clock, resources);
  }

  private PartitionLog open(LogConfig config) throws IOException {
    return PartitionLog.open(disk, DIRECTORY, TOPIC_ID, config, clock);
  }

  /** Each record makes a segment of its own with the next. */
  private void append(PartitionLog log, int count, long timestampMs) throws IOException {
    for (int i = 0; i < count; i++) {
      values.add(text(values.size(), 600));
      log.append(batchAt(timestampMs, values.get(values.size() - 1)));
    }
    log.flush();
  }

  @Test
  void theOldestGoWhileEnoughBytesStay() throws IOException {
    LogConfig config = keep(2000, Duration.ZERO);
    try (PartitionLog log = create(config)) {
      append(log, 10, clock.millis());
      long segmentBytes = log.snapshot().sizeBytes() / 10;

      int deleted = log.deleteExpiredSegments();

      assertEquals(10 - (int) Math.ceil(2000.0 / segmentBytes), deleted);
      assertTrue(log.snapshot().sizeBytes() >= 2000);
      assertEquals(deleted, log.snapshot().logStartOffset());
      assertEquals(values.subList(deleted, 10), values(log.snapshot()));
      assertFalse(disk.exists(file("00000000000000000000.log")));
      assertFalse(disk.exists(file("00000000000000000000.index")));
      assertEquals(0, log.deleteExpiredSegments());
    }
    try (PartitionLog log = open(config)) {
      assertEquals(0, log.deleteExpiredSegments(), "a restart deletes nothing more");
      assertEquals(values.subList((int) log.snapshot().logStartOffset(), 10), values(log.snapshot()));
    }
  }

  @Test
  void theActiveSegmentStaysWhateverIsAskedFor() throws IOException {
    try (PartitionLog log = create(keep(0, Duration.ofMillis(1)))) {
      append(log, 3, 0);
      clock.advance(Duration.ofDays(1000));

      assertEquals(2, log.deleteExpiredSegments());

      assertEquals(values.subList(2, 3), values(log.snapshot()));
      assertTrue(log.rollIfAged());
      assertEquals(1, log.deleteExpiredSegments());
      assertEquals(3, log.snapshot().logStartOffset());
      assertEquals(3, log.snapshot().highWatermark());
      assertEquals(3, log.append(batchAt(0, "next")), "no offset is given twice");
    }
    try (PartitionLog log = open(keep(0, Duration.ofMillis(1)))) {
      assertEquals(List.of("next"), values(log.snapshot()));
    }
  }

  @Test
  void segmentsGoWhenTheirNewestRecordIsTooOld() throws IOException {
    try (PartitionLog log = create(keep(-1, Duration.ofHours(1)))) {
      append(log, 3, clock.millis());
      clock.advance(Duration.ofMinutes(40));
      append(log, 3, clock.millis());
      clock.advance(Duration.ofMinutes(20));
      assertEquals(0, log.deleteExpiredSegments());
      clock.advance(Duration.ofMillis(1));

      assertEquals(3, log.deleteExpiredSegments());

      assertEquals(values.subList(3, 6), values(log.snapshot()));
    }
  }

  /** A timestamp from the future counts as the moment it was written, a missing one too. */
  @Test
  void noTimestampKeepsASegmentForEver() throws IOException {
    for (long timestampMs : new long[] {Long.MAX_VALUE, clock.millis() + Duration.ofDays(9000).toMillis(), -1}) {
      FaultyDisk fresh = new FaultyDisk(new MemoryDisk(clock));
      try (PartitionLog log =
          PartitionLog.create(fresh, DIRECTORY, TOPIC_ID, keep(-1, Duration.ofHours(1)), clock)) {
        append(log, 3, timestampMs);
        assertEquals(0, log.deleteExpiredSegments());
        clock.advance(Duration.ofMinutes(61));
        assertEquals(2, log.deleteExpiredSegments(), "timestamp " + timestampMs);
      }
    }
  }

  @Test
  void theLogStartIsDurableBeforeAFileGoes() throws IOException {
    try (PartitionLog log = create(keep(0, Duration.ZERO))) {
      append(log, 3, 0);
      disk.resetCounts();

      log.deleteExpiredSegments();

      assertEquals(
          List.of(
              "OPEN log-start-offset",
              "READ log-start-offset",
              "READ log-start-offset",
              "SIZE log-start-offset",
              "WRITE log-start-offset",
              "SYNC log-start-offset",
              "DELETE 00000000000000000000.log",
              "DELETE 00000000000000000000.index",
              "DELETE 00000000000000000000.timeindex",
              "DELETE 00000000000000000001.log",
              "DELETE 00000000000000000001.index",
              "DELETE 00000000000000000001.timeindex",
              "DELETE 00000000000000000001.snapshot",
              "SYNC_DIRECTORY orders-0"),
          disk.calls());
    }
  }

  @Test
  void anInterruptedDeletionIsFinishedAtTheNextOpen() throws IOException {
    try (PartitionLog log = create(keep(0, Duration.ZERO))) {
      append(log, 4, 0);
      disk.failFrom(EnumSet.of(Operation.DELETE), "00000000000000000001.log", 1);
      assertEquals(3, log.deleteExpiredSegments());
      assertEquals(values.subList(3, 4), values(log.snapshot()));
      assertTrue(log.isWritable(), "nothing that was appended is in doubt");
    }
    disk.heal();
    assertTrue(disk.exists(file("00000000000000000001.log")));

    try (PartitionLog log = open(keep(-1, Duration.ZERO))) {
      assertEquals(3, log.snapshot().logStartOffset());
      assertEquals(values.subList(3, 4), values(log.snapshot()));
      assertEquals(2, log.recovery().deletedSegmentCount());
      assertFalse(disk.exists(file("00000000000000000001.log")));
      assertFalse(disk.exists(file("00000000000000000002.timeindex")));
    }
  }

  /** A flipped bit in it must neither delete a segment nor bring one back: refused, or in a slot that no longer counts. */
  @Test
  void noFlippedBitOfTheLogStartDeletesAnything() throws IOException {
    try (PartitionLog log = create(keep(3000, Duration.ZERO))) {
      append(log, 12, 0);
      log.deleteExpiredSegments();
    }
    LogConfig keep = keep(-1, Duration.ZERO);
    List<String> before = disk.list(DIRECTORY);
    long start;
    try (PartitionLog log = open(keep)) {
      start = log.snapshot().logStartOffset();
      assertTrue(start > 0);
    }
    int refused = 0;
    for (int bit = 0; bit < TestLogs.content(disk, file("log-start-offset")).length * 8; bit++) {
      if (bit % 32768 > 100 * 8) {
        continue; // zeros that nobody reads
      }
      disk.flipBit(file("log-start-offset"), bit);
      try (PartitionLog log = open(keep)) {
        assertEquals(start, log.snapshot().logStartOffset(), "bit " + bit);
      } catch (LogDamagedException e) {
        assertTrue(e.getMessage().contains("log-start-offset"), e.getMessage());
        refused++;
      }
      disk.flipBit(file("log-start-offset"), bit);
    }
    assertTrue(refused > 300, "only " + refused);
    assertEquals(before, disk.list(DIRECTORY));
    open(keep).close();
  }

  @Test
  void aLogStartWithoutAnyIntactSlotIsRefusedAndTheAdviceRepairsIt() throws IOException {
    try (PartitionLog log = create(keep(3000, Duration.ZERO))) {
      append(log, 12, 0);
      log.deleteExpiredSegments();
    }
    TestLogs.setContent(disk, file("log-start-offset"), new byte[8192]);

    LogDamagedException e = assertThrows(LogDamagedException.class, () -> open(keep(-1, Duration.ZERO)));

    String text = e.advice().replaceAll(".*printf '(.*)' > .*", "$1").replace("\\n", "\n");
    TestLogs.setContent(disk, file("log-start-offset"), text.getBytes(StandardCharsets.US_ASCII));
    try (PartitionLog log = open(keep(1000, Duration.ZERO))) {
      assertEquals(values.subList((int) log.snapshot().logStartOffset(), 12), values(log.snapshot()));
      assertTrue(log.deleteExpiredSegments() > 0, "goes on with it");
    }
    try (PartitionLog log = open(keep(-1, Duration.ZERO))) {
      assertEquals(values.subList((int) log.snapshot().logStartOffset(), 12), values(log.snapshot()));
    }
  }

  /** Every length of a torn write of the new log start, over slots that were used before: the old or the new one counts. */
  @Test
  void aTornWriteOfTheLogStartLeavesTheOldOne() throws IOException {
    try (PartitionLog log = create(keep(-1, Duration.ZERO))) {
      append(log, 14, 0);
      for (int kept = 12; kept > 3; kept -= 2) {
        log.updateConfig(keep(kept * 680L, Duration.ZERO));
        long oldStart = log.snapshot().logStartOffset();
        MemoryDisk before = TestLogs.copy(disk);
        byte[] old = TestLogs.content(disk, file("log-start-offset"));
        assertTrue(log.deleteExpiredSegments() > 0);
        byte[] written = TestLogs.content(disk, file("log-start-offset"));
        assertEquals(8192, written.length);

        for (int torn = Arrays.mismatch(old, written); torn <= Arrays.mismatch(old, written) + 60; torn++) {
          byte[] mixed = old.clone();
          System.arraycopy(written, 0, mixed, 0, torn);
          MemoryDisk crashed = TestLogs.copy(before);
          TestLogs.setContent(crashed, file("log-start-offset"), mixed);

          try (PartitionLog reopened =
              PartitionLog.open(crashed, DIRECTORY, TOPIC_ID, keep(-1, Duration.ZERO), clock)) {
            long start = reopened.snapshot().logStartOffset();
            assertTrue(start == oldStart || start == log.snapshot().logStartOffset(), start + ", torn at " + torn);
            assertEquals(values.subList((int) start, 14), values(reopened.snapshot()));
          }
        }
      }
    }
  }

  /** After a failed sync the file shows what the disk may not have; the next attempt must spare what is durable. */
  @Test
  void afterAFailedSyncTheDurableLogStartIsNotOverwritten() throws IOException {
    try (PartitionLog log = create(keep(5000, Duration.ZERO))) {
      append(log, 12, 0);
      log.deleteExpiredSegments();
      byte[] durable = TestLogs.content(disk, file("log-start-offset"));
      int slot = new String(durable, 0, 4096, StandardCharsets.US_ASCII).contains("offset: 0\n") ? 4096 : 0;
      for (int kept = 4000; kept >= 2000; kept -= 1000) {
        log.updateConfig(keep(kept, Duration.ZERO));
        disk.failNext(Operation.SYNC, "log-start-offset");
        assertThrows(IOException.class, log::deleteExpiredSegments);

        byte[] now = TestLogs.content(disk, file("log-start-offset"));
        assertFalse(Arrays.equals(durable, now));
        assertArrayEquals(
            Arrays.copyOfRange(durable, slot, slot + 4096), Arrays.copyOfRange(now, slot, slot + 4096), "kept " + kept);
        assertTrue(log.isWritable());
      }
      assertTrue(log.deleteExpiredSegments() > 0);
    }
  }

  /** A file that an earlier process failed to sync may be only in the page cache: a file goes only after another sync. */
  @Test
  void anOpenSyncsTheLogStartAgainBeforeItDeletes() throws IOException {
    try (PartitionLog log = create(keep(0, Duration.ZERO))) {
      append(log, 4, 0);
      disk.failNext(Operation.SYNC, "log-start-offset");
      assertThrows(IOException.class, log::deleteExpiredSegments);
    }
    disk.resetCounts();

    open(keep(-1, Duration.ZERO)).close();

    List<String> calls = disk.calls();
    assertTrue(calls.indexOf("SYNC log-start-offset") >= 0);
    assertTrue(calls.indexOf("SYNC log-start-offset") < calls.indexOf("DELETE 00000000000000000000.log"), calls.toString());
  }

  /** A full disk takes no new file and no longer one. */
  @Test
  void retentionNeedsNoSpace() throws IOException {
    try (PartitionLog log = create(keep(0, Duration.ZERO))) {
      append(log, 4, 0);
      disk.failFrom(EnumSet.of(Operation.CREATE), "", 1);
      disk.setUsableBytes(0);

      assertEquals(3, log.deleteExpiredSegments());

      assertEquals(8192, TestLogs.content(disk, file("log-start-offset")).length, "as long as when it was made");
      assertFalse(disk.exists(file("00000000000000000001.log")));
    }
  }

  /** Unlinking hundreds of large files takes seconds: the log's owner must not wait for it. */
  @Test
  void theOwnerDoesNotUnlink() throws IOException {
    List<Runnable> tasks = new ArrayList<>();
    try (PartitionLog log = create(keep(0, Duration.ZERO), tasks)) {
      append(log, 4, 0);
      LogSnapshot before = log.snapshot();

      assertEquals(3, log.deleteExpiredSegments());

      assertEquals(0, disk.count(Operation.DELETE, ".log"));
      assertEquals(values.subList(3, 4), values(log.snapshot()));
      assertThrows(StaleSnapshotException.class, () -> before.reader(0));
      tasks.forEach(Runnable::run);
      assertEquals(3, disk.count(Operation.DELETE, ".log"));
    }
  }

  /** By then the names may be those of a new topic's files. */
  @Test
  void nothingIsUnlinkedAfterTheLogHasEnded() throws IOException {
    List<Runnable> tasks = new ArrayList<>();
    PartitionLog log = create(keep(0, Duration.ZERO), tasks);
    append(log, 4, 0);
    log.deleteExpiredSegments();
    log.close();
    PartitionDirectory.delete(disk, DIRECTORY, TOPIC_ID);
    try (PartitionLog again = create(keep(-1, Duration.ZERO))) {
      values.clear();
      append(again, 4, 0);

      tasks.forEach(Runnable::run);

      assertEquals(values, values(again.snapshot()));
    }
    open(keep(-1, Duration.ZERO)).close();
  }

  /** The reader has not read the segments yet, so they are not even open, when they go. */
  @Test
  void aReaderReadsOnInSegmentsThatAreGone() throws IOException {
    try (PartitionLog log = create(keep(0, Duration.ZERO))) {
      append(log, 5, 0);
      LogSnapshot before = log.snapshot();
      try (LogReader reader = before.reader(0)) {
        assertEquals(4, log.deleteExpiredSegments());

        ByteBuffer all = ByteBuffer.allocate((int) reader.sizeBytes());
        assertEquals(before.sizeBytes(), reader.read(all, 0));
        assertTrue(new String(all.array(), StandardCharsets.ISO_8859_1).contains(values.get(1)));
      }
      assertThrows(StaleSnapshotException.class, () -> before.reader(0));
      assertThrows(IllegalArgumentException.class, () -> log.snapshot().reader(0));
      assertEquals(values.subList(4, 5), values(log.snapshot()));
    }
  }

  /** An index whose deletion was lost, without its log: it goes too, nothing else does. */
  @Test
  void leftIndexesBelowTheLogStartGo() throws IOException {
    try (PartitionLog log = create(keep(0, Duration.ZERO))) {
      append(log, 4, 0);
      log.deleteExpiredSegments();
    }
    TestLogs.setContent(disk, file("00000000000000000001.index"), new byte[8]);
    TestLogs.setContent(disk, file("00000000000000000001.100.cut"), new byte[8]);

    open(keep(0, Duration.ZERO)).close();

    assertFalse(disk.exists(file("00000000000000000001.index")));
    assertTrue(disk.exists(file("00000000000000000001.100.cut")));
  }
}
