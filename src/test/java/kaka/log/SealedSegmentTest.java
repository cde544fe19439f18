package kaka.log;

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
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import kaka.log.FaultyDisk.Operation;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Older segments at open: by their indexes if these fit, else by a scan; damage stops the open. */
class SealedSegmentTest {
  private static final Path OLDEST = file("00000000000000000000.log");

  private final MemoryDisk disk = new MemoryDisk();
  private final List<String> values = new ArrayList<>();
  private final List<Long> bases = new ArrayList<>();

  /** Three sealed segments and an active one; timestamps rise, but for one far ahead in the middle of the first. */
  @BeforeEach
  void fourSegments() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      while (log.snapshot().segmentCount() < 4) {
        int i = values.size();
        values.add(text(i, 30));
        log.append(batchAt(i == 4 ? 5000 : 1000 + i, values.get(i)));
        log.flush();
      }
    }
    for (String name : disk.list(TestLogs.DIRECTORY)) {
      LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).ifPresent(part -> bases.add(part.baseOffset()));
    }
  }

  private Path index(int segment, String kind) {
    return file(String.format("%020d.%s", bases.get(segment), kind));
  }

  private void openRebuilds(MemoryDisk damaged, int expectedCount, String when) throws IOException {
    try (PartitionLog log = TestLogs.open(damaged)) {
      assertEquals(expectedCount, log.recovery().rebuiltIndexCount(), when);
      assertEquals(values, values(log.snapshot()), when);
      assertEquals(OptionalLong.of(4), log.snapshot().offsetForTime(4000), when);
      for (int i = 0; i < values.size(); i++) {
        assertEquals(values.subList(i, values.size()), values(log.snapshot(), i), when);
      }
    }
  }

  @Test
  void intactSegmentsAreOpenedWithoutAScan() throws IOException {
    openRebuilds(disk, 0, "intact");
    try (PartitionLog log = TestLogs.open(disk)) {
      assertEquals(0, log.recovery().scannedBytes(), "after a clean stop");
    }
    disk.delete(TestLogs.file("clean-stop")); // as after a crash

    try (PartitionLog log = TestLogs.open(disk)) {
      assertEquals(content(disk, index(3, "log")).length, log.recovery().scannedBytes(), "the newest segment only");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"index", "timeindex"})
  void aMissingIndexIsRebuiltAsItWas(String kind) throws IOException {
    byte[] before = content(disk, index(0, kind));
    assertTrue(before.length > 0);
    disk.delete(index(0, kind));

    openRebuilds(disk, 1, kind);

    assertArrayEquals(before, content(disk, index(0, kind)));
    openRebuilds(disk, 0, kind + ", opened again");
  }

  /** Any prefix: either it is noticed, or what is left is enough to open and read by. */
  @ParameterizedTest
  @ValueSource(strings = {"index", "timeindex"})
  void aShortIndexIsRebuiltOrDoesNotMatter(String kind) throws IOException {
    byte[] before = content(disk, index(0, kind));

    for (int size = 0; size < before.length; size++) {
      MemoryDisk damaged = copy(disk);
      setContent(damaged, index(0, kind), Arrays.copyOf(before, size));
      boolean mayPass = kind.equals("index") && size % OffsetIndex.ENTRY_BYTES == 0;

      openRebuilds(damaged, mayPass && opensUnnoticed(damaged) ? 0 : 1, kind + " of " + size);
      if (!mayPass) {
        assertArrayEquals(before, content(damaged, index(0, kind)), kind + " of " + size);
      }
    }
  }

  /** A whole number of entries is no defect by itself; that none comes for long is. */
  @Test
  void anOffsetIndexThatLacksManyEntriesIsRebuilt() throws IOException {
    LogConfig dense = new LogConfig(1024, Duration.ofDays(1), 10, Duration.ZERO, -1, Duration.ZERO, 0);
    disk.delete(index(0, "index"));
    PartitionLog.open(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, dense, Clock.systemUTC()).close();
    byte[] before = content(disk, index(0, "index"));
    setContent(disk, index(0, "index"), Arrays.copyOf(before, 8));

    try (PartitionLog log = PartitionLog.open(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, dense, Clock.systemUTC())) {
      assertEquals(1, log.recovery().rebuiltIndexCount());
    }

    assertArrayEquals(before, content(disk, index(0, "index")));
  }

  private static boolean opensUnnoticed(MemoryDisk disk) throws IOException {
    try (PartitionLog log = TestLogs.open(copy(disk))) {
      return log.recovery().rebuiltIndexCount() == 0;
    }
  }

  /** Every bit of either index, and every answer is still right. */
  @ParameterizedTest
  @ValueSource(strings = {"index", "timeindex"})
  void noFlippedBitOfAnIndexMakesAnAnswerWrong(String kind) throws IOException {
    byte[] before = content(disk, index(0, kind));

    for (int bit = 0; bit < before.length * 8; bit++) {
      byte[] flipped = before.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      setContent(disk, index(0, kind), flipped);

      openRebuilds(disk, opensUnnoticed(disk) ? 0 : 1, kind + " bit " + bit);
    }
  }

  /** The indexes do not change under an open log, but if they do, lookups must not believe them. */
  @Test
  void hostileIndexesUnderAnOpenLogMakeNoAnswerWrong() throws IOException {
    try (PartitionLog log = TestLogs.open(disk)) {
      for (byte[] hostile :
          List.of(new byte[0], new byte[7], new byte[240], filled(240, 0xff), filled(240, 0x7f), filled(240, 0x01))) {
        for (int segment = 0; segment < 3; segment++) {
          setContent(disk, index(segment, "index"), hostile);
          setContent(disk, index(segment, "timeindex"), hostile);
        }
        for (int i = 0; i < values.size(); i++) {
          assertEquals(values.subList(i, values.size()), values(log.snapshot(), i));
        }
        assertEquals(OptionalLong.of(4), log.snapshot().offsetForTime(4000));
        assertEquals(OptionalLong.of(3), log.snapshot().offsetForTime(1003));
      }
      disk.delete(index(1, "index"));
      disk.delete(index(1, "timeindex"));
      assertEquals(values.subList(bases.get(1).intValue() + 2, values.size()), values(log.snapshot(), bases.get(1) + 2));
    }
  }

  /** A record may hold a batch of its own; an index entry that points into it by mistake must not serve that. */
  @Test
  void anEntryThatPointsIntoARecordIsNotBelieved() throws IOException {
    MemoryDisk fresh = new MemoryDisk();
    RecordBatch inner = batchAt(1, "not a record of this log").numbered(3, 0);
    byte[] innerBytes = new byte[inner.sizeBytes()];
    inner.buffer().get(innerBytes);
    RecordBatch outer = new RecordBatchBuilder(0).append(1, null, innerBytes, List.of()).build();
    try (PartitionLog log = TestLogs.create(fresh)) {
      log.append(outer);
      for (int i = 1; i < 10; i++) {
        log.append(batchAt(1, text(i, 100)));
      }
      log.flush();
      int position = outer.sizeBytes() - 1 - innerBytes.length; // before it only the number of headers
      setContent(fresh, index(0, "index"), ByteBuffer.allocate(8).putInt(2).putInt(position).array());

      assertEquals(text(3, 100), values(log.snapshot(), 3).get(0));
    }
  }

  private static byte[] filled(int size, int with) {
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) with);
    return bytes;
  }

  /** A full disk: the index is rebuilt in memory, and the log opens. */
  @Test
  void anIndexThatCannotBeStoredDoesNotStopTheOpen() throws IOException {
    disk.delete(index(0, "index"));
    FaultyDisk full = new FaultyDisk(disk);
    full.failFrom(Set.of(Operation.CREATE, Operation.WRITE), ".tmp", 1);

    try (PartitionLog log = TestLogs.open(full)) {
      assertEquals(values, values(log.snapshot()));
      assertTrue(log.isWritable());
    }
  }

  /** Without an index the scan finds every flipped bit of an older segment, with its position. */
  @Test
  void damageInAnOlderSegmentStopsTheOpenWithFileAndPosition() throws IOException {
    byte[] intact = content(disk, OLDEST);
    disk.delete(index(0, "index"));
    int batchBytes = intact.length / bases.get(1).intValue(); // all of the same size

    for (int bit = 0; bit < intact.length * 8; bit++) {
      byte[] flipped = intact.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      setContent(disk, OLDEST, flipped);

      LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(disk), "bit " + bit);

      assertEquals(OLDEST, e.file());
      assertEquals(bit / 8 / batchBytes * batchBytes, e.position(), "bit " + bit);
      assertArrayEquals(flipped, content(disk, OLDEST), "nothing was changed");
    }
  }

  @Test
  void anOlderSegmentThatIsShorterOrLongerStopsTheOpen() throws IOException {
    byte[] intact = content(disk, OLDEST);

    for (int size = 0; size < intact.length + 100; size++) {
      if (size != intact.length) {
        setContent(disk, OLDEST, Arrays.copyOf(intact, size));

        LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(disk), "size " + size);

        assertEquals(OLDEST, e.file());
        assertTrue(e.position() <= size, e.getMessage());
      }
    }
  }

  @Test
  void aSegmentMissingInTheMiddleStopsTheOpen() throws IOException {
    disk.delete(index(1, "log"));

    LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(disk));

    assertEquals(OLDEST, e.file());
    assertEquals(content(disk, OLDEST).length, e.position());
    assertTrue(e.reason().contains(bases.get(2).toString()), e.reason());
  }

  @Test
  void theOldestSegmentMissingStopsTheOpen() throws IOException {
    disk.delete(OLDEST);

    LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(disk));

    assertEquals(index(1, "log"), e.file());
  }

  /** The recovery point names it, so it was there. */
  @Test
  void theNewestSegmentMissingStopsTheOpen() throws IOException {
    disk.delete(index(3, "log"));

    LogDamagedException e = assertThrows(LogDamagedException.class, () -> TestLogs.open(disk));

    assertEquals(index(2, "log"), e.file());
  }

  /** Kafka's dump tool checks the same: each entry is about a batch that ends at its offset, times rise to the greatest. */
  @Test
  void indexFilesAreKafkas() throws Exception {
    byte[] log = content(disk, OLDEST);
    ByteBuffer offsets = ByteBuffer.wrap(content(disk, index(0, "index")));
    ByteBuffer times = ByteBuffer.wrap(content(disk, index(0, "timeindex")));

    assertTrue(offsets.remaining() >= 2 * 8);
    int previousPosition = 0;
    while (offsets.hasRemaining()) {
      int relativeOffset = offsets.getInt();
      int position = offsets.getInt();
      assertEquals(relativeOffset, RecordBatch.frame(log, position, log.length).lastOffset());
      assertTrue(position - previousPosition > 100, "more than the interval between entries");
      previousPosition = position;
    }
    long previousMs = -1;
    while (times.hasRemaining()) {
      long timestampMs = times.getLong();
      int relativeOffset = times.getInt();
      assertTrue(timestampMs > previousMs);
      assertEquals(relativeOffset == 4 ? 5000 : 1000 + relativeOffset, timestampMs);
      previousMs = timestampMs;
    }
    assertEquals(5000, previousMs, "the last entry is the greatest timestamp");
  }
}
