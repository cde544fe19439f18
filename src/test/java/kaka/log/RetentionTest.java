package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batchAt;
import static kaka.log.TestLogs.file;
import static kaka.log.TestLogs.text;
import static kaka.log.TestLogs.values;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import kaka.log.FaultyDisk.Operation;
import kaka.log.TestLogs.TestClock;
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
              "CREATE log-start-offset.tmp",
              "WRITE log-start-offset.tmp",
              "SYNC log-start-offset.tmp",
              "MOVE log-start-offset.tmp",
              "SYNC_DIRECTORY orders-0",
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
      assertThrows(IOException.class, log::deleteExpiredSegments);
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

  /** A flipped bit in it must neither delete a segment nor bring one back: only a changed name in the text may pass. */
  @Test
  void everyFlippedBitOfTheLogStartIsRefused() throws IOException {
    try (PartitionLog log = create(keep(3000, Duration.ZERO))) {
      append(log, 12, 0);
      log.deleteExpiredSegments();
    }
    int bits = TestLogs.content(disk, file("log-start-offset")).length * 8;
    List<String> before = disk.list(DIRECTORY);

    for (int bit = 0; bit < bits; bit++) {
      disk.flipBit(file("log-start-offset"), bit);
      assertThrows(LogDamagedException.class, () -> open(keep(-1, Duration.ZERO)), "bit " + bit);
      disk.flipBit(file("log-start-offset"), bit);
    }
    assertEquals(before, disk.list(DIRECTORY));
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
