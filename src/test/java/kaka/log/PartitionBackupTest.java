package kaka.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The copy of one partition, of a log that does not change meanwhile. */
class PartitionBackupTest {
  static final Path COPIES = Path.of("copies");

  static final BackupProgress QUIET =
      new BackupProgress() {
        @Override
        public void copied(long bytes) {}

        @Override
        public void linked(long bytes) {}
      };

  private final MemoryDisk disk = new MemoryDisk();

  @BeforeEach
  void makePlace() throws IOException {
    disk.createDirectory(COPIES);
  }

  private BackupCounts copy(String name, String... earlier) throws IOException {
    return copy(disk, name, earlier);
  }

  static BackupCounts copy(Disk disk, String name, String... earlier) throws IOException {
    PartitionBackup backup =
        PartitionBackup.begin(
            disk,
            TestLogs.DIRECTORY,
            COPIES.resolve(name),
            TestLogs.TOPIC_ID,
            List.of(earlier).stream().map(COPIES::resolve).toList(),
            TestLogs.CONFIG.indexIntervalBytes(),
            QUIET,
            PartitionBackup.newPiece());
    backup.copySealed();
    backup.copyTail();
    backup.finish();
    return backup.counts();
  }

  static PartitionLog open(Disk disk, String name) throws IOException {
    return PartitionLog.open(disk, COPIES.resolve(name), TestLogs.TOPIC_ID, TestLogs.CONFIG, Clock.systemUTC());
  }

  private List<String> values(String name) throws IOException {
    List<Finding> wrong = new ArrayList<>(PartitionCheck.run(disk, COPIES.resolve(name), Optional.of(TestLogs.TOPIC_ID), n -> {}).findings());
    wrong.removeIf(finding -> !finding.isWrong());
    assertEquals(List.of(), wrong);
    try (PartitionLog log = open(disk, name)) {
      assertEquals(0, log.recovery().rebuiltIndexCount());
      assertEquals(0, log.recovery().cutBytes());
      return TestLogs.values(log.snapshot());
    }
  }

  private static List<String> fill(PartitionLog log, int from, int to) throws IOException {
    List<String> values = new ArrayList<>();
    for (int i = from; i < to; i++) {
      values.add(TestLogs.text(i, 200));
      log.append(TestLogs.batch(TestLogs.text(i, 200)));
    }
    log.flush();
    return values;
  }

  @Test
  void copyOfAnOpenLogHoldsAllThatWasFlushed() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      List<String> values = fill(log, 0, 23);

      BackupCounts counts = copy("a");

      assertEquals(values, values("a"));
      assertEquals(log.snapshot().segmentCount(), counts.copiedSegments());
      assertEquals(log.snapshot().sizeBytes(), counts.copiedBytes());
    }
  }

  @Test
  void copyOfAnEmptyLogIsOne() throws IOException {
    TestLogs.create(disk).close();

    copy("a");

    assertEquals(List.of(), values("a"));
  }

  @Test
  void copyGoesOnFromWhereItWas() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      List<String> values = fill(log, 0, 7);
      PartitionBackup backup =
          PartitionBackup.begin(
              disk, TestLogs.DIRECTORY, COPIES.resolve("a"), TestLogs.TOPIC_ID, List.of(), 100, QUIET, PartitionBackup.newPiece());
      backup.copyTail();
      values.addAll(fill(log, 7, 9)); // into the same segment
      backup.copyTail();
      values.addAll(fill(log, 9, 31)); // which becomes a sealed one
      backup.copyTail();
      backup.finish();

      assertEquals(values, values("a"));
      assertEquals(log.snapshot().sizeBytes(), backup.counts().copiedBytes());
    }
  }

  @Test
  void sealedSegmentsThatDidNotChangeAreNotCopiedAgain() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      List<String> values = fill(log, 0, 23);
      copy("a");
      int sealed = log.snapshot().segmentCount() - 1;
      values.addAll(fill(log, 23, 40));

      BackupCounts counts = copy("b", "a");

      assertEquals(sealed, counts.linkedSegments());
      assertEquals(log.snapshot().segmentCount() - sealed, counts.copiedSegments());
      assertEquals(values, values("b"));
      assertEquals(values.subList(0, 23), values("a"));
    }
  }

  /** What a broker that is started on the older backup writes must not be in the newer one. */
  @Test
  void newestSegmentIsNeverShared() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      List<String> values = fill(log, 0, 7);
      copy("a");
      copy("b", "a");

      try (PartitionLog other = open(disk, "a")) {
        fill(other, 1000, 1003);
      }

      assertEquals(values, values("b"));
    }
  }

  @Test
  void segmentOfTheSameSizeThatWasWrittenAnewIsCopied() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      fill(log, 0, 23);
    }
    copy("a");
    LogTruncation.truncate(disk, TestLogs.DIRECTORY, 0);
    try (PartitionLog log = TestLogs.open(disk)) {
      for (int i = 0; i < 23; i++) {
        log.append(TestLogs.batch(TestLogs.text(i + 100, 200).substring(0, 200)));
        log.flush();
      }
      assertEquals(0, copy("b", "a").linkedSegments());
      assertEquals(TestLogs.values(log.snapshot()), values("b"));
    }
  }

  /** As when compaction happens to leave size, time and last batch: the only thing that tells is the bytes. */
  @Test
  void compactedLogIsComparedToTheLastByte() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      fill(log, 0, 23);
      new CleanedOffset(log.logEndOffset(), Long.MAX_VALUE).write(disk, new LogFiles(TestLogs.DIRECTORY));
      copy("a");
      int sealed = log.snapshot().segmentCount() - 1;
      Path first = COPIES.resolve("a").resolve("00000000000000000000.log");
      long modifiedMs = disk.lastModifiedMs(first);
      new FaultyDisk(disk).flipBit(first, 8 * 80);
      disk.setLastModifiedMs(first, modifiedMs);

      BackupCounts counts = copy("b", "a");

      assertEquals(sealed - 1, counts.linkedSegments());
      assertEquals(TestLogs.values(log.snapshot()), values("b"));
    }
  }

  @Test
  void fileSystemWithoutLinksGetsCopies() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      List<String> values = fill(log, 0, 23);
      copy("a");
      FaultyDisk noLinks = new FaultyDisk(disk);
      noLinks.failFrom(java.util.Set.of(FaultyDisk.Operation.LINK), "", 1);

      assertEquals(0, copy(noLinks, "b", "a").linkedSegments());
      assertEquals(values, values("b"));
    }
  }

  @Test
  void earlierCopyOfAnotherTopicIsOfNoUse() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      fill(log, 0, 23);
      copy("a");
      PartitionMetadata.write(disk, new LogFiles(COPIES.resolve("a")), new java.util.UUID(7, 7));

      assertEquals(0, copy("b", "a").linkedSegments());
    }
  }

  /** Retention in the restored broker goes by it. */
  @Test
  void copyKeepsTheTimesOfSegments() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      fill(log, 0, 23);
      Path name = Path.of("00000000000000000000.log");
      disk.setLastModifiedMs(TestLogs.DIRECTORY.resolve(name), 1_000_000);

      copy("a");

      assertEquals(1_000_000, disk.lastModifiedMs(COPIES.resolve("a").resolve(name)));
    }
  }

  @Test
  void deletedRecordsStayDeleted() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      List<String> values = fill(log, 0, 23);
      log.deleteRecordsBefore(11, () -> {});

      copy("a");

      assertEquals(values.subList(11, 23), values("a"));
    }
  }

  /** A crash between two steps of compaction's swap: the copy is what the next open would make of it. */
  @Test
  void swapThatACrashCutShortIsFinishedInTheCopy() throws IOException {
    LogFiles files = new LogFiles(TestLogs.DIRECTORY);
    List<String> values;
    try (PartitionLog log = TestLogs.create(disk)) {
      values = fill(log, 0, 23);
    }
    List<Path> logs = SegmentScan.logsOf(disk, TestLogs.DIRECTORY);
    long second = LogFiles.parse(logs.get(1).getFileName().toString()).orElseThrow().baseOffset();
    byte[] first = TestLogs.content(disk, logs.get(0));
    byte[] both = java.util.Arrays.copyOf(first, first.length + TestLogs.content(disk, logs.get(1)).length);
    System.arraycopy(TestLogs.content(disk, logs.get(1)), 0, both, first.length, both.length - first.length);
    TestLogs.setContent(disk, files.swap(0), both);
    disk.delete(files.log(second));

    copy("a");

    assertEquals(values, values("a"));
    assertFalse(disk.exists(new LogFiles(COPIES.resolve("a")).log(second)));
  }

  @Test
  void tornTailIsNotCopied() throws IOException {
    List<String> values;
    try (PartitionLog log = TestLogs.create(disk)) {
      values = fill(log, 0, 6);
    }
    List<Path> logs = SegmentScan.logsOf(disk, TestLogs.DIRECTORY);
    Path newest = logs.get(logs.size() - 1);
    byte[] content = TestLogs.content(disk, newest);
    TestLogs.setContent(disk, newest, java.util.Arrays.copyOf(content, content.length + 50));

    copy("a");

    assertEquals(values, values("a"));
    assertArrayEquals(content, TestLogs.content(disk, COPIES.resolve("a").resolve(newest.getFileName())));
  }

  @Test
  void damageOfWhatWasAcknowledgedIsSaid() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      fill(log, 0, 23);
    }
    List<Path> logs = SegmentScan.logsOf(disk, TestLogs.DIRECTORY);
    for (Path each : List.of(logs.get(1), logs.get(logs.size() - 1))) {
      new FaultyDisk(disk).flipBit(each, 8 * 100);

      LogDamagedException e = assertThrows(LogDamagedException.class, () -> copy("a"));

      assertEquals(each, e.file());
      assertTrue(e.getMessage().contains("CRC32C"), e.getMessage());
      new FaultyDisk(disk).flipBit(each, 8 * 100);
      PartitionBackup.discard(disk, COPIES.resolve("a"));
    }
  }

  @Test
  void missingSegmentIsSaid() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      fill(log, 0, 23);
    }
    List<Path> logs = SegmentScan.logsOf(disk, TestLogs.DIRECTORY);
    for (Path each : List.of(logs.get(0), logs.get(1), logs.get(logs.size() - 1))) {
      byte[] content = TestLogs.content(disk, each);
      disk.delete(each);

      assertThrows(LogDamagedException.class, () -> copy("a"), each.toString());

      TestLogs.setContent(disk, each, content);
      PartitionBackup.discard(disk, COPIES.resolve("a"));
    }
  }

  @Test
  void missingDirectoryIsToldFromDamage() {
    assertThrows(NoSuchFileException.class, () -> copy("a"));
  }

  @Test
  void producersAreRememberedInTheCopy() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      for (int i = 0; i < 30; i++) {
        log.append(TransactionLogs.numbered(77, 0, i, TestLogs.text(i, 200)).build());
      }
      log.flush();

      copy("a");

      try (PartitionLog copied = open(disk, "a")) {
        assertTrue(copied.check(TransactionLogs.numbered(77, 0, 29, "again").build()) instanceof ProducerCheck.Duplicate);
        assertEquals(ProducerCheck.Accepted.INSTANCE, copied.check(TransactionLogs.numbered(77, 0, 30, "next").build()));
      }
    }
  }

  @Test
  void abortedTransactionsStayAborted() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      for (int i = 0; i < 20; i++) {
        log.append(TransactionLogs.transactional(5, 0, i, TestLogs.text(i, 150)));
        log.append(i % 2 == 0 ? TransactionLogs.abort(5, 0) : TransactionLogs.commit(5, 0));
      }
      log.append(TransactionLogs.transactional(6, 0, 0, "open"));
      log.flush();

      copy("a");

      try (PartitionLog copied = open(disk, "a")) {
        assertEquals(TransactionLogs.readCommitted(log.snapshot(), 0), TransactionLogs.readCommitted(copied.snapshot(), 0));
        assertEquals(log.snapshot().lastStableOffset(), copied.snapshot().lastStableOffset());
      }
      assertTrue(disk.exists(new LogFiles(COPIES.resolve("a")).abortedIndex(0)));
    }
  }
}
