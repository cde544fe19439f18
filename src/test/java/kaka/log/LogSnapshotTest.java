package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batch;
import static kaka.log.TestLogs.batchAt;
import static kaka.log.TestLogs.records;
import static kaka.log.TestLogs.text;
import static kaka.log.TestLogs.values;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import kaka.TestSeed;
import kaka.log.FaultyDisk.Operation;
import kaka.record.BatchCompression;
import kaka.record.BatchHeader;
import kaka.record.Codec;
import kaka.record.Record;
import kaka.record.RecordBatch;
import org.junit.jupiter.api.Test;

/** Finding and reading: by offset, by time, across segments, beside a writer. */
class LogSnapshotTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  @Test
  void everyOffsetIsFoundAndReadsToTheHighWatermark() throws IOException {
    List<String> values = new ArrayList<>();
    try (PartitionLog log = TestLogs.create(disk)) {
      for (int i = 0; i < 40; i++) {
        String[] together = new String[1 + i % 4];
        for (int j = 0; j < together.length; j++) {
          values.add(together[j] = text(values.size(), 20 + i));
        }
        log.append(batch(together));
      }
      log.flush();
      assertTrue(log.snapshot().segmentCount() > 4);

      for (int offset = 0; offset <= values.size(); offset++) {
        assertEquals(values.subList(offset, values.size()), values(log.snapshot(), offset), "from " + offset);
      }
    }
  }

  @Test
  void offsetsOutsideTheLogAreRefused() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      log.append(batch("a"));
      log.flush();

      assertThrows(IllegalArgumentException.class, () -> log.snapshot().reader(2));
      assertThrows(IllegalArgumentException.class, () -> log.snapshot().reader(-1));
      try (LogReader reader = log.snapshot().reader(1)) {
        assertEquals(0, reader.sizeBytes());
        assertEquals(0, reader.read(ByteBuffer.allocate(10), 0));
      }
    }
  }

  @Test
  void anyStretchCanBeReadAlsoAcrossSegments() throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    try (PartitionLog log = TestLogs.create(disk)) {
      for (int i = 0; i < 30; i++) {
        log.append(batch(text(i, 200)));
      }
      log.flush();
      try (LogReader reader = log.snapshot().reader(7)) {
        int sizeBytes = (int) reader.sizeBytes();
        byte[] all = new byte[sizeBytes];
        assertEquals(sizeBytes, reader.read(ByteBuffer.wrap(all), 0));
        for (int i = 0; i < 500; i++) {
          int at = random.nextInt(sizeBytes + 1);
          byte[] part = new byte[random.nextInt(3000)];
          int expected = Math.min(part.length, sizeBytes - at);
          assertEquals(expected, reader.read(ByteBuffer.wrap(part), at), "seed " + seed);
          assertArrayEquals(
              Arrays.copyOfRange(all, at, at + expected), Arrays.copyOf(part, expected), "seed " + seed);
        }
      }
    }
  }

  @Test
  void aReaderHoldsOnlyTheSegmentsThatAreWanted() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      for (int i = 0; i < 10; i++) {
        log.append(batch(text(i, 900)));
      }
      log.flush();
      long segmentBytes = log.snapshot().sizeBytes() / 10;
      try (LogReader reader = log.snapshot().reader(2, segmentBytes + 1)) {
        assertEquals(2 * segmentBytes, reader.sizeBytes());
      }
      try (LogReader reader = log.snapshot().reader(9, 1)) {
        assertEquals(segmentBytes, reader.sizeBytes());
      }
    }
  }

  /** Stored data costs no descriptors: a sealed segment's file is open while somebody reads it. */
  @Test
  void sealedSegmentsAreOpenOnlyWhileTheyAreRead() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      for (int i = 0; i < 10; i++) {
        log.append(batch(text(i, 900)));
      }
      log.flush();
      disk.resetCounts();
      LogReader first = log.snapshot().reader(0);
      LogReader second = log.snapshot().reader(0);
      assertEquals(1, disk.count(Operation.OPEN, "0.log"), "one descriptor for both");
      assertEquals(0, disk.count(Operation.OPEN, "1.log"), "none before the first read");
      first.close();
      second.close();
      second.close();
      log.snapshot().reader(0).close();
      assertEquals(2, disk.count(Operation.OPEN, "0.log"), "closed with the last reader, so opened again");
    }
  }

  /** An index floor, then at most a few small reads, however long the segment is. */
  @Test
  void aLookupReadsLittle() throws IOException {
    LogConfig config =
        new LogConfig(64 << 20, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, 0);
    try (PartitionLog log = PartitionLog.create(disk, DIRECTORY, TOPIC_ID, config, Clock.systemUTC())) {
      for (int i = 0; i < 20_000; i++) {
        log.append(batch(text(i, 100)));
      }
      log.flush();
      for (int i = 0; i < 2; i++) {
        for (int offset = 0; offset < 20_000; offset += 77) {
          disk.resetCounts();
          log.snapshot().reader(offset).close();
          assertTrue(disk.count(Operation.READ, ".log") <= 2, disk.calls().toString());
          assertTrue(disk.count(Operation.READ, "index") <= 3, disk.calls().toString());
        }
        log.updateConfig(TestLogs.CONFIG);
        log.append(batch("rolls"));
        log.flush();
      }
    }
  }

  /** A snapshot does not change: what is appended later, into the same arrays, is not in it. */
  @Test
  void aSnapshotStaysAsItWas() throws IOException {
    try (PartitionLog log =
        PartitionLog.create(disk, DIRECTORY, TOPIC_ID, TestLogs.withSegmentBytes(1 << 20), Clock.systemUTC())) {
      List<LogSnapshot> snapshots = new ArrayList<>();
      List<String> values = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        snapshots.add(log.snapshot());
        values.add(text(i, 50));
        log.append(batchAt(i, values.get(i)));
        log.flush();
      }
      for (int i = 0; i < snapshots.size(); i++) {
        assertEquals(values.subList(i / 2, i), values(snapshots.get(i), i / 2));
        assertEquals(OptionalLong.empty(), snapshots.get(i).offsetForTime(i));
      }
    }
  }

  /** Against the first record that a walk through all of them finds; timestamps in any order, some missing. */
  @Test
  void offsetForTimeIsTheFirstRecordAtOrAfterIt() throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    for (int round = 0; round < 15; round++) {
      FaultyDisk fresh = new FaultyDisk(new MemoryDisk());
      boolean rising = round % 2 == 0;
      try (PartitionLog log = TestLogs.create(fresh)) {
        long now = 0;
        for (int i = 0; i < 60; i++) {
          long[] timestampsMs = new long[1 + random.nextInt(3)];
          for (int j = 0; j < timestampsMs.length; j++) {
            now += random.nextInt(10);
            timestampsMs[j] = rising ? now : random.nextInt(1000) - 5;
          }
          log.append(batchAt(timestampsMs));
        }
        log.flush();
        checkOffsetForTime(log.snapshot(), seed);
      }
      try (PartitionLog log = TestLogs.open(fresh)) {
        checkOffsetForTime(log.snapshot(), seed);
      }
    }
  }

  private static void checkOffsetForTime(LogSnapshot snapshot, long seed) throws IOException {
    List<Record> records = records(snapshot, 0);
    for (long t = -10; t < 1010; t += 1) {
      long wanted = t;
      OptionalLong expected =
          records.stream().filter(record -> record.timestampMs() >= wanted).mapToLong(Record::offset).findFirst();
      assertEquals(expected, snapshot.offsetForTime(t), "time " + t + " seed " + seed);
    }
  }

  /** Of the records that can be read: not of those that were deleted from the middle of a batch or of a segment. */
  @Test
  void theGreatestTimeIsThatOfARecordThatIsLeft() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      log.append(batchAt(new long[] {100, 900, 300}));
      log.append(batchAt(new long[] {200, 400, 400}));
      log.append(batchAt(500, text(0, 990))); // a segment of its own
      log.append(batchAt(new long[] {350, 360}));
      log.flush();
      for (int start = 0; start <= 9; start++) {
        log.deleteRecordsBefore(start, () -> {});
        long first = start;
        List<Record> left = records(log.snapshot(), start).stream().filter(record -> record.offset() >= first).toList();
        long greatestMs = left.stream().mapToLong(Record::timestampMs).max().orElse(-1);
        Optional<Record> expected = left.stream().filter(record -> record.timestampMs() == greatestMs).findFirst();

        assertEquals(
            expected.map(record -> new TimedOffset(record.offset(), record.timestampMs())),
            log.snapshot().greatestTime(),
            "start " + start);
      }
    }
  }

  @Test
  void offsetForTimeFindsTheRecordInsideACompressedBatch() throws Exception {
    try (PartitionLog log = TestLogs.create(disk)) {
      log.append(batchAt(1000, "a"));
      log.append(BatchCompression.compress(batchAt(new long[] {2000, 3000, 4000}), Codec.GZIP));
      log.flush();

      assertEquals(OptionalLong.of(0), log.snapshot().offsetForTime(1000));
      assertEquals(OptionalLong.of(1), log.snapshot().offsetForTime(1500));
      assertEquals(OptionalLong.of(2), log.snapshot().offsetForTime(2001));
      assertEquals(OptionalLong.of(3), log.snapshot().offsetForTime(4000));
      assertEquals(OptionalLong.empty(), log.snapshot().offsetForTime(4001));
    }
  }

  /** A timestamp in a header that is not what was written sends nobody past a record: it is damage. */
  @Test
  void offsetForTimeBelievesNoDamagedHeader() throws Exception {
    try (PartitionLog log = TestLogs.create(disk)) {
      log.append(batchAt(1000, "a"));
      log.append(batchAt(2000, "b"));
      log.append(batchAt(3000, "c"));
      log.flush();
      byte[] bytes = TestLogs.content(disk, TestLogs.file("00000000000000000000.log"));
      int second = batchAt(1000, "a").sizeBytes();
      bytes[second + BatchHeader.MAX_TIMESTAMP + 7] = 0; // 2000 becomes 1792
      TestLogs.setContent(disk, TestLogs.file("00000000000000000000.log"), bytes);

      LogDamagedException e = assertThrows(LogDamagedException.class, () -> log.snapshot().offsetForTime(1900));

      assertEquals(second, e.position());
      assertTrue(e.advice().contains("--to-offset 1 --yes"), e.advice());
    }
  }

  /** Readers beside the writer, over rolls and retention: each sees whole records in order. */
  @Test
  void readersBesideAWriterSeeOnlyWholeCommits() throws Exception {
    LogConfig config =
        new LogConfig(4096, Duration.ofDays(1), 100, Duration.ZERO, 40_000, Duration.ZERO, 0);
    MemoryDisk memory = new MemoryDisk();
    try (PartitionLog log = PartitionLog.create(memory, DIRECTORY, TOPIC_ID, config, Clock.systemUTC())) {
      AtomicBoolean done = new AtomicBoolean();
      CompletableFuture<Integer> reads =
          CompletableFuture.supplyAsync(
              () -> {
                Random random = new Random(1);
                int count = 0;
                while (!done.get()) {
                  LogSnapshot snapshot = log.snapshot();
                  long start = snapshot.logStartOffset();
                  long from = start + random.nextInt((int) (snapshot.highWatermark() - start) + 1);
                  try {
                    List<String> values = values(snapshot, from);
                    for (int i = 0; i < values.size(); i++) {
                      assertEquals(text((int) from + i, 100), values.get(i));
                    }
                    count++;
                  } catch (StaleSnapshotException e) { // retention was faster: look again
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }
                return count;
              });
      for (int i = 0; i < 6000; i++) {
        log.append(batch(text(i, 100)));
        if (i % 7 == 0) {
          log.flush();
        }
        if (i % 100 == 0) {
          log.deleteExpiredSegments();
        }
      }
      done.set(true);
      assertTrue(reads.get() > 0);
    }
  }
}
