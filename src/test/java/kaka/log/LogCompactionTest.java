package kaka.log;

import static kaka.log.CompactionLogs.compact;
import static kaka.log.CompactionLogs.compactOnce;
import static kaka.log.CompactionLogs.keyed;
import static kaka.log.CompactionLogs.lines;
import static kaka.log.CompactionLogs.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import kaka.TestClock;
import kaka.record.Header;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.Test;

/** What compaction keeps and what it drops, in memory and after a restart. */
class LogCompactionTest {
  private static final String FILLING = "x".repeat(150);

  private final TestClock clock = new TestClock(1_000_000);
  private final MemoryDisk memory = new MemoryDisk(clock);
  private final FaultyDisk disk = new FaultyDisk(memory);

  /** Seals whatever is active, by age, and leaves the active segment empty. */
  private void roll(PartitionLog log) throws IOException {
    log.flush();
    clock.advance(Duration.ofDays(2));
    log.rollIfAged();
  }

  private void append(PartitionLog log, String... keysAndValues) throws IOException {
    log.append(keyed(clock.millis(), keysAndValues));
    log.flush();
  }

  @Test
  void theNewestValueOfEveryKeyStaysWithItsOffset() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      append(log, "a", "1", "b", "1", "a", "2");
      append(log, "c", "1");
      roll(log);
      append(log, "b", "2", "d", "1");
      roll(log);
      append(log, "a", "3");

      assertEquals(1, compact(log));

      assertEquals(List.of("2 a=2", "3 c=1", "4 b=2", "5 d=1", "6 a=3"), lines(log.snapshot()), "the active one does not count");
      assertEquals(7, log.snapshot().highWatermark());
    }
    try (PartitionLog log = CompactionLogs.open(disk, clock)) {
      assertEquals(List.of("2 a=2", "3 c=1", "4 b=2", "5 d=1", "6 a=3"), lines(log.snapshot()));
      assertEquals(0, log.recovery().rebuiltIndexCount());
      assertEquals(0, compact(log), "nothing is dirty: progress is durable");
    }
    assertEquals(0, disk.openCount());
  }

  @Test
  void timestampsHeadersAndProducerFieldsStay() throws IOException {
    RecordBatchBuilder builder = new RecordBatchBuilder(64).producer(77, (short) 3, 41);
    builder.append(5000, new byte[] {1}, new byte[] {1}, List.of());
    builder.append(9000, new byte[] {2}, new byte[] {2}, List.of(new Header("h", new byte[] {9})));
    builder.append(7000, new byte[] {3}, new byte[] {3}, List.of());
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      log.append(builder.build());
      roll(log);
      log.append(keyed(1, "\u0001", "later", "\u0003", "later"));
      roll(log);

      compact(log);

      RecordBatch batch = CompactionLogs.batches(log.snapshot()).get(0);
      assertEquals(1, batch.recordCount());
      assertEquals(2, batch.lastOffsetDelta());
      assertEquals(77, batch.producerId());
      assertEquals(3, batch.producerEpoch());
      assertEquals(41, batch.baseSequence());
      assertEquals(9000, batch.maxTimestampMs());
      assertEquals(0, batch.leaderEpoch());
      Record record = records(log.snapshot()).get(1L);
      assertEquals(9000, record.timestampMs());
      assertEquals("h", record.headers().get(0).key());
    }
  }

  /** The producer state may be rebuilt from the newest sealed segment. */
  @Test
  void aProducersBatchInTheNewestSealedSegmentStaysThoughEmpty() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      RecordBatchBuilder builder = new RecordBatchBuilder(64).producer(77, (short) 3, 41);
      CompactionLogs.addTo(builder, 1, "a", "1", "b", "1");
      log.append(builder.build());
      append(log, "a", "2", "b", "2");
      roll(log);

      compact(log);

      RecordBatch batch = CompactionLogs.batches(log.snapshot()).get(0);
      assertEquals(0, batch.recordCount());
      assertEquals(77, batch.producerId());
      assertEquals(41 + 1, batch.baseSequence() + batch.lastOffsetDelta());

      append(log, "c", "1");
      roll(log);
      compact(log);

      assertEquals(-1, CompactionLogs.batches(log.snapshot()).get(0).producerId(), "and goes when it is not the newest");
      assertEquals(List.of("2 a=2", "3 b=2", "4 c=1"), lines(log.snapshot()));
    }
  }

  @Test
  void smallNeighboursBecomeOneSegmentOfAtMostTheConfiguredSize() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      for (int i = 0; i < 60; i++) {
        append(log, "k" + i % 7, i + FILLING);
      }
      roll(log);
      int before = log.snapshot().segmentCount();

      compact(log);
      append(log, "more", FILLING);
      roll(log);
      compact(log);

      assertTrue(log.snapshot().segmentCount() < before / 2, before + " became " + log.snapshot().segmentCount());
      for (String name : disk.list(TestLogs.DIRECTORY)) {
        assertTrue(!name.endsWith(".log") || TestLogs.content(disk, TestLogs.file(name)).length <= 1024, name);
      }
      assertEquals(8, records(log.snapshot()).size());
    }
  }

  @Test
  void everyOffsetCanBeFetchedAndLeadsToTheNextRecord() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      for (int i = 0; i < 60; i++) {
        clock.advance(Duration.ofSeconds(1));
        append(log, "k" + i % 7, i + FILLING);
      }
      compact(log);

      LogSnapshot snapshot = log.snapshot();
      TreeMap<Long, Record> records = records(snapshot);
      for (long offset = 0; offset < snapshot.highWatermark(); offset++) {
        long from = offset;
        Record found =
            CompactionLogs.recordsFrom(snapshot, offset).stream().filter(r -> r.offset() >= from).findFirst().orElseThrow();
        assertEquals(records.ceilingKey(offset), found.offset());
      }
      for (Record record : records.values()) {
        assertEquals(OptionalLong.of(record.offset()), snapshot.offsetForTime(record.timestampMs()));
      }
    }
  }

  @Test
  void tombstonesStayForTheirRetentionAfterTheFirstRun() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      append(log, "a", "1", "b", "1");
      append(log, "a", null);
      append(log, "c", "1");
      roll(log);

      compact(log);
      assertEquals(List.of("1 b=1", "2 a=null", "3 c=1"), lines(log.snapshot()));
      assertEquals(1_000_000, records(log.snapshot()).get(2L).timestampMs(), "its timestamp is not that of the horizon");

      clock.advance(CompactionLogs.DELETE_RETENTION.minusMillis(1));
      assertEquals(0, compact(log));
      clock.advance(Duration.ofMillis(1));
      assertEquals(1, compact(log), "without anything dirty, for a tombstone is due");

      assertEquals(List.of("1 b=1", "3 c=1"), lines(log.snapshot()));
      assertEquals(0, compact(log));
    }
    try (PartitionLog log = CompactionLogs.open(disk, clock)) {
      assertEquals(List.of("1 b=1", "3 c=1"), lines(log.snapshot()));
    }
  }

  /** Or a fetch below the high watermark would find no record. */
  @Test
  void theVeryLastSealedRecordStaysThoughItsTombstoneIsDue() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      append(log, "a", "1");
      append(log, "a", null);
      roll(log);
      compact(log);
      clock.advance(CompactionLogs.DELETE_RETENTION.multipliedBy(2));
      assertEquals(0, compact(log), "no run after run for it");
      assertEquals(List.of("1 a=null"), lines(log.snapshot()));

      append(log, "b", "1");
      roll(log);
      compact(log);

      assertEquals(List.of("2 b=1"), lines(log.snapshot()));
    }
  }

  @Test
  void manyMoreKeysThanFitAreCompactedInRounds() throws IOException {
    long mapBytes = 40L * KeyOffsets.SLOT_BYTES;
    int fit = new KeyOffsets(mapBytes, Long.MAX_VALUE).maxCount();
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      Map<String, String> newest = new HashMap<>();
      for (int i = 0; i < 1200; i++) {
        String key = "k" + (i * 7919) % 400;
        newest.put(key, "v" + i);
        log.append(keyed(1, key, "v" + i));
      }
      roll(log);
      assertTrue(fit < 400 / 10, "only " + fit + " fit");

      int rounds = 0;
      while (compactOnce(log, mapBytes)) {
        rounds++;
      }

      assertTrue(rounds >= 1200 / fit / 2, rounds + " rounds");
      Map<String, String> left = new HashMap<>();
      records(log.snapshot())
          .forEach(
              (offset, r) ->
                  assertEquals(null, left.put(CompactionLogs.text(r.key()), CompactionLogs.text(r.value())), "key twice"));
      assertEquals(newest, left);
    }
  }

  @Test
  void nothingIsRewrittenWhereNothingGoes() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      append(log, "a", "1", "b", "1");
      roll(log);
      LogSnapshot before = log.snapshot();

      compact(log);

      assertEquals(before.sizeBytes(), log.snapshot().sizeBytes());
      assertEquals(0, disk.count(FaultyDisk.Operation.MOVE, ".log.cleaned"));
      assertFalse(disk.exists(TestLogs.file("00000000000000000000.log.cleaned")));
    }
  }

  @Test
  void aReaderReadsOnWhileItsSegmentsAreReplaced() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      for (int i = 0; i < 40; i++) {
        append(log, "k", i + FILLING);
      }
      roll(log);
      LogSnapshot old = log.snapshot();
      try (LogReader reader = old.reader(0)) {
        byte[] expected = new byte[(int) reader.sizeBytes()];
        reader.read(ByteBuffer.wrap(expected), 0);
        byte[] bytes = new byte[expected.length];
        reader.read(ByteBuffer.wrap(bytes, 0, 300), 0);

        compact(log);

        assertTrue(log.snapshot().sizeBytes() < expected.length / 4);
        reader.read(ByteBuffer.wrap(bytes, 300, bytes.length - 300), 300);
        assertEquals(ByteBuffer.wrap(expected), ByteBuffer.wrap(bytes));
      }
      assertThrows(StaleSnapshotException.class, () -> old.reader(0));
      assertEquals(List.of("39 k=39" + FILLING), lines(log.snapshot()));
    }
    assertEquals(0, disk.openCount());
  }

  /** Between the swap and the publication of the new snapshot, both are good. */
  @Test
  void theOldSnapshotIsReadableUntilTheReplacedAreReleased() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      append(log, "a", "1");
      append(log, "a", "2");
      roll(log);
      LogSnapshot old = log.snapshot();
      LogCompaction run = log.planCompaction(1000).orElseThrow();
      while (run.step() != LogCompaction.Progress.READY) {}
      log.swapIn(run);

      assertEquals(List.of("0 a=1", "1 a=2"), lines(old));
      assertEquals(List.of("1 a=2"), lines(log.snapshot()));
      log.releaseReplaced();
      assertThrows(StaleSnapshotException.class, () -> old.reader(0));
    }
    assertEquals(0, disk.openCount());
  }

  @Test
  void retentionMayTakeWhatIsBeingCompacted() throws IOException {
    LogConfig both =
        new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, 1500, Duration.ZERO, 0)
            .withCleanup(new Cleanup(true, true, Duration.ZERO, 0));
    try (PartitionLog log = PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, both, clock)) {
      for (int i = 0; i < 30; i++) {
        append(log, "k" + i % 2, i + FILLING);
      }
      LogCompaction run = log.planCompaction(100_000).orElseThrow();
      while (run.step() != LogCompaction.Progress.READY) {}
      assertTrue(log.deleteExpiredSegments() > 0);
      List<String> kept = lines(log.snapshot());

      log.swapIn(run);
      log.releaseReplaced();

      assertEquals(kept, lines(log.snapshot()));
      run.cancel();
      assertTrue(disk.list(TestLogs.DIRECTORY).stream().noneMatch(name -> name.endsWith(".cleaned")));
    }
    assertEquals(0, disk.openCount());
  }

  @Test
  void aTopicThatOnlyCompactsIsNotCutByRetention() throws IOException {
    LogConfig compactOnly =
        new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, 0, Duration.ofMillis(1), 0)
            .withCleanup(new Cleanup(true, false, Duration.ZERO, 0.5));
    try (PartitionLog log = PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, compactOnly, clock)) {
      append(log, "a", "1");
      roll(log);
      clock.advance(Duration.ofDays(9));
      assertEquals(0, log.deleteExpiredSegments());
      assertEquals(List.of("0 a=1"), lines(log.snapshot()));
    }
  }

  @Test
  void aRunIsDueWhenEnoughIsDirty() throws IOException {
    LogConfig half = CompactionLogs.COMPACT.withCleanup(new Cleanup(true, false, Duration.ZERO, 0.5));
    try (PartitionLog log = PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, half, clock)) {
      assertEquals(0, compact(log), "nothing is sealed");
      for (int i = 0; i < 3; i++) {
        append(log, "a" + i, FILLING);
        roll(log);
      }
      assertEquals(1, compact(log));
      append(log, "b", FILLING);
      roll(log);
      assertEquals(0, compact(log), "a quarter is dirty");
      append(log, "c", FILLING);
      append(log, "c", FILLING);
      append(log, "c", FILLING);
      roll(log);
      assertEquals(1, compact(log), "more than half is");
    }
  }

  @Test
  void aCancelledRunLeavesNothing() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      append(log, "a", "1", "a", "2");
      roll(log);
      LogCompaction run = log.planCompaction(1000).orElseThrow();
      while (run.step() != LogCompaction.Progress.READY) {}
      run.cancel();

      assertEquals(LogCompaction.Progress.CANCELLED, run.step());
      assertTrue(disk.list(TestLogs.DIRECTORY).stream().noneMatch(name -> name.contains("cleaned")));
      assertEquals(List.of("0 a=1", "1 a=2"), lines(log.snapshot()));
    }
  }

  /** What compaction writes must never fill the disk: then an append would fail, which is for good. */
  @Test
  void aDiskWithoutRoomIsNotTouched() throws IOException {
    LogConfig reserved =
        new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ZERO, 10_000)
            .withCleanup(CompactionLogs.COMPACT.cleanup());
    try (PartitionLog log = PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, reserved, clock)) {
      append(log, "a", "1", "a", "2");
      roll(log);
      disk.setUsableBytes(10_050);
      clock.advance(Duration.ofSeconds(2)); // it is asked once a second
      assertThrows(IOException.class, () -> compact(log));
      assertEquals(0, disk.count(FaultyDisk.Operation.CREATE, ".cleaned"));
      disk.setUsableBytes(11_000);
      clock.advance(Duration.ofSeconds(2));
      assertEquals(1, compact(log));
      assertTrue(log.isWritable());
    }
  }

  @Test
  void damageIsFoundAndNotWrittenOn() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      append(log, "a", "1", "a", "2");
      roll(log);
      disk.flipBit(TestLogs.file("00000000000000000000.log"), 70 * 8);
      assertThrows(LogDamagedException.class, () -> compact(log));
      assertTrue(disk.list(TestLogs.DIRECTORY).stream().noneMatch(name -> name.contains("cleaned")));
    }
  }
}
