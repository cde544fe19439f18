package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.batchAt;
import static kaka.log.TestLogs.content;
import static kaka.log.TestLogs.copy;
import static kaka.log.TestLogs.file;
import static kaka.log.TestLogs.setContent;
import static kaka.log.TestLogs.text;
import static kaka.log.TestLogs.values;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import kaka.TestRounds;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator does to a closed log: look, check, cut, index anew. */
class LogToolsTest {
  private MemoryDisk disk;
  private final List<String> values = new ArrayList<>();
  private List<Path> logs;

  /** Four segments or more of batches of two records. */
  @BeforeEach
  void severalSegments() throws IOException {
    disk = new MemoryDisk();
    try (PartitionLog log = TestLogs.create(disk)) {
      for (int i = 0; i < 30; i++) {
        values.add(text(2 * i, 30));
        values.add(text(2 * i + 1, 40));
        log.append(batchAt(1000 + i, values.get(2 * i), values.get(2 * i + 1)));
        log.flush();
      }
    }
    logs = SegmentScan.logsOf(disk, DIRECTORY);
    assertTrue(logs.size() > 3);
  }

  private List<Finding> check(Disk of) throws IOException {
    return PartitionCheck.run(of, DIRECTORY, Optional.of(TestLogs.TOPIC_ID), bytes -> {}).findings();
  }

  private static List<SegmentScan.Piece> scan(Disk disk, Path log) throws IOException {
    List<SegmentScan.Piece> pieces = new ArrayList<>();
    try (SegmentScan scan = SegmentScan.open(disk, log)) {
      for (Optional<SegmentScan.Piece> piece = scan.next(); piece.isPresent(); piece = scan.next()) {
        pieces.add(piece.get());
      }
    }
    return pieces;
  }

  /** The other slot serves, so nothing is refused; but one more damage would be too much, and the operator must know. */
  @Test
  void checkSeesThatOneSlotOfTheLogStartIsZeros() throws IOException {
    Path logStart = file("log-start-offset");
    assertEquals(List.of(), check(disk));
    byte[] intact = content(disk, logStart);

    for (int slot = 0; slot < 2; slot++) {
      byte[] damaged = intact.clone();
      Arrays.fill(damaged, slot * 4096, (slot + 1) * 4096, (byte) 0);
      setContent(disk, logStart, damaged);

      assertEquals(List.of(logStart), check(disk).stream().map(Finding::file).toList(), "slot " + slot);
      TestLogs.open(disk).close();
    }
  }

  /** Whatever bit flips in whatever file: the check names that file, and an intact directory has no finding. */
  @Test
  void everyFlippedBitIsFound() throws IOException {
    assertEquals(List.of(), check(disk));
    for (String name : disk.list(DIRECTORY)) {
      byte[] intact = content(disk, file(name));
      int stride = intact.length > 4096 ? 67 * 5 : intact.length > 200 ? 29 * 5 : 1; // no factor in common with 8
      for (int bit = 0; bit < intact.length * 8; bit += TestRounds.stride(stride)) {
        byte[] flipped = intact.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        setContent(disk, file(name), flipped);
        String when = name + " bit " + bit;

        List<Finding> wrong = check(disk).stream().filter(Finding::isWrong).toList();

        assertTrue(wrong.stream().anyMatch(f -> f.file().equals(file(name)) && !f.advice().isEmpty()), when + ": " + wrong);
      }
      setContent(disk, file(name), intact);
    }
  }

  @Test
  void scanGoesOnBehindDamageAndSaysWhichOffsetsItTook() throws IOException {
    List<SegmentScan.Piece> intact = scan(disk, logs.get(1));
    SegmentScan.Whole second = (SegmentScan.Whole) intact.get(1);
    byte[] bytes = content(disk, logs.get(1));
    java.util.Arrays.fill(bytes, (int) second.position() + 20, (int) second.position() + second.sizeBytes() + 10, (byte) 0);
    setContent(disk, logs.get(1), bytes); // the second batch, and the third's header

    List<SegmentScan.Piece> pieces = scan(disk, logs.get(1));

    assertEquals(intact.get(0), pieces.get(0));
    SegmentScan.Damaged damaged = (SegmentScan.Damaged) pieces.get(1);
    assertEquals(second.position(), damaged.position());
    assertEquals(OptionalLong.of(second.baseOffset()), damaged.firstOffset());
    assertEquals(OptionalLong.of(second.baseOffset() + 4), damaged.nextOffset());
    assertEquals(intact.subList(3, intact.size()), pieces.subList(2, pieces.size()));
  }

  @Test
  void checkTellsATornTailFromDamage() throws IOException {
    disk.delete(file("clean-stop")); // a crash leaves none
    Path newest = logs.get(logs.size() - 1);
    byte[] bytes = content(disk, newest);
    byte[] longer = java.util.Arrays.copyOf(bytes, bytes.length + 9);
    longer[bytes.length + 8] = 1;
    setContent(disk, newest, longer);

    List<Finding> torn = check(disk);

    assertEquals(1, torn.size(), torn.toString());
    assertEquals(Finding.Level.NOTE, torn.get(0).level());
    setContent(disk, newest, java.util.Arrays.copyOf(bytes, bytes.length - 9));
    assertEquals(Finding.Level.DAMAGE, check(disk).get(0).level());
  }

  @Test
  void truncateKeepsWhatIsBeforeAndPutsTheRestAside() throws IOException {
    for (int toOffset = 0; toOffset <= values.size(); toOffset += 2) {
      MemoryDisk copy = copy(disk);
      long bytesBefore = PartitionCheck.logBytes(copy, DIRECTORY);
      long announced = LogTruncation.bytesAfter(copy, DIRECTORY, toOffset);

      LogTruncation.Result result = LogTruncation.truncate(copy, DIRECTORY, toOffset);

      assertEquals(announced, result.cutBytes(), "to " + toOffset);
      assertEquals(bytesBefore, PartitionCheck.logBytes(copy, DIRECTORY) + sizes(copy, result.kept()));
      assertTrue(check(copy).stream().noneMatch(Finding::isWrong), "to " + toOffset + ": " + check(copy));
      try (PartitionLog log = TestLogs.open(copy)) {
        assertEquals(values.subList(0, toOffset), values(log.snapshot()), "to " + toOffset);
        assertEquals(0, log.recovery().cutBytes());
        assertEquals(toOffset, log.append(batchAt(5000, "next")));
        log.flush();
      }
    }
  }

  /** Also where no older segment is left to rebuild it from, since the records before were deleted. */
  @Test
  void truncateLeavesWhatIsRememberedOfProducers() throws IOException {
    RecordBatch numbered = new RecordBatchBuilder(64).producer(7, (short) 0, 0).append(1, null, new byte[] {1}, List.of()).build();
    try (PartitionLog log = TestLogs.open(disk)) {
      log.append(numbered);
      log.flush();
      log.deleteRecordsBefore(RecordsDeletion.ALL, () -> {});
      log.append(batchAt(5000, "given up"));
      log.flush();
    }

    LogTruncation.truncate(disk, DIRECTORY, values.size() + 1);

    try (PartitionLog log = TestLogs.open(disk)) {
      assertEquals(values.size() + 1, log.logEndOffset());
      assertEquals(new ProducerCheck.Duplicate(values.size()), log.check(numbered));
    }
  }

  private static long sizes(Disk disk, List<Path> files) throws IOException {
    long bytes = 0;
    for (Path path : files) {
      bytes += content(disk, path).length;
    }
    return bytes;
  }

  @Test
  void truncateRefusesWhatIsNoEndOfABatchAndChangesNothing() throws IOException {
    List<String> before = disk.list(DIRECTORY);
    IllegalArgumentException inside =
        assertThrows(IllegalArgumentException.class, () -> LogTruncation.truncate(disk, DIRECTORY, 7));
    assertTrue(inside.getMessage().contains("6 or 8"), inside.getMessage());
    IllegalArgumentException beyond =
        assertThrows(IllegalArgumentException.class, () -> LogTruncation.truncate(disk, DIRECTORY, values.size() + 1));
    assertTrue(beyond.getMessage().contains("up to offset " + values.size()), beyond.getMessage());
    assertEquals(before, disk.list(DIRECTORY));
  }

  /** Dies at every change: then no byte is lost, nothing wrong is shown, and the same call finishes. */
  @Test
  void interruptedTruncateLosesNothingAndCanBeFinished() throws IOException {
    int toOffset = 22;
    for (int nth = 1; ; nth++) {
      FaultyDisk faulty = new FaultyDisk(copy(disk));
      faulty.failFrom(FaultyDisk.CHANGES, "", nth);
      boolean interrupted = false;
      try {
        LogTruncation.truncate(faulty, DIRECTORY, toOffset);
      } catch (IOException e) {
        interrupted = true;
      }
      faulty.heal();
      try (PartitionLog log = TestLogs.open(copy(faulty))) {
        List<String> shown = values(log.snapshot());
        assertTrue(shown.size() >= toOffset, "change " + nth);
        assertEquals(values.subList(0, shown.size()), shown, "change " + nth);
      } catch (LogDamagedException e) {
        assertTrue(interrupted, e.getMessage()); // a segment is aside already, the next one not: finish it
      }
      LogTruncation.truncate(faulty, DIRECTORY, toOffset);
      try (PartitionLog log = TestLogs.open(faulty)) {
        assertEquals(values.subList(0, toOffset), values(log.snapshot()), "change " + nth);
      }
      if (!interrupted) {
        assertTrue(nth > 10, "only " + nth + " changes were failed");
        return;
      }
    }
  }

  @Test
  void reindexWritesTheIndexesAsTheyWere() throws IOException {
    MemoryDisk bad = copy(disk);
    for (String name : bad.list(DIRECTORY)) {
      if (name.endsWith("index")) {
        setContent(bad, file(name), new byte[16 * 3]);
      }
    }
    assertTrue(check(bad).stream().anyMatch(Finding::isWrong));

    assertEquals(logs.size() - 1, Reindexing.run(bad, DIRECTORY, TestLogs.CONFIG.indexIntervalBytes(), bytes -> {}));

    assertEquals(List.of(), check(bad));
    disk.delete(file("clean-stop")); // it has an index, too
    assertEquals(disk.list(DIRECTORY), bad.list(DIRECTORY));
    for (String name : disk.list(DIRECTORY)) {
      assertArrayEquals(content(disk, file(name)), content(bad, file(name)), name);
    }
  }

  @Test
  void reindexStopsAtADamagedSegment() throws IOException {
    byte[] bytes = content(disk, logs.get(1));
    bytes[bytes.length / 2] ^= 1;
    setContent(disk, logs.get(1), bytes);

    LogDamagedException e =
        assertThrows(LogDamagedException.class, () -> Reindexing.run(disk, DIRECTORY, 100, count -> {}));

    assertEquals(logs.get(1), e.file());
  }
}
