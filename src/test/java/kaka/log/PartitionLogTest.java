package kaka.log;

import static kaka.log.TestLogs.CONFIG;
import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batch;
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
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import kaka.TestClock;
import kaka.log.FaultyDisk.Operation;
import org.junit.jupiter.api.Test;

/** Appending, committing, rolling and stopping. */
class PartitionLogTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  @Test
  void appendsAreNumberedWithoutGapAndReadableOnlyAfterTheFlush() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      assertEquals(0, log.append(batch("a", "b")));
      assertEquals(2, log.append(batch("c")));
      assertEquals(0, log.snapshot().highWatermark());
      assertTrue(log.hasUnsynced());

      log.flush();

      assertFalse(log.hasUnsynced());
      assertEquals(List.of("a", "b", "c"), values(log.snapshot()));
      assertEquals(3, log.logEndOffset());
    }
  }

  /** However many batches wait together: one write and one sync, then the recovery point, which is not synced. */
  @Test
  void aFlushIsOneWriteAndOneSync() throws IOException {
    try (PartitionLog log =
        PartitionLog.create(disk, DIRECTORY, TOPIC_ID, TestLogs.withSegmentBytes(1 << 20), Clock.systemUTC())) {
      log.updateConfig(TestLogs.withSegmentBytes(1 << 20).withPreallocation(Preallocation.OFF)); // what that adds: ZeroedRoomTest
      for (int i = 0; i < 64; i++) {
        log.append(batch(text(i, 100)));
      }
      disk.resetCounts();

      log.flush();

      assertEquals(
          List.of("WRITE 00000000000000000000.log", "SYNC 00000000000000000000.log", "WRITE recovery-point"), disk.calls());
      disk.resetCounts();
      log.flush();
      assertEquals(List.of(), disk.calls(), "nothing was left to do");
    }
  }

  @Test
  void withoutSyncTheWriteIsReadableAndALaterFlushSyncsIt() throws IOException {
    try (PartitionLog log = TestLogs.createWithoutZeros(disk)) {
      log.append(batch("a"));
      disk.resetCounts();

      log.write();

      assertEquals(List.of("a"), values(log.snapshot()));
      assertTrue(log.hasUnsynced());
      assertEquals(0, disk.count(Operation.SYNC));
      log.flush();
      assertFalse(log.hasUnsynced());
      assertEquals(1, disk.count(Operation.SYNC));
      assertEquals(1, disk.count(Operation.WRITE, ".log"));
    }
  }

  /** Small, up to the buffer's first size, over it, over its last size: what is stored is what was given. */
  @Test
  void batchesOfEverySizePassThroughTheStagingBuffer() throws IOException {
    int[] sizes = {1, 60_000, 5_000, 70_000, 300_000, 1_048_000, 1_048_576, 1_100_000, 10, 3_500_000, 900_000, 200_000};
    LogConfig config = TestLogs.withSegmentBytes(64 << 20);
    List<String> expected = new ArrayList<>();
    try (PartitionLog log = PartitionLog.create(disk, DIRECTORY, TOPIC_ID, config, Clock.systemUTC())) {
      for (int i = 0; i < sizes.length; i++) {
        expected.add(text(i, sizes[i]));
        assertEquals(i, log.append(batch(expected.get(i))));
      }
      log.flush();
      assertEquals(expected, values(log.snapshot()));
    }
    try (PartitionLog log = PartitionLog.open(disk, DIRECTORY, TOPIC_ID, config, Clock.systemUTC())) {
      assertEquals(expected, values(log.snapshot()));
    }
  }

  @Test
  void aSegmentRollsBeforeItWouldExceedItsSizeAndEachStepIsDurableBeforeTheNext() throws IOException {
    try (PartitionLog log = TestLogs.createWithoutZeros(disk)) {
      log.append(batch(text(0, 500)));
      log.append(batch(text(1, 300)));
      log.flush();
      log.append(batch(text(2, 10)));
      disk.resetCounts();

      assertEquals(3, log.append(batch(text(3, 300))));

      assertEquals(
          List.of(
              "WRITE 00000000000000000000.log",
              "SYNC 00000000000000000000.log",
              "CREATE 00000000000000000000.index.tmp",
              "WRITE 00000000000000000000.index.tmp",
              "SYNC 00000000000000000000.index.tmp",
              "MOVE 00000000000000000000.index.tmp",
              "SYNC_DIRECTORY orders-0",
              "CREATE 00000000000000000000.timeindex.tmp",
              "WRITE 00000000000000000000.timeindex.tmp",
              "SYNC 00000000000000000000.timeindex.tmp",
              "MOVE 00000000000000000000.timeindex.tmp",
              "SYNC_DIRECTORY orders-0",
              "LAST_MODIFIED 00000000000000000000.log",
              "CREATE 00000000000000000003.snapshot.tmp",
              "WRITE 00000000000000000003.snapshot.tmp",
              "SYNC 00000000000000000003.snapshot.tmp",
              "MOVE 00000000000000000003.snapshot.tmp",
              "SYNC_DIRECTORY orders-0",
              "CREATE 00000000000000000003.log",
              "SYNC_DIRECTORY orders-0",
              "WRITE recovery-point",
              "SYNC recovery-point"),
          disk.calls());
      assertEquals(2, log.snapshot().segmentCount());
      assertEquals(3, log.snapshot().highWatermark(), "what is synced may be read");
      log.flush();
      assertEquals(4, log.snapshot().highWatermark());
      assertTrue(TestLogs.content(disk, file("00000000000000000000.log")).length <= 1024);
    }
  }

  @Test
  void aBatchLargerThanASegmentGetsOneOfItsOwn() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      log.append(batch(text(0, 5000)));
      log.append(batch("small"));
      log.append(batch(text(2, 5000)));
      log.append(batch("small"));
      log.flush();

      assertEquals(4, log.snapshot().segmentCount());
      assertEquals(List.of(text(0, 5000), "small", text(2, 5000), "small"), values(log.snapshot()));
    }
    TestLogs.open(disk).close();
  }

  @Test
  void aSegmentRollsAtItsAge() throws IOException {
    TestClock clock = new TestClock(1_000_000);
    FaultyDisk timed = new FaultyDisk(new MemoryDisk(clock));
    try (PartitionLog log = PartitionLog.create(timed, DIRECTORY, TOPIC_ID, CONFIG, clock)) {
      clock.advance(Duration.ofDays(2));
      assertFalse(log.rollIfAged(), "an empty segment has no age");
      log.append(batchAt(clock.millis(), "a"));
      clock.advance(Duration.ofHours(23));
      assertFalse(log.rollIfAged());
      clock.advance(Duration.ofHours(1));

      assertTrue(log.rollIfAged());

      assertEquals(2, log.snapshot().segmentCount());
      assertEquals(List.of("a"), values(log.snapshot()));
      assertFalse(log.rollIfAged());
      log.append(batchAt(clock.millis(), "b"));
      clock.advance(Duration.ofHours(23));
      log.append(batchAt(clock.millis(), "c"));
      log.flush();
    }
    try (PartitionLog log = PartitionLog.open(timed, DIRECTORY, TOPIC_ID, CONFIG, clock)) {
      assertFalse(log.rollIfAged());
      clock.advance(Duration.ofHours(1));
      assertTrue(log.rollIfAged(), "a restart does not make it younger");
      assertEquals(List.of("a", "b", "c"), values(log.snapshot()));
    }
  }

  @Test
  void newSettingsCountFromTheNextAppend() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      log.updateConfig(TestLogs.withSegmentBytes(100_000));
      for (int i = 0; i < 50; i++) {
        log.append(batch(text(i, 100)));
      }
      assertEquals(1, log.snapshot().segmentCount());
      log.updateConfig(CONFIG);
      log.append(batch("a"));
      assertEquals(2, log.snapshot().segmentCount());
    }
  }

  @Test
  void aStopFlushesAndSyncsTheRecoveryPointAndThenMarksItself() throws IOException {
    PartitionLog log = TestLogs.create(disk);
    log.append(batch("a"));
    disk.resetCounts();

    log.close();

    assertEquals(
        List.of(
            "WRITE 00000000000000000000.log", "SYNC 00000000000000000000.log", "WRITE recovery-point", "SYNC recovery-point",
            "USABLE_BYTES orders-0", "READ 00000000000000000000.log", "CREATE clean-stop.tmp", "WRITE clean-stop.tmp",
            "SYNC clean-stop.tmp", "MOVE clean-stop.tmp", "SYNC_DIRECTORY orders-0"),
        disk.calls());
    log.close();
    assertEquals(11, disk.calls().size(), "a second close does nothing");
    assertThrows(IOException.class, () -> log.append(batch("b")));
  }

  /** Once a roll's sync, or a write between two flushes, has failed, nothing more is written: not by a later append either. */
  @Test
  void anAppendThatTheDiskFailedIsTheLast() throws IOException {
    for (Operation failing : new Operation[] {Operation.SYNC, Operation.WRITE}) {
      FaultyDisk fresh = new FaultyDisk(new MemoryDisk());
      try (PartitionLog log = TestLogs.createWithoutZeros(fresh)) {
        log.append(batch("a".repeat(900)));
        log.flush();
        fresh.failNext(failing, ".log");
        String value = failing == Operation.SYNC ? "b".repeat(900) : "b".repeat(3 * StagingPool.BUFFER_BYTES);
        if (failing == Operation.SYNC) {
          log.append(batch("c")); // staged: the roll that comes with the next one has something to sync
        }
        assertThrows(IOException.class, () -> log.append(batch(value)));
        fresh.resetCounts();

        assertFalse(log.isWritable());
        assertThrows(IOException.class, () -> log.append(batch("d")));
        assertThrows(IOException.class, log::flush);
        assertEquals(0, fresh.count(Operation.WRITE) + fresh.count(Operation.SYNC) + fresh.count(Operation.CREATE));
        assertEquals(1, log.snapshot().highWatermark());
      }
    }
  }

  /** A name may mean another log's file after the close, so an old snapshot opens nothing. */
  @Test
  void aSnapshotOfAClosedLogIsStaleButItsReadersReadOn() throws IOException {
    PartitionLog log = TestLogs.create(disk);
    for (int i = 0; i < 20; i++) {
      log.append(batch(text(i, 100)));
    }
    log.flush();
    LogSnapshot snapshot = log.snapshot();

    try (LogReader reader = snapshot.reader(0)) {
      log.close();

      assertEquals(reader.sizeBytes(), reader.read(ByteBuffer.allocate((int) reader.sizeBytes()), 0));
    }
    assertThrows(StaleSnapshotException.class, () -> snapshot.reader(0));
    assertThrows(StaleSnapshotException.class, () -> snapshot.reader(19), "in the active segment");
    assertThrows(StaleSnapshotException.class, () -> snapshot.offsetForTime(0));
  }

  @Test
  void creationRefusesALogThatIsThere() throws IOException {
    TestLogs.create(disk).close();

    assertThrows(FileAlreadyExistsException.class, () -> TestLogs.create(disk));
  }

  @Test
  void creationRefusesADirectoryWithRecordsButWithoutMetadata() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      log.append(batch("a"));
    }
    disk.delete(file("partition.metadata"));

    assertThrows(FileAlreadyExistsException.class, () -> TestLogs.create(disk));
    assertThrows(LogDamagedException.class, () -> TestLogs.open(disk));
  }

  @Test
  void creationGoesOnWhereItWasInterrupted() throws IOException {
    int n = 0;
    do {
      n++;
      FaultyDisk failing = new FaultyDisk(new MemoryDisk());
      failing.failNth(FaultyDisk.CHANGES, "", n);
      assertFalse(PartitionDirectory.isCreated(failing, DIRECTORY));
      try {
        TestLogs.create(failing).close();
        assertEquals(0, failing.failureCount());
      } catch (IOException e) {
        failing.heal();
        try (PartitionLog log = PartitionDirectory.isCreated(failing, DIRECTORY) ? TestLogs.open(failing) : TestLogs.create(failing)) {
          assertEquals(0, log.append(batch("a")));
        }
        continue;
      }
      assertTrue(n > 10);
      return;
    } while (true);
  }

  @Test
  void deletionLeavesTheLogOrNothingOrANameThatSaysSo() throws IOException {
    for (int n = 1; ; n++) {
      FaultyDisk failing = new FaultyDisk(new MemoryDisk());
      TestLogs.create(failing).close();
      failing.failFrom(FaultyDisk.CHANGES, "", n);
      try {
        PartitionDirectory.delete(failing, DIRECTORY, TOPIC_ID);
        assertEquals(List.of(), failing.list(Path.of("")));
        assertTrue(n > 5);
        return;
      } catch (IOException e) {
        failing.heal();
        for (String name : failing.list(Path.of(""))) {
          if (name.equals(DIRECTORY.toString())) {
            assertFalse(PartitionDirectory.finishDeletion(failing, DIRECTORY));
            TestLogs.open(failing).close();
          } else {
            assertTrue(PartitionDirectory.finishDeletion(failing, Path.of(name)), name);
            assertEquals(List.of(), failing.list(Path.of("")));
          }
        }
      }
    }
  }

  /** What is not understood is never deleted, whatever its name. */
  @Test
  void deletionTouchesOnlyWhatIsAPartitions() throws IOException {
    MemoryDisk disk = new MemoryDisk();
    Path foreign = Path.of("backup.of_monday_morning_orde-delete");
    disk.createDirectory(foreign);
    TestLogs.setContent(disk, foreign.resolve("precious"), new byte[] {1});
    assertFalse(PartitionDirectory.finishDeletion(disk, foreign));

    TestLogs.create(disk).close();
    TestLogs.setContent(disk, DIRECTORY.resolve("precious"), new byte[] {2});
    PartitionDirectory.delete(disk, DIRECTORY, TOPIC_ID);

    Path left = Path.of("orders-0.ASNFZ4mrze8BI0VniavN7w-delete");
    assertEquals(List.of(foreign.toString(), left.toString()), disk.list(Path.of("")));
    assertEquals(List.of("partition.metadata", "precious"), disk.list(left));
    assertEquals(List.of("precious"), disk.list(foreign));
    disk.delete(left.resolve("precious"));
    assertTrue(PartitionDirectory.finishDeletion(disk, left));
    assertFalse(disk.exists(left));
  }

  /** Some locales have digits of their own. */
  @Test
  void fileNamesAreTheSameInEveryLocale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      assertEquals(file("00000000000000000042.log"), new LogFiles(DIRECTORY).log(42));
    } finally {
      Locale.setDefault(before);
    }
  }

  /** The longest legal topic name leaves no room for the suffix; two partitions of it must not meet. */
  @Test
  void aDeletedDirectorysNameFitsAFileSystem() {
    String topic = "t".repeat(249);
    String first = PartitionDeletion.deletedName(topic + "-0", TOPIC_ID);
    String second = PartitionDeletion.deletedName(topic + "-12345", TOPIC_ID);

    assertEquals(255, first.length());
    assertEquals(255, second.length());
    assertTrue(second.contains("-12345."));
    assertEquals("orders-0.ASNFZ4mrze8BI0VniavN7w-delete", PartitionDeletion.deletedName("orders-0", TOPIC_ID));
  }
}
