package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batch;
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
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an open, and an operator's tools, make of zeros behind the newest segment's batches: room, if no more than that. */
class ZeroedRecoveryTest {
  private static final Path SEGMENT = file("00000000000000000000.log");
  private static final Path POINT = file("recovery-point");
  private static final int BLOCK = 4096;
  private static final LogConfig CONFIG = TestLogs.withSegmentBytes(1 << 20);

  private final MemoryDisk disk = new MemoryDisk();
  private final List<String> flushed = new ArrayList<>();
  private int end;
  private byte[] stored;

  /** A broker that was killed: three commits, and zeros behind them. */
  @BeforeEach
  void killed() throws IOException {
    PartitionLog log = PartitionLog.create(disk, DIRECTORY, TOPIC_ID, CONFIG, Clock.systemUTC());
    for (int i = 0; i < 3; i++) {
      flushed.add(text(i, 900));
      log.append(batch(flushed.get(i)));
      log.flush();
    }
    end = (int) log.snapshot().sizeBytes();
    log.abandon();
    stored = content(disk, SEGMENT);
    assertTrue(stored.length > end);
  }

  private static PartitionLog open(Disk of) throws IOException {
    return PartitionLog.open(of, DIRECTORY, TOPIC_ID, CONFIG, Clock.systemUTC());
  }

  private static List<String> cutFiles(Disk of) throws IOException {
    return of.list(DIRECTORY).stream().filter(name -> name.endsWith(".cut")).toList();
  }

  @Test
  void zerosBehindTheLastBatchAreCutWithoutAWord() throws IOException {
    for (int zeros : new int[] {1, 2, 60, 61, 62, 4095, 4096, 300_000}) {
      MemoryDisk found = copy(disk);
      setContent(found, SEGMENT, Arrays.copyOf(stored, end + zeros));

      List<String> warnings =
          new WarnLog()
              .during(
                  () -> {
                    try (PartitionLog log = open(found)) {
                      assertEquals(flushed, values(log.snapshot()));
                      assertEquals(end, log.snapshot().sizeBytes());
                      assertEquals(end, content(found, SEGMENT).length);
                      assertEquals(0, log.recovery().cutBytes());
                      assertEquals(Optional.empty(), log.recovery().cutFile());
                    }
                  });

      assertEquals(List.of(), warnings, zeros + " zeros");
      assertEquals(List.of(), cutFiles(found));
    }
  }

  /**
   * A commit of many batches over zeros; of its blocks any may have reached the disk, a later one without those before it. What is
   * whole from its start on is kept, the rest is torn, and kept aside but for the zeros behind it.
   */
  @Test
  void aCommitOfWhichAnyBlocksAreThereIsTornWhereTheFirstIsMissing() throws IOException {
    List<String> all = new ArrayList<>(flushed);
    List<Integer> ends = new ArrayList<>(List.of(end));
    MemoryDisk complete = copy(disk);
    setContent(complete, SEGMENT, Arrays.copyOf(stored, 8 * BLOCK));
    PartitionLog log = open(complete);
    while (log.snapshot().sizeBytes() < 5 * BLOCK) {
      all.add(text(all.size(), 700));
      log.append(batch(all.get(all.size() - 1)));
      log.write();
      ends.add((int) log.snapshot().sizeBytes());
    }
    log.abandon();
    byte[] whole = Arrays.copyOf(content(complete, SEGMENT), 8 * BLOCK);

    for (int blocks = 0; blocks < 1 << 6; blocks++) {
      byte[] torn = Arrays.copyOf(Arrays.copyOf(stored, end), 8 * BLOCK);
      for (int i = 0; i < 6; i++) {
        if ((blocks & 1 << i) != 0) {
          int from = Math.max(end, i * BLOCK);
          System.arraycopy(whole, from, torn, from, (i + 1) * BLOCK - from);
        }
      }
      int intact = 0;
      while (intact + 1 < ends.size() && Arrays.equals(whole, 0, ends.get(intact + 1), torn, 0, ends.get(intact + 1))) {
        intact++;
      }
      int kept = ends.get(intact);
      int content = torn.length;
      while (content > kept && torn[content - 1] == 0) {
        content--;
      }
      MemoryDisk found = copy(disk);
      setContent(found, SEGMENT, torn);

      try (PartitionLog recovered = open(found)) {
        String when = "blocks " + Integer.toBinaryString(blocks);
        assertEquals(all.subList(0, 3 + intact), values(recovered.snapshot()), when);
        assertEquals(kept, content(found, SEGMENT).length, when);
        if (content == kept) {
          assertEquals(List.of(), cutFiles(found), when);
        } else {
          byte[] aside = content(found, file("00000000000000000000." + kept + ".cut"));
          assertTrue(aside.length >= content - kept && aside.length < content - kept + BLOCK, when + ": " + aside.length);
          assertArrayEquals(Arrays.copyOfRange(torn, kept, kept + aside.length), aside, when);
          assertEquals(aside.length, recovered.recovery().cutBytes(), when);
        }
      }
    }
  }

  /** Zeros where acknowledged batches were are damage, whatever follows; nothing is changed. */
  @Test
  void zerosBelowTheRecoveryPointAreDamage() throws IOException {
    for (int from = 0; from < end; from += 61) {
      byte[] damaged = stored.clone();
      Arrays.fill(damaged, from, end, (byte) 0);
      if (Arrays.equals(damaged, stored)) {
        continue;
      }
      setContent(disk, SEGMENT, damaged);

      LogDamagedException e = assertThrows(LogDamagedException.class, () -> open(disk));

      assertTrue(e.position() <= from, e.position() + " from " + from);
      assertArrayEquals(damaged, content(disk, SEGMENT));
    }
  }

  /** Nobody knows then whether an acknowledged batch was where the zeros are. */
  @Test
  void zerosAreDamageWhereTheRecoveryPointIsMissing() throws IOException {
    disk.delete(POINT);

    LogDamagedException e = assertThrows(LogDamagedException.class, () -> open(disk));

    assertEquals(end, e.position());
    assertArrayEquals(stored, content(disk, SEGMENT));
    assertEquals(Finding.Level.DAMAGE, check().get(1).level());
    LogTruncation.truncate(disk, DIRECTORY, 3);
    try (PartitionLog log = open(disk)) {
      assertEquals(flushed, values(log.snapshot()), "as the advice says");
    }
  }

  /** A process crash, another, with nothing appended; a full disk, on which the zeros stay and the log opens for reading. */
  @Test
  void zerosThatCannotBeCutStayAndTheLogOpensForReading() throws IOException {
    FaultyDisk faulty = new FaultyDisk(disk);
    faulty.failNext(FaultyDisk.Operation.TRUNCATE, ".log");
    try (PartitionLog log = open(faulty)) {
      assertEquals(false, log.isWritable());
      assertEquals(flushed, values(log.snapshot()));
    }
    assertArrayEquals(stored, content(disk, SEGMENT));

    try (PartitionLog log = open(faulty)) {
      assertTrue(log.isWritable());
      assertEquals(flushed, values(log.snapshot()));
    }
  }

  /** No crash leaves that, see {@link SegmentRoll}: it is not taken for less than it may be. */
  @Test
  void aSealedSegmentWithZerosAtItsEndIsDamaged() throws IOException {
    MemoryDisk sealed = new MemoryDisk();
    try (PartitionLog log = TestLogs.create(sealed)) {
      for (int i = 0; i < 20; i++) {
        log.append(batch(text(i, 100)));
        log.flush();
      }
    }
    byte[] whole = content(sealed, SEGMENT);
    setContent(sealed, SEGMENT, Arrays.copyOf(whole, whole.length + 100));

    LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(sealed));

    assertEquals(whole.length, e.position());
    Finding finding = PartitionCheck.run(sealed, DIRECTORY, Optional.of(TOPIC_ID), bytes -> {}).findings().get(0);
    assertEquals(SEGMENT, finding.file());
    assertEquals(Finding.Level.DAMAGE, finding.level());
    assertEquals(whole.length, finding.position());
  }

  private List<Finding> check() throws IOException {
    return PartitionCheck.run(disk, DIRECTORY, Optional.of(TOPIC_ID), bytes -> {}).findings();
  }

  @Test
  void aCheckFindsNothingAndADumpNamesTheZeros() throws IOException {
    assertEquals(List.of(), check());

    List<SegmentScan.Piece> pieces = new ArrayList<>();
    try (SegmentScan scan = SegmentScan.open(disk, SEGMENT)) {
      for (Optional<SegmentScan.Piece> piece = scan.next(); piece.isPresent(); piece = scan.next()) {
        pieces.add(piece.get());
      }
    }

    assertEquals(4, pieces.size());
    assertEquals(new SegmentScan.Zeroed(end, stored.length - end), pieces.get(3));
  }

  @Test
  void aTornCommitInZerosIsWhatACheckSaysOfThem() throws IOException {
    byte[] torn = stored.clone();
    torn[end + 10] = 1;
    setContent(disk, SEGMENT, torn);

    List<Finding> findings = check();

    assertEquals(1, findings.size());
    assertEquals(Finding.Level.NOTE, findings.get(0).level());
    int blockBytes = Math.min(torn.length, ((end + 10) / BLOCK + 1) * BLOCK) - end;
    assertTrue(findings.get(0).what().startsWith(blockBytes + " bytes after"), findings.get(0).what());
  }

  @Test
  void truncatingToTheEndTakesTheZerosOffAndKeepsNothing() throws IOException {
    assertEquals(0, LogTruncation.bytesAfter(disk, DIRECTORY, 3));

    LogTruncation.Result result = LogTruncation.truncate(disk, DIRECTORY, 3);

    assertEquals(new LogTruncation.Result(3, 0, List.of()), result);
    assertArrayEquals(Arrays.copyOf(stored, end), content(disk, SEGMENT));
    try (PartitionLog log = open(disk)) {
      assertEquals(flushed, values(log.snapshot()));
    }
  }

  @Test
  void truncatingKeepsWhatIsCutWithoutTheZeros() throws IOException {
    byte[] more = Arrays.copyOf(stored, end + 100_000);
    setContent(disk, SEGMENT, more);
    long expected = LogTruncation.bytesAfter(disk, DIRECTORY, 2);

    LogTruncation.Result result = LogTruncation.truncate(disk, DIRECTORY, 2);

    assertEquals(expected, result.cutBytes());
    byte[] kept = content(disk, result.kept().get(0));
    assertEquals(expected, kept.length);
    int position = content(disk, SEGMENT).length;
    assertTrue(kept.length >= end - position && kept.length < end - position + BLOCK, kept.length + " kept");
    try (SegmentScan scan = SegmentScan.open(disk, result.kept().get(0))) {
      assertEquals(2, ((SegmentScan.Whole) scan.next().orElseThrow()).baseOffset());
    }
    try (PartitionLog log = open(disk)) {
      assertEquals(flushed.subList(0, 2), values(log.snapshot()));
    }
  }

  @Test
  void reindexingLeavesTheZerosToTheNextOpen() throws IOException {
    assertEquals(0, Reindexing.run(disk, DIRECTORY, 4096, bytes -> {}));

    try (PartitionLog log = open(disk)) {
      assertEquals(flushed, values(log.snapshot()));
      assertEquals(end, content(disk, SEGMENT).length);
    }
  }

  /** A kaka's directory is one of Kafka's, by its segments: an import says what to do with a killed one's. */
  @Test
  void anImportAsksForAStopInOrder() throws IOException {
    KafkaPartition killed = KafkaPartition.open(disk, DIRECTORY);

    IOException e = assertThrows(IOException.class, () -> PartitionImport.check(killed, bytes -> {}));

    assertTrue(e.getMessage().contains("at byte " + end + ": zeros instead of a batch"), e.getMessage());
    assertTrue(e.getMessage().endsWith("Start once, and stop, the broker that wrote it: it takes them off"), e.getMessage());
    open(disk).close();
    assertEquals(3, PartitionImport.check(KafkaPartition.open(disk, DIRECTORY), bytes -> {}).endOffset());
  }
}
