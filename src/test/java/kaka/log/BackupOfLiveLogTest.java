package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import kaka.TestClock;
import kaka.TestSeed;
import kaka.record.Record;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/**
 * Copies of a log whose owner does something, by chance, before any of the copy's operations on the disk: appends, rolls,
 * deletes, steps of compaction, ends of transactions. Whatever falls between what, the copy opens, and holds what it must.
 */
class BackupOfLiveLogTest {
  private static final int KEYS = 12;

  private final Random random = new Random();
  private final TestClock clock = new TestClock(1_000_000);
  private final MemoryDisk disk = new MemoryDisk(clock);
  private final TreeMap<Long, Map.Entry<String, String>> appended = new TreeMap<>(); // key and value by offset
  private PartitionLog log;
  private Optional<LogCompaction> compaction = Optional.empty();
  private int text;
  private boolean isCompacted;

  /** The copy's disk: the owner is on {@link #disk}. */
  private final class Interleaved extends ForwardingDisk {
    int rarity = 3;

    Interleaved() {
      super(disk);
    }

    private void meanwhile() throws IOException {
      while (random.nextInt(rarity) == 0) {
        step();
      }
    }

    @Override
    public DiskFile openForReading(Path file) throws IOException {
      meanwhile();
      return new ForwardingFile(super.openForReading(file)) {
        @Override
        public int read(ByteBuffer target, long position) throws IOException {
          meanwhile();
          return super.read(target, position);
        }

        @Override
        public long sizeBytes() throws IOException {
          meanwhile();
          return super.sizeBytes();
        }
      };
    }

    @Override
    public boolean exists(Path path) throws IOException {
      meanwhile();
      return super.exists(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
      meanwhile();
      return super.list(directory);
    }

    @Override
    public long lastModifiedMs(Path file) throws IOException {
      meanwhile();
      return super.lastModifiedMs(file);
    }
  }

  private void step() throws IOException {
    clock.advance(Duration.ofMillis(1));
    int what = random.nextInt(20);
    if (what < 12) {
      append();
    } else if (what < 18) {
      compactSome();
    } else if (what == 18 && !isCompacted) {
      log.deleteRecordsBefore(log.snapshot().logStartOffset() + random.nextInt(8), () -> {});
    } else {
      log.deleteExpiredSegments();
    }
  }

  private void append() throws IOException {
    String key = "k" + random.nextInt(KEYS);
    String value = TestLogs.text(text++, 20 + random.nextInt(150));
    long offset = log.append(CompactionLogs.keyed(clock.millis(), key, value));
    log.flush();
    appended.put(offset, Map.entry(key, value));
  }

  /** A step of a run, or begins one. */
  private void compactSome() throws IOException {
    if (compaction.isEmpty()) {
      compaction = log.planCompaction(CompactionLogs.MAP_BYTES);
      return;
    }
    LogCompaction run = compaction.get();
    switch (run.step()) {
      case READY -> {
        log.swapIn(run);
        log.releaseReplaced();
      }
      case DONE -> {
        log.compacted(run);
        compaction = Optional.empty();
      }
      case CANCELLED -> compaction = Optional.empty();
      case WORKING -> {}
    }
  }

  private void begin(LogConfig config, long seed) throws IOException {
    random.setSeed(seed);
    isCompacted = config.cleanup().compacts();
    log = PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, clock);
    disk.createDirectory(PartitionBackupTest.COPIES);
    for (int i = 0; i < 60; i++) {
      append();
    }
  }

  private void copy(String name, String... earlier) throws IOException {
    List<Path> before = new ArrayList<>();
    for (String each : earlier) {
      before.add(PartitionBackupTest.COPIES.resolve(each));
    }
    Interleaved interleaved = new Interleaved();
    PartitionBackup backup =
        PartitionBackup.begin(
            interleaved,
            TestLogs.DIRECTORY,
            PartitionBackupTest.COPIES.resolve(name),
            TestLogs.TOPIC_ID,
            before,
            100,
            PartitionBackupTest.QUIET,
            PartitionBackup.newPiece());
    backup.copySealed();
    backup.copyTail();
    interleaved.rarity = 10;
    backup.copyTail();
    backup.finish();
  }

  private PartitionLog openCopy(String name, LogConfig config) throws IOException {
    Path directory = PartitionBackupTest.COPIES.resolve(name);
    for (Finding finding : PartitionCheck.run(disk, directory, Optional.of(TestLogs.TOPIC_ID), n -> {}).findings()) {
      assertTrue(!finding.isWrong(), finding.toString());
    }
    return PartitionLog.open(disk, directory, TestLogs.TOPIC_ID, config, Clock.systemUTC());
  }

  @RepeatedTest(40)
  void recordsOfADeletingLogAreThereOnceAndInOrder(RepetitionInfo repetition) throws IOException {
    LogConfig config = new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, 4096, Duration.ZERO, 0);
    if (repetition.getCurrentRepetition() % 2 == 0) {
      config = config.withPreallocation(TestLogs.EAGER);
    }
    begin(config, TestSeed.get() + repetition.getCurrentRepetition());

    for (int i = 0; i < 4; i++) {
      long acknowledged = log.logEndOffset();
      String[] earlier = i == 0 ? new String[0] : new String[] {"copy-" + (i - 1)};
      copy("copy-" + i, earlier);

      try (PartitionLog copied = openCopy("copy-" + i, config)) {
        LogSnapshot snapshot = copied.snapshot();
        assertTrue(snapshot.highWatermark() >= acknowledged, "ends at " + snapshot.highWatermark() + ", " + acknowledged);
        assertTrue(snapshot.logStartOffset() <= log.snapshot().logStartOffset());
        List<String> expected =
            appended.subMap(snapshot.logStartOffset(), snapshot.highWatermark()).values().stream().map(Map.Entry::getValue).toList();
        assertEquals(expected, TestLogs.values(snapshot));
      }
    }
    log.close();
  }

  /** Of each key the newest value below the copy's end is there, and nothing that was not written. */
  @RepeatedTest(40)
  void newestValuesOfACompactedLogAreThere(RepetitionInfo repetition) throws IOException {
    begin(CompactionLogs.COMPACT, TestSeed.get() + repetition.getCurrentRepetition());

    for (int i = 0; i < 4; i++) {
      long acknowledged = log.logEndOffset();
      String[] earlier = i == 0 ? new String[0] : new String[] {"copy-" + (i - 1)};
      copy("copy-" + i, earlier);

      try (PartitionLog copied = openCopy("copy-" + i, CompactionLogs.COMPACT)) {
        long end = copied.snapshot().highWatermark();
        assertTrue(end >= acknowledged, "ends at " + end + ", " + acknowledged);
        Map<String, String> expected = new HashMap<>();
        appended.headMap(end).values().forEach(each -> expected.put(each.getKey(), each.getValue()));
        Map<String, String> found = new HashMap<>();
        for (Record record : CompactionLogs.records(copied.snapshot()).values()) {
          Map.Entry<String, String> written = appended.get(record.offset());
          assertEquals(written.getKey() + written.getValue(), CompactionLogs.text(record.key()) + CompactionLogs.text(record.value()));
          found.put(written.getKey(), written.getValue());
        }
        assertEquals(expected, found);
        CompactionLogs.compact(copied); // and goes on being compacted
        assertEquals(end, copied.snapshot().highWatermark());
      }
    }
    log.close();
  }
}
