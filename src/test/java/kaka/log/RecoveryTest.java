package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.batch;
import static kaka.log.TestLogs.content;
import static kaka.log.TestLogs.copy;
import static kaka.log.TestLogs.file;
import static kaka.log.TestLogs.setContent;
import static kaka.log.TestLogs.text;
import static kaka.log.TestLogs.values;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import kaka.log.FaultyDisk.Operation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The newest segment after a crash: what is torn is cut and kept aside, what is damaged stops the open. */
class RecoveryTest {
  private static final Path SEGMENT = file("00000000000000000000.log");
  private static final Path POINT = file("recovery-point");
  private static final List<String> VALUES = List.of("a", "b", "c", "d", "e", "f");

  private MemoryDisk disk;
  private final List<Integer> ends = new ArrayList<>(); // of the batches, each of two records
  private byte[] pointAfterFirst;

  /** Three batches of two records, each flushed; not closed, and no zeros behind them: those are {@link ZeroedRecoveryTest}'s. */
  @BeforeEach
  void threeBatches() throws IOException {
    disk = new MemoryDisk();
    PartitionLog log = TestLogs.createWithoutZeros(disk);
    for (int i = 0; i < VALUES.size(); i += 2) {
      log.append(batch(VALUES.get(i), VALUES.get(i + 1)));
      log.flush();
      ends.add((int) log.snapshot().sizeBytes());
      if (i == 0) {
        pointAfterFirst = content(disk, POINT);
      }
    }
  }

  /** Bytes of the whole batches in the first {@code sizeBytes}. */
  private int wholeBytes(int sizeBytes) {
    return ends.stream().filter(end -> end <= sizeBytes).reduce(0, Math::max);
  }

  private int wholeRecords(int sizeBytes) {
    return (int) ends.stream().filter(end -> end <= sizeBytes).count() * 2;
  }

  private static byte[] withTail(byte[] intact, int... tail) {
    byte[] torn = Arrays.copyOf(intact, intact.length + tail.length);
    for (int i = 0; i < tail.length; i++) {
      torn[intact.length + i] = (byte) tail[i];
    }
    return torn;
  }

  /** A crash can leave any prefix of what no sync covered, so every prefix is tried. */
  @Test
  void openKeepsWholeBatchesAndCutsTheTornTail() throws IOException {
    byte[] intact = content(disk, SEGMENT);
    setContent(disk, POINT, pointAfterFirst);

    for (int sizeBytes = ends.get(0); sizeBytes <= intact.length; sizeBytes++) {
      String when = "cut to " + sizeBytes;
      MemoryDisk crashed = copy(disk);
      setContent(crashed, SEGMENT, Arrays.copyOf(intact, sizeBytes));
      int whole = wholeBytes(sizeBytes);

      try (PartitionLog log = TestLogs.open(crashed)) {
        assertEquals(VALUES.subList(0, wholeRecords(sizeBytes)), values(log.snapshot()), when);
        boolean isTorn = !Arrays.equals(new byte[sizeBytes - whole], Arrays.copyOfRange(intact, whole, sizeBytes)); // not zeros only
        assertEquals(isTorn ? sizeBytes - whole : 0, log.recovery().cutBytes(), when);
        assertArrayEquals(Arrays.copyOf(intact, whole), content(crashed, SEGMENT), when);
        assertEquals(isTorn, log.recovery().cutFile().isPresent(), when);
        if (isTorn) {
          Path cut = file("00000000000000000000." + whole + ".cut");
          assertEquals(Optional.of(cut), log.recovery().cutFile(), when);
          assertArrayEquals(Arrays.copyOfRange(intact, whole, sizeBytes), content(crashed, cut), when);
        }
        assertEquals(wholeRecords(sizeBytes), log.append(batch("next")), when);
        log.flush();
      }
      try (PartitionLog log = TestLogs.open(crashed)) {
        assertEquals(wholeRecords(sizeBytes) + 1, log.logEndOffset(), when);
        assertEquals(0, log.recovery().scannedBytes(), when);
      }
    }
  }

  /** Shorter than the recovery point: acknowledged bytes are gone, and no cut may hide that. */
  @Test
  void openRefusesASegmentThatEndsBeforeTheRecoveryPoint() throws IOException {
    byte[] intact = content(disk, SEGMENT);

    for (int sizeBytes = 0; sizeBytes < intact.length; sizeBytes++) {
      MemoryDisk damaged = copy(disk);
      setContent(damaged, SEGMENT, Arrays.copyOf(intact, sizeBytes));

      LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(damaged));

      assertEquals(SEGMENT, e.file());
      assertEquals(sizeBytes, e.position());
      assertArrayEquals(Arrays.copyOf(intact, sizeBytes), content(damaged, SEGMENT), "nothing was changed");
    }
  }

  /** Every bit counts: before the recovery point a flipped one is damage, after it the end of what can be kept. */
  @Test
  void everyFlippedBitIsDamageBeforeTheRecoveryPointAndATornTailAfterIt() throws IOException {
    byte[] intact = content(disk, SEGMENT);
    setContent(disk, POINT, pointAfterFirst);

    for (int bit = 0; bit < intact.length * 8; bit++) {
      byte[] flipped = intact.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      setContent(disk, SEGMENT, flipped);
      MemoryDisk found = bit / 8 < ends.get(0) ? disk : copy(disk); // what is refused is not changed
      String when = "bit " + bit;

      if (bit / 8 < ends.get(0)) {
        LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(found), when);
        assertEquals(0, e.position(), when);
        assertArrayEquals(flipped, content(found, SEGMENT), when);
      } else {
        int whole = wholeBytes(bit / 8);
        try (PartitionLog log = TestLogs.open(found)) {
          assertEquals(VALUES.subList(0, wholeRecords(bit / 8)), values(log.snapshot()), when);
          assertEquals(intact.length - whole, log.recovery().cutBytes(), when);
          assertArrayEquals(
              Arrays.copyOfRange(flipped, whole, flipped.length), content(found, log.recovery().cutFile().get()), when);
        }
      }
    }
  }

  @Test
  void everyFlippedBitBeforeTheRecoveryPointIsDamage() throws IOException {
    byte[] intact = content(disk, SEGMENT);

    for (int bit = 0; bit < intact.length * 8; bit++) {
      byte[] flipped = intact.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      setContent(disk, SEGMENT, flipped);

      LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(disk), "bit " + bit);

      assertEquals(wholeBytes(bit / 8), e.position(), "bit " + bit);
    }
  }

  private List<byte[]> unreadablePoints() throws IOException {
    byte[] point = content(disk, POINT);
    List<byte[]> unreadable = new ArrayList<>();
    for (int bit = 0; bit < point.length * 8; bit++) {
      byte[] flipped = point.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      unreadable.add(flipped);
    }
    for (int size = 0; size < point.length; size++) {
      unreadable.add(Arrays.copyOf(point, size));
    }
    unreadable.add(new byte[point.length]);
    return unreadable;
  }

  /** No crash leaves a point that is short or has a bit wrong. A whole segment needs none, so it is written anew. */
  @Test
  void aRecoveryPointThatCannotBeReadIsWrittenAnewWhereTheSegmentIsWhole() throws IOException {
    byte[] point = content(disk, POINT);
    for (byte[] content : unreadablePoints()) {
      MemoryDisk damaged = copy(disk);
      setContent(damaged, POINT, content);

      try (PartitionLog log = TestLogs.open(damaged)) {
        assertEquals(VALUES, values(log.snapshot()));
        assertEquals(ends.get(2).longValue(), log.recovery().rewrittenBytes());
      }
      assertArrayEquals(point, content(damaged, POINT));
    }
  }

  /** Two kinds of damage at once must not be taken for a crash: what a cut would take was acknowledged. */
  @Test
  void aBadByteIsDamageWhereTheRecoveryPointCannotBeRead() throws IOException {
    byte[] flipped = content(disk, SEGMENT);
    flipped[ends.get(0) + 70] ^= 1;
    setContent(disk, SEGMENT, flipped);
    for (byte[] content : unreadablePoints()) {
      setContent(disk, POINT, content);

      LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(disk));

      assertEquals(SEGMENT, e.file());
      assertEquals(ends.get(0).longValue(), e.position());
      assertTrue(e.getMessage().contains("recovery point"), e.getMessage());
      assertArrayEquals(flipped, content(disk, SEGMENT));
      assertArrayEquals(content, content(disk, POINT), "nothing was changed");
    }
    disk.delete(POINT);
    LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(disk));
    assertTrue(e.getMessage().contains("--to-offset 2"), e.getMessage());
  }

  @Test
  void aMissingRecoveryPointIsMadeAnew() throws IOException {
    byte[] point = content(disk, POINT);
    disk.delete(POINT);

    try (PartitionLog log = TestLogs.open(disk)) {
      assertEquals(VALUES, values(log.snapshot()));
    }
    assertArrayEquals(point, content(disk, POINT));
  }

  @Test
  void zerosAreNeverABatch() throws IOException {
    byte[] intact = content(disk, SEGMENT);
    setContent(disk, SEGMENT, Arrays.copyOf(intact, intact.length + 5000));

    try (PartitionLog log = TestLogs.open(disk)) {
      assertEquals(VALUES, values(log.snapshot()));
    }
    assertArrayEquals(intact, content(disk, SEGMENT));
  }

  /** The batch itself is intact, but it is not the one that comes next: renumbering it would invent records. */
  @Test
  void aBatchWithAnotherOffsetIsNotKept() throws IOException {
    byte[] intact = content(disk, SEGMENT);
    byte[] twice = Arrays.copyOf(intact, intact.length + ends.get(0));
    System.arraycopy(intact, 0, twice, intact.length, ends.get(0));
    setContent(disk, SEGMENT, twice);

    try (PartitionLog log = TestLogs.open(disk)) {
      assertEquals(VALUES, values(log.snapshot()));
      assertEquals(ends.get(0).longValue(), log.recovery().cutBytes());
    }
  }

  @Test
  void aCutFileIsNeverOverwritten() throws IOException {
    byte[] intact = content(disk, SEGMENT);
    Path first = file("00000000000000000000." + intact.length + ".cut");
    setContent(disk, first, new byte[] {1, 2, 3});
    setContent(disk, SEGMENT, withTail(intact, 4, 5, 6));

    try (PartitionLog log = TestLogs.open(disk)) {
      assertArrayEquals(new byte[] {1, 2, 3}, content(disk, first));
      Path second = file("00000000000000000000." + intact.length + "-1.cut");
      assertEquals(Optional.of(second), log.recovery().cutFile());
      assertArrayEquals(new byte[] {4, 5, 6}, content(disk, second));
    }
  }

  /** A crash after the tail was kept aside and before it was cut: the second open uses the file that is there. */
  @Test
  void aTailThatIsKeptAlreadyIsNotKeptTwice() throws IOException {
    byte[] intact = content(disk, SEGMENT);
    Path cut = file("00000000000000000000." + intact.length + ".cut");
    setContent(disk, cut, new byte[] {4, 5, 6});
    setContent(disk, SEGMENT, withTail(intact, 4, 5, 6));

    try (PartitionLog log = TestLogs.open(disk)) {
      assertEquals(Optional.of(cut), log.recovery().cutFile());
    }
    assertEquals(1, disk.list(DIRECTORY).stream().filter(name -> name.endsWith(".cut")).count());
  }

  /** The disk is full: the start goes on, nothing is lost, and the log is for reading only until a later open. */
  @Test
  void aTailThatCannotBeKeptStaysAndTheLogOpensForReading() throws IOException {
    byte[] torn = withTail(content(disk, SEGMENT), 4, 5, 6);
    setContent(disk, SEGMENT, torn);
    FaultyDisk full = new FaultyDisk(disk);
    full.failFrom(Set.of(Operation.CREATE, Operation.WRITE), ".cut", 1);

    try (PartitionLog log = TestLogs.open(full)) {
      assertFalse(log.isWritable());
      assertTrue(log.unwritableReason().isPresent());
      assertEquals(VALUES, values(log.snapshot()));
      assertThrows(IOException.class, () -> log.append(batch("more")));
    }
    assertArrayEquals(torn, content(disk, SEGMENT));

    full.heal();
    try (PartitionLog log = TestLogs.open(full)) {
      assertTrue(log.isWritable());
      assertEquals(3, log.recovery().cutBytes());
    }
  }

  /** What cannot be written again may not be on the disk: it is not shown, and not cut. */
  @Test
  void whatCannotBeWrittenAgainIsNotShown() throws IOException {
    byte[] intact = content(disk, SEGMENT);
    setContent(disk, POINT, pointAfterFirst);
    FaultyDisk failing = new FaultyDisk(disk);
    failing.failNext(Operation.SYNC, ".log");

    try (PartitionLog log = TestLogs.open(failing)) {
      assertFalse(log.isWritable());
      assertEquals(VALUES.subList(0, 2), values(log.snapshot()));
    }
    assertArrayEquals(intact, content(disk, SEGMENT));
  }

  @Test
  void whatNoSyncIsKnownOfIsWrittenAgainAndSyncedBeforeTheLogIsOpen() throws IOException {
    setContent(disk, POINT, pointAfterFirst);
    FaultyDisk counting = new FaultyDisk(disk);

    try (PartitionLog log = TestLogs.open(counting)) {
      assertEquals(ends.get(2) - ends.get(0), log.recovery().rewrittenBytes());
      assertEquals(1, counting.count(Operation.WRITE, ".log"));
      assertEquals(1, counting.count(Operation.SYNC, ".log"));
    }
  }

  @Test
  void aCleanStopLeavesNothingToWriteAtTheNextOpenButTakesItsMarkBack() throws IOException {
    TestLogs.open(disk).close();
    FaultyDisk counting = new FaultyDisk(disk);

    PartitionLog log = TestLogs.open(counting);

    for (Operation change : FaultyDisk.CHANGES) {
      boolean isOfMark = change == Operation.DELETE || change == Operation.SYNC_DIRECTORY;
      assertEquals(isOfMark ? 1 : 0, counting.count(change), change.toString());
    }
    assertEquals(1, counting.count(Operation.DELETE, "clean-stop"));
    assertEquals(0, log.recovery().rewrittenBytes());
    log.close();
  }

  @Test
  void filesThatAreNotOursAreLeftAlone() throws IOException {
    for (String name : List.of("notes.txt", "99999999999999999999.log", "0.log", "00000000000000000000.snapshot")) {
      setContent(disk, file(name), new byte[] {42});
    }

    TestLogs.open(disk).close();

    for (String name : List.of("notes.txt", "99999999999999999999.log", "0.log", "00000000000000000000.snapshot")) {
      assertArrayEquals(new byte[] {42}, content(disk, file(name)));
    }
  }

  @Test
  void aDirectoryWithoutAnySegmentIsDamaged() throws IOException {
    disk.delete(SEGMENT);

    assertThrows(LogDamagedException.class, () -> TestLogs.open(disk));
  }

  /** No topic inherits what another one of its name left. */
  @Test
  void anotherTopicsDirectoryIsRefused() throws IOException {
    LogDamagedException e =
        assertThrows(
            LogDamagedException.class,
            () ->
                PartitionLog.open(
                    disk, DIRECTORY, UUID.randomUUID(), TestLogs.CONFIG, Clock.systemUTC()));

    assertEquals(file("partition.metadata"), e.file());
  }

  @Test
  void everyFlippedBitOfTheMetadataIsRefused() throws IOException {
    FaultyDisk flipping = new FaultyDisk(disk);
    int bits = content(disk, file("partition.metadata")).length * 8;

    for (int bit = 0; bit < bits; bit++) {
      flipping.flipBit(file("partition.metadata"), bit);
      assertThrows(LogDamagedException.class, () -> TestLogs.open(disk), "bit " + bit);
      flipping.flipBit(file("partition.metadata"), bit);
    }
  }

  @Test
  void theNewestSegmentMayBeEmptyAfterACrashInARoll() throws IOException {
    try (PartitionLog log = TestLogs.open(disk)) {
      log.append(batch(text(0, 900)));
      log.append(batch("rolled"));
      log.flush();
    }
    setContent(disk, file("00000000000000000007.log"), new byte[0]);
    disk.delete(POINT);

    try (PartitionLog log = TestLogs.open(disk)) {
      assertEquals(7, log.logEndOffset());
      assertEquals(3, log.snapshot().segmentCount());
      assertEquals(7, log.append(batch("next")));
    }
  }
}
