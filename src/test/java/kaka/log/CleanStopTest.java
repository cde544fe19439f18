package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batch;
import static kaka.log.TestLogs.batchAt;
import static kaka.log.TestLogs.content;
import static kaka.log.TestLogs.copy;
import static kaka.log.TestLogs.file;
import static kaka.log.TestLogs.setContent;
import static kaka.log.TestLogs.text;
import static kaka.log.TestLogs.values;
import static kaka.log.TransactionLogs.abort;
import static kaka.log.TransactionLogs.transactional;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import kaka.TestClock;
import kaka.TestSeed;
import kaka.log.CrashingDisk.Unsynced;
import kaka.log.FaultyDisk.Operation;
import kaka.record.BatchHeader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An ordered stop spares the next open the newest segment; whatever else happened does not, and is found as ever. */
class CleanStopTest {
  private static final LogConfig CONFIG = TestLogs.withSegmentBytes(64 * 1024);
  private static final Path SEGMENT = file("00000000000000000000.log");
  private static final Path STOP = file("clean-stop");
  private static final Path POINT = file("recovery-point");
  private static final int BATCHES = 30;
  private static final Clock CLOCK = new TestClock(5000);

  private final MemoryDisk disk = new MemoryDisk();
  private final List<String> stored = new ArrayList<>();

  private static PartitionLog open(Disk disk) throws IOException {
    return PartitionLog.open(disk, DIRECTORY, TOPIC_ID, CONFIG, CLOCK);
  }

  /** One segment: plain batches of growing timestamps, and of two producers an open and an aborted transaction. */
  @BeforeEach
  void aLogThatStopsInOrder() throws IOException {
    PartitionLog log = PartitionLog.create(disk, DIRECTORY, TOPIC_ID, CONFIG, CLOCK);
    for (int i = 0; i < BATCHES; i++) {
      stored.add(text(i, 50));
      log.append(batchAt(1000 + i / 2, stored.get(i)));
    }
    log.append(transactional(7, 0, 0, "open"));
    log.append(transactional(8, 0, 0, "aborted"));
    log.append(abort(8, 0));
    log.close();
  }

  private static final class ReadCounting extends ForwardingDisk {
    long readBytes;

    ReadCounting(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile openForWriting(Path path) throws IOException {
      DiskFile file = super.openForWriting(path);
      return path.equals(SEGMENT)
          ? new ForwardingFile(file) {
            @Override
            public int read(ByteBuffer target, long position) throws IOException {
              int count = super.read(target, position);
              readBytes += count;
              return count;
            }
          }
          : file;
    }
  }

  @Test
  void afterAnOrderedStopOneHeaderIsRead() throws IOException {
    ReadCounting counting = new ReadCounting(disk);

    PartitionLog log = open(counting);

    assertEquals(BatchHeader.SIZE, counting.readBytes);
    assertEquals(0, log.recovery().scannedBytes());
    assertTrue(log.isWritable());
    assertEquals(BATCHES + 3, log.logEndOffset());
    log.close();
    assertEquals(0, open(disk).recovery().scannedBytes(), "nothing was appended in between");
  }

  @Test
  void afterAnyOtherEndTheSegmentIsRead() throws IOException {
    open(disk).abandon();
    ReadCounting counting = new ReadCounting(disk);

    PartitionLog log = open(counting);

    long sizeBytes = content(disk, SEGMENT).length;
    assertTrue(counting.readBytes >= sizeBytes);
    assertEquals(sizeBytes, log.recovery().scannedBytes());
  }

  /** What is known without a scan is what a scan finds, now and when the segment has grown and is sealed. */
  @Test
  void theSegmentGoesOnAsAScannedOne() throws IOException {
    MemoryDisk scanned = copy(disk);
    scanned.delete(STOP);
    List<TreeMap<String, ByteBuffer>> files = new ArrayList<>();
    for (MemoryDisk each : List.of(disk, scanned)) {
      PartitionLog log = open(each);
      assertEquals(each == disk, log.recovery().scannedBytes() == 0);
      LogSnapshot snapshot = log.snapshot();
      assertEquals(BATCHES, snapshot.lastStableOffset());
      assertEquals(Optional.of(new TimedOffset(20, 1010)), snapshot.firstFrom(1010));
      assertTrue(log.hasOpenTransaction(7));
      assertFalse(log.hasOpenTransaction(8));
      assertInstanceOf(ProducerCheck.Duplicate.class, log.check(transactional(7, 0, 0, "open")));
      assertEquals(stored, TransactionLogs.readCommitted(snapshot, 0).values().stream().toList());
      log.append(abort(7, 0));
      for (int i = 0; log.snapshot().segmentCount() == 1; i++) {
        log.append(batchAt(i, text(i, 3000)));
        log.flush();
      }
      log.abandon();
      TreeMap<String, ByteBuffer> content = new TreeMap<>();
      for (String name : each.list(DIRECTORY)) {
        if (name.matches(".*\\.(log|index|timeindex|txnindex)")) {
          content.put(name, ByteBuffer.wrap(content(each, file(name))));
        }
      }
      files.add(content);
    }
    assertEquals(5, files.get(0).size(), files.get(0).keySet().toString());
    assertEquals(files.get(1), files.get(0));
  }

  /** Before anything else is changed, or a record could be appended. */
  @Test
  void theMarkIsGoneForGoodBeforeTheLogIsOpen() throws IOException {
    FaultyDisk counting = new FaultyDisk(disk);
    PartitionLog log = open(counting);

    List<String> changes =
        counting.calls().stream()
            .filter(call -> FaultyDisk.CHANGES.stream().anyMatch(change -> call.startsWith(change + " ")))
            .toList();
    assertEquals(List.of("DELETE clean-stop", "SYNC_DIRECTORY " + DIRECTORY), changes);
    log.abandon();
  }

  /** It does not come back over what a cut made of the segment either. */
  @Test
  void aMarkThatIsNotBelievedIsGoneBeforeATailIsCut() throws IOException {
    byte[] intact = content(disk, SEGMENT);
    byte[] torn = Arrays.copyOf(intact, intact.length + 9);
    torn[intact.length + 8] = 1;
    setContent(disk, SEGMENT, torn);
    FaultyDisk counting = new FaultyDisk(disk);

    PartitionLog log = open(counting);

    assertEquals(9, log.recovery().cutBytes());
    List<String> calls = counting.calls();
    int synced = calls.indexOf("SYNC_DIRECTORY " + DIRECTORY);
    assertEquals("DELETE clean-stop", calls.get(synced - 1));
    assertTrue(calls.stream().limit(synced).noneMatch(call -> call.startsWith("WRITE") || call.startsWith("CREATE")));
    assertFalse(disk.exists(STOP));
  }

  /** Opens what is left of the log; it must be read whole, and be all there. */
  private void assertScanned(MemoryDisk changed, String when) throws IOException {
    int sizeBytes = content(changed, SEGMENT).length;
    PartitionLog log = open(changed);
    assertEquals(sizeBytes, log.recovery().scannedBytes(), when);
    assertEquals(BATCHES + 3, log.logEndOffset(), when);
    assertEquals(stored, TransactionLogs.readCommitted(log.snapshot(), 0).values().stream().toList(), when);
    assertTrue(log.isWritable(), when);
    log.abandon();
    assertFalse(changed.isFile(STOP), when);
  }

  @Test
  void aMarkWithAnyBitWrongOrCutShortIsNotBelieved() throws IOException {
    byte[] intact = content(disk, STOP);
    for (int at = 0; at < intact.length; at++) {
      byte[] flipped = intact.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      for (byte[] content : List.of(flipped, Arrays.copyOf(intact, at))) {
        MemoryDisk damaged = copy(disk);
        setContent(damaged, STOP, content);
        assertScanned(damaged, "byte " + at);
      }
    }
    MemoryDisk huge = copy(disk);
    setContent(huge, STOP, Arrays.copyOf(intact, 8 * 1024 * 1024));
    FaultyDisk counting = new FaultyDisk(copy(huge));
    open(counting).abandon();
    assertEquals(0, counting.count(Operation.READ, "clean-stop"), "larger than it can be");
    assertScanned(huge, "longer");
  }

  @Test
  void aMarkOfAnotherStopIsNotBelieved() throws IOException {
    byte[] older = content(disk, STOP);
    PartitionLog log = open(disk);
    stored.add("later");
    log.append(batch("later"));
    log.append(abort(7, 0));
    log.close();
    byte[] newer = content(disk, STOP);

    for (byte[] content : List.of(older, newer)) {
      MemoryDisk restored = copy(disk);
      setContent(restored, STOP, content);
      PartitionLog reopened = open(restored);
      assertEquals(content == older, reopened.recovery().scannedBytes() > 0);
      assertEquals(BATCHES + 5, reopened.logEndOffset());
    }
  }

  /** The size and the offsets fit, the last batch is another one. */
  @Test
  void aMarkOfAnotherLogIsNotBelieved() throws IOException {
    MemoryDisk[] logs = {new MemoryDisk(), new MemoryDisk()};
    for (int i = 0; i < 2; i++) {
      PartitionLog log = TestLogs.create(logs[i]);
      log.append(batch("log " + i));
      log.close();
    }
    MemoryDisk mixed = copy(logs[0]);
    setContent(mixed, STOP, content(logs[1], STOP));

    assertEquals(0, TestLogs.open(logs[0]).recovery().scannedBytes());
    PartitionLog log = TestLogs.open(mixed);
    assertEquals(content(mixed, SEGMENT).length, log.recovery().scannedBytes());
    assertEquals(List.of("log 0"), values(log.snapshot()));
  }

  @Test
  void aMarkNeedsItsRecoveryPoint() throws IOException {
    MemoryDisk without = copy(disk);
    without.delete(POINT);
    assertScanned(without, "no recovery point");
    MemoryDisk older = copy(disk);
    ByteBuffer point = ByteBuffer.allocate(RecoveryPoint.SIZE);
    new RecoveryPoint(0, 0, 0).encode(point);
    setContent(older, POINT, point.array());
    assertScanned(older, "an older recovery point");
  }

  @Test
  void acknowledgedBytesThatAreMissingAreDamageAsEver() throws IOException {
    byte[] intact = content(disk, SEGMENT);
    setContent(disk, SEGMENT, Arrays.copyOf(intact, intact.length - 1));

    assertEquals(intact.length - 1, assertThrows(LogDamagedException.class, () -> open(disk)).position());

    assertTrue(disk.exists(STOP), "nothing was changed");
  }

  /** As in a sealed segment: whoever reads it is told, and so is who checks the files. */
  @Test
  void aBadByteIsFoundWhereItIsRead() throws IOException {
    byte[] damaged = content(disk, SEGMENT);
    damaged[100] ^= 1;
    setContent(disk, SEGMENT, damaged);

    List<Finding> findings = PartitionCheck.run(disk, DIRECTORY, Optional.of(TOPIC_ID), bytes -> {}).findings();
    PartitionLog log = open(disk);

    assertEquals(List.of(SEGMENT), findings.stream().filter(Finding::isWrong).map(Finding::file).toList());
    assertEquals(0, log.recovery().scannedBytes());
    assertThrows(IOException.class, () -> values(log.snapshot()));
    log.abandon();
    assertThrows(LogDamagedException.class, () -> open(disk), "after a crash, as ever");
  }

  /** Nothing may be appended while the next open could believe it. */
  @Test
  void aMarkThatCannotBeTakenBackMakesTheLogReadOnly() throws IOException {
    for (Operation operation : List.of(Operation.DELETE, Operation.SYNC_DIRECTORY)) {
      MemoryDisk found = copy(disk);
      FaultyDisk failing = new FaultyDisk(found);
      failing.failFrom(Set.of(operation), "", 1);

      try (PartitionLog log = open(failing)) {
        assertFalse(log.isWritable());
        assertEquals(BATCHES + 3, log.logEndOffset());
        assertThrows(IOException.class, () -> log.append(batch("more")));
      }
      assertArrayEquals(content(disk, SEGMENT), content(found, SEGMENT));
      failing.heal();
      assertTrue(open(failing).isWritable());
    }
  }

  @Test
  void aStopOnAFullDiskLeavesNoMarkAndIsAStop() throws IOException {
    FaultyDisk full = new FaultyDisk(disk);
    PartitionLog log = open(full);
    full.setUsableBytes(1000);
    log.close();
    assertFalse(disk.exists(STOP));
    full.setUsableBytes(-1);

    for (Operation operation : List.of(Operation.CREATE, Operation.WRITE, Operation.SYNC, Operation.MOVE)) {
      log = open(full);
      full.failNext(operation, "clean-stop.tmp");
      log.close();
      full.heal();
      assertEquals(0, full.openCount());
      assertScanned(copy(disk), operation.toString());
    }
    open(full).abandon();
    assertFalse(disk.exists(file("clean-stop.tmp")));
  }

  @Test
  void whatIsNoFileIsLeftAlone() throws IOException {
    disk.delete(STOP);
    disk.createDirectory(STOP);

    PartitionLog log = open(disk);
    assertTrue(log.isWritable());
    log.close();

    assertTrue(disk.isDirectory(STOP));
  }

  @Test
  void checkNamesADamagedMarkAndOneOfAnotherStop() throws IOException {
    assertEquals(List.of(), PartitionCheck.run(disk, DIRECTORY, Optional.of(TOPIC_ID), bytes -> {}).findings());

    byte[] intact = content(disk, STOP);
    byte[] damaged = intact.clone();
    damaged[50] ^= 1;
    setContent(disk, STOP, damaged);
    List<Finding> findings = PartitionCheck.run(disk, DIRECTORY, Optional.of(TOPIC_ID), bytes -> {}).findings();
    assertEquals(List.of(STOP), findings.stream().map(Finding::file).toList());
    assertTrue(findings.get(0).isWrong());

    PartitionLog log = open(disk);
    log.append(batch("later"));
    log.close();
    setContent(disk, STOP, intact);
    findings = PartitionCheck.run(disk, DIRECTORY, Optional.of(TOPIC_ID), bytes -> {}).findings();
    assertEquals(List.of(STOP), findings.stream().map(Finding::file).toList());
    assertFalse(findings.get(0).isWrong());
  }

  @Test
  void toolsThatChangeTheLogTakeTheMarkBackFirst() throws IOException {
    MemoryDisk truncated = copy(disk);
    FaultyDisk counting = new FaultyDisk(truncated);
    LogTruncation.truncate(counting, DIRECTORY, BATCHES);
    List<String> calls = counting.calls();
    int deleted = calls.indexOf("DELETE clean-stop");
    assertEquals("SYNC_DIRECTORY " + DIRECTORY, calls.get(deleted + 1));
    assertTrue(calls.stream().limit(deleted).noneMatch(call -> call.startsWith("WRITE")), calls.toString());
    assertEquals(BATCHES, open(truncated).logEndOffset());

    Reindexing.run(disk, DIRECTORY, 100, bytes -> {});
    assertScanned(disk, "reindexed");
  }

  /** Stops and starts, the power goes at every change: what the mark then says is what a scan finds. */
  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void aMarkNeverSurvivesAWrite(Unsynced unsynced) throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    int believed = 0;
    boolean cut;
    int n = 0;
    do {
      n++;
      CrashingDisk power = new CrashingDisk();
      FaultyDisk dying = new FaultyDisk(power);
      dying.failFrom(FaultyDisk.CHANGES, "", n);
      boolean created = false;
      try {
        PartitionLog log = TestLogs.create(dying);
        created = true;
        for (int stop = 0; stop < 3; stop++) {
          for (int i = 0; i < 3; i++) {
            log.append(batch(text(i, 100 + 50 * stop)));
            log.flush();
          }
          log.close();
          log = TestLogs.open(dying);
        }
        log.close();
      } catch (IOException e) { // the power is gone
      }
      cut = dying.failureCount() > 0;
      CrashingDisk found = power.afterPowerCut(unsynced, random);
      if (created) {
        String when = "change " + n + ", seed " + seed;
        MemoryDisk scanned = copy(found);
        boolean isMarked = scanned.exists(STOP);
        if (isMarked) {
          scanned.delete(STOP);
        }
        try (PartitionLog log = TestLogs.open(copy(found));
            PartitionLog expected = TestLogs.open(scanned)) {
          believed += isMarked ? 1 : 0;
          assertEquals(isMarked ? 0 : expected.recovery().scannedBytes(), log.recovery().scannedBytes(), when);
          assertEquals(expected.logEndOffset(), log.logEndOffset(), when);
          assertEquals(values(expected.snapshot()), values(log.snapshot()), when);
        }
      }
    } while (cut);
    assertTrue(n > 60 && believed >= 4, n + " changes, " + believed + " marks believed");
  }

  /** The table's first row; each thing it asks for, missing. */
  @Test
  void onlyTheWholeRowIsACleanStop() {
    CleanStop stop =
        new CleanStop(
            50, 300, 60, 0, ByteBuffer.allocate(0), new SegmentIndex(50, 100), new AbortedIndex(), new ProducerState());

    assertTrue(TailDecision.isCleanStop(stop, Optional.of(new RecoveryPoint(50, 300, 60)), 50, 300));
    assertFalse(TailDecision.isCleanStop(stop, Optional.empty(), 50, 300));
    assertFalse(TailDecision.isCleanStop(stop, Optional.of(new RecoveryPoint(20, 300, 60)), 50, 300));
    assertFalse(TailDecision.isCleanStop(stop, Optional.of(new RecoveryPoint(50, 200, 60)), 50, 300));
    assertFalse(TailDecision.isCleanStop(stop, Optional.of(new RecoveryPoint(50, 300, 59)), 50, 300));
    assertFalse(TailDecision.isCleanStop(stop, Optional.of(new RecoveryPoint(50, 300, 60)), 60, 300));
    assertFalse(TailDecision.isCleanStop(stop, Optional.of(new RecoveryPoint(50, 300, 60)), 50, 301));
    assertFalse(TailDecision.isCleanStop(stop, Optional.of(new RecoveryPoint(50, 300, 60)), 50, 299));
  }
}
