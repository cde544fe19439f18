package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batch;
import static kaka.log.TestLogs.content;
import static kaka.log.TestLogs.file;
import static kaka.log.TestLogs.text;
import static kaka.log.TestLogs.values;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import kaka.TestClock;
import kaka.log.FaultyDisk.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Zeros ahead of a log's end: when they are written, that they cost nothing when they cannot be, and that they go again. */
class ZeroedRoomTest {
  private static final Path SEGMENT = file("00000000000000000000.log");
  private static final LogConfig SMALL = TestLogs.withSegmentBytes(4096);
  private static final LogConfig USUAL = SMALL.withPreallocation(Preallocation.USUAL);

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private final List<String> appended = new ArrayList<>();

  private PartitionLog create(LogConfig config) throws IOException {
    return PartitionLog.create(disk, DIRECTORY, TOPIC_ID, config, new TestClock(1000));
  }

  private PartitionLog open(LogConfig config) throws IOException {
    return PartitionLog.open(disk, DIRECTORY, TOPIC_ID, config, Clock.systemUTC());
  }

  private void append(PartitionLog log, int size) throws IOException {
    appended.add(text(appended.size(), size));
    log.append(batch(appended.get(appended.size() - 1)));
    log.flush();
  }

  private static LogConfig large(LogConfig rule) {
    return new LogConfig(8 << 20, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, 0)
        .withPreallocation(rule.preallocation());
  }

  private void requireZerosAfter(long end) throws IOException {
    byte[] content = content(disk, SEGMENT);
    assertTrue(content.length > end, content.length + " bytes, " + end + " of batches");
    assertArrayEquals(new byte[content.length - (int) end], Arrays.copyOfRange(content, (int) end, content.length));
  }

  @Test
  void whatIsStoredIsWhatWasAppendedAndNotTheFile() throws IOException {
    try (PartitionLog log = create(SMALL)) {
      for (int i = 0; i < 8; i++) {
        append(log, 100 + i);
        requireZerosAfter(log.snapshot().sizeBytes());
        assertEquals(appended, values(log.snapshot()));
      }
      assertEquals(8, log.logEndOffset());
      assertTrue(log.snapshot().sizeBytes() < 8 * 200);
    }
  }

  /** The sync of a commit covers its bytes, and zeros wait for the next: an error of theirs says nothing of a commit. */
  @Test
  void zerosAreWrittenOnlyWhenTheCommitIsSynced() throws IOException {
    try (PartitionLog log = create(SMALL)) {
      append(log, 100);
      disk.resetCounts();

      append(log, 300);

      assertEquals(
          List.of(
              "WRITE 00000000000000000000.log",
              "SYNC 00000000000000000000.log",
              "WRITE recovery-point",
              "WRITE 00000000000000000000.log"),
          disk.calls().stream().filter(call -> !call.startsWith("USABLE")).toList());
      disk.resetCounts();
      log.append(batch("written only"));
      log.write();
      log.append(batch("and synced"));
      log.write();
      assertEquals(2, disk.count(Operation.WRITE));
    }
  }

  /** So most syncs have the file's size to leave alone, also of a partition that gets little. */
  @Test
  void smallCommitsMakeTheFileLongerByBlocks() throws IOException {
    try (PartitionLog log = create(large(USUAL))) {
      append(log, 50);
      for (int i = 0; i < 200; i++) {
        long fileBytes = disk.sizeBytes(SEGMENT);
        assertEquals(0, fileBytes % Zeros.BLOCK_BYTES);
        append(log, 50);
        assertTrue(log.snapshot().sizeBytes() <= fileBytes, "written over zeros");
        assertTrue(disk.sizeBytes(SEGMENT) <= log.snapshot().sizeBytes() + 2 * Zeros.BLOCK_BYTES);
      }
      requireZerosAfter(log.snapshot().sizeBytes());
    }
    assertTrue(disk.sizeBytes(SEGMENT) % Zeros.BLOCK_BYTES > 0, "a stopped one has none");
  }

  /** Little is stored: a thousand idle partitions would take as many times what one does. */
  @Test
  void asLongAsLittleIsStoredNothingIsZeroed() throws IOException {
    try (PartitionLog log = create(large(USUAL))) {
      while (log.snapshot().sizeBytes() < 250_000) {
        append(log, 2000);
        assertEquals(log.snapshot().sizeBytes(), disk.sizeBytes(SEGMENT));
      }
      while (log.snapshot().sizeBytes() < 300_000) {
        append(log, 2000);
      }
      requireZerosAfter(log.snapshot().sizeBytes());
      assertTrue(disk.sizeBytes(SEGMENT) <= log.snapshot().sizeBytes() * 5 / 4);
    }
  }

  /** Bytes behind the batches, after 1 MiB in commits of so many. */
  private static long zerosBehind(LogConfig config, int commitBytes) throws IOException {
    MemoryDisk own = new MemoryDisk();
    PartitionLog log = PartitionLog.create(own, DIRECTORY, TOPIC_ID, config, Clock.systemUTC());
    while (log.snapshot().sizeBytes() < 1 << 20) {
      log.append(batch(text(0, commitBytes)));
      log.flush();
    }
    return content(own, SEGMENT).length - log.snapshot().sizeBytes();
  }

  @Test
  void zerosAreForSmallCommitsThatAreSynced() throws IOException {
    LogConfig later = new LogConfig(8 << 20, Duration.ofDays(1), 4096, Duration.ofSeconds(1), -1, Duration.ZERO, 0);

    assertTrue(zerosBehind(large(USUAL), 4000) > 0);

    assertEquals(0, zerosBehind(large(USUAL), 100_000));
    assertEquals(0, zerosBehind(later, 4000));
    assertEquals(0, zerosBehind(large(USUAL).withPreallocation(Preallocation.OFF), 4000));
  }

  @Test
  void aSegmentIsNotZeroedPastItsEnd() throws IOException {
    try (PartitionLog log = create(SMALL)) {
      while (log.snapshot().sizeBytes() < 3000) {
        append(log, 200);
      }
      assertEquals(4096, disk.sizeBytes(SEGMENT));
      while (!isSealed()) {
        append(log, 200);
        assertTrue(disk.sizeBytes(SEGMENT) <= 4096);
      }
      assertEquals(appended, values(log.snapshot()));
    }
  }

  private boolean isSealed() throws IOException {
    return disk.exists(file("00000000000000000000.index"));
  }

  /** What is sealed, or closed in order, is as long as its batches: other programs read it too. */
  @Test
  void aRollAndACleanStopTakeTheZerosOff() throws IOException {
    PartitionLog log = create(SMALL);
    while (!isSealed()) {
      append(log, 200);
    }
    append(log, 200);
    Path newest = newest();
    long sealedBytes = disk.sizeBytes(SEGMENT);
    long newestBytes = log.snapshot().sizeBytes() - sealedBytes;
    assertTrue(disk.sizeBytes(newest) > newestBytes);

    log.close();

    assertEquals(newestBytes, disk.sizeBytes(newest));
    for (Path each : List.of(SEGMENT, newest)) {
      try (SegmentScan scan = SegmentScan.open(disk, each)) {
        for (var piece = scan.next(); piece.isPresent(); piece = scan.next()) {
          assertInstanceOf(SegmentScan.Whole.class, piece.get());
        }
      }
    }
    try (PartitionLog reopened = open(SMALL)) {
      assertEquals(0, reopened.recovery().scannedBytes(), "a clean stop");
      assertEquals(appended, values(reopened.snapshot()));
    }
  }

  private Path newest() throws IOException {
    List<Path> logs = SegmentScan.logsOf(disk, DIRECTORY);
    return logs.get(logs.size() - 1);
  }

  /** The zeros are off the disk before there is a next segment: until then a crash finds the newest one, which may have some. */
  @Test
  void aRollCutsAndSyncsBeforeAnythingElse() throws IOException {
    TestClock clock = new TestClock(1000);
    try (PartitionLog log = PartitionLog.create(disk, DIRECTORY, TOPIC_ID, SMALL, clock)) {
      append(log, 200);
      clock.advance(Duration.ofDays(2));
      disk.resetCounts();

      assertTrue(log.rollIfAged());

      List<String> changes =
          disk.calls().stream().filter(call -> call.startsWith("TRUN") || call.startsWith("SYNC ") || call.startsWith("CREATE")).toList();
      assertEquals(
          List.of("TRUNCATE 00000000000000000000.log", "SYNC 00000000000000000000.log"), changes.subList(0, 2), changes.toString());
    }
  }

  /** Retention of undated records, and what is remembered of producers, go by the last write of a record. */
  @Test
  void cuttingTheZerosIsNoWriteOfARecord() throws IOException {
    TestClock clock = new TestClock(1000);
    MemoryDisk timed = new MemoryDisk(clock);
    try (PartitionLog log = PartitionLog.create(timed, DIRECTORY, TOPIC_ID, SMALL, clock)) {
      append(log, 200);
      clock.advance(Duration.ofDays(2));
      assertTrue(log.rollIfAged());
      assertEquals(log.snapshot().sizeBytes(), content(timed, SEGMENT).length);
      assertEquals(1000, timed.lastModifiedMs(SEGMENT));
    }
    timed = new MemoryDisk(clock);
    PartitionLog killed = PartitionLog.create(timed, DIRECTORY, TOPIC_ID, SMALL, clock);
    killed.append(batch("a"));
    killed.flush();
    killed.abandon();
    long lastMs = clock.millis();
    clock.advance(Duration.ofDays(2));
    PartitionLog.open(timed, DIRECTORY, TOPIC_ID, SMALL, clock).abandon();
    assertEquals(lastMs, timed.lastModifiedMs(SEGMENT));
  }

  /** Nothing of a commit is lost, the log goes on, and this segment gets no more zeros; the next one does. */
  @ParameterizedTest
  @ValueSource(ints = {0, 17})
  void zerosThatAreRefusedAreDoneWithout(int leftBytes) throws IOException {
    PartitionLog log = create(SMALL);
    append(log, 400);
    appended.add(text(1, 350));
    log.append(batch(appended.get(1)));
    log.write(); // so that the next write of the file is of zeros
    disk.failNextWriteAfter(".log", leftBytes);
    List<String> warnings = new WarnLog().during(log::flush);
    assertEquals(1, disk.failureCount());
    assertEquals(1, warnings.size());
    assertTrue(warnings.get(0).contains("no zeros written ahead"), warnings.get(0));
    assertTrue(log.isWritable());
    disk.resetCounts();

    append(log, 300);
    append(log, 300);

    assertEquals(2, disk.count(Operation.WRITE, ".log"));
    while (!isSealed()) {
      append(log, 300);
    }
    append(log, 300);
    long newestBytes = log.snapshot().sizeBytes() - disk.sizeBytes(SEGMENT);
    assertTrue(disk.sizeBytes(newest()) > newestBytes);
    log.abandon();
    try (PartitionLog reopened = open(SMALL)) {
      assertEquals(appended, values(reopened.snapshot()));
      assertEquals(0, reopened.recovery().cutBytes());
    }
  }

  /** Where the disk refused some, others may be there. */
  @Test
  void zerosOfWhichAPartIsThereAreCutToo() throws IOException {
    PartitionLog log = create(SMALL);
    log.append(batch("a"));
    log.write();
    disk.failNextWriteAfter(".log", 17);
    log.flush();
    assertEquals(log.snapshot().sizeBytes() + 17, disk.sizeBytes(SEGMENT));

    log.close();

    assertEquals(log.snapshot().sizeBytes(), disk.sizeBytes(SEGMENT));
  }

  /** They must not bring about what {@code min-free-bytes} refuses. */
  @Test
  void aDiskThatIsNearlyFullGetsNoZerosAndTakesAppends() throws IOException {
    LogConfig reserving =
        new LogConfig(4096, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ZERO, 1000)
            .withPreallocation(TestLogs.EAGER);
    TestClock clock = new TestClock(1000);
    disk.setUsableBytes((64 << 20) + 1100);
    try (PartitionLog log = PartitionLog.create(disk, DIRECTORY, TOPIC_ID, reserving, clock)) {
      assertTrue(log.reserve(500));
      append(log, 400);
      assertEquals(log.snapshot().sizeBytes(), disk.sizeBytes(SEGMENT));
      assertTrue(log.reserve(500), "there is room for what is produced");

      disk.setUsableBytes(1L << 30);
      clock.advance(Duration.ofSeconds(2));
      append(log, 400);
      requireZerosAfter(log.snapshot().sizeBytes());
    }
  }

  /** Where the file cannot be cut, what follows it would find zeros in a sealed segment: the log takes nothing more. */
  @Test
  void zerosThatCannotBeCutStopTheRoll() throws IOException {
    PartitionLog log = create(SMALL);
    while (log.snapshot().sizeBytes() < 3500) {
      append(log, 200);
    }
    disk.failNext(Operation.TRUNCATE, ".log");
    assertThrows(
        IOException.class,
        () -> {
          while (true) {
            append(log, 200);
          }
        });
    appended.remove(appended.size() - 1);
    assertFalse(log.isWritable());
    assertFalse(isSealed());
    assertEquals(appended, values(log.snapshot()));
    log.abandon();

    try (PartitionLog reopened = open(SMALL)) {
      assertEquals(appended, values(reopened.snapshot()));
      assertTrue(reopened.isWritable());
    }
  }
}
