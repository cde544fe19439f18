package kaka.log;

import static kaka.log.CompactionLogs.keyed;
import static kaka.log.CompactionLogs.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import kaka.TestClock;
import kaka.TestSeed;
import kaka.log.CrashingDisk.Unsynced;
import kaka.record.BatchCompression;
import kaka.record.Codec;
import kaka.record.Record;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random lives of a compacted log against the list of all that was written: append, tombstones, compaction that is let run,
 * interleaved, cancelled or crashed, restart, power cut. Reading all of the log always gives the map that the list gives.
 */
class LogCompactionModelTest {
  private record Entry(String key, String value) {}

  private Random random;
  private TestClock clock;
  private LogConfig config;
  private CrashingDisk disk;
  private FaultyDisk faulty;
  private PartitionLog log;
  private LogCompaction run; // null while none is under way
  private final List<Entry> written = new ArrayList<>();
  private int flushedCount;
  private int droppedCount;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void theLogGivesTheMap(int round) throws IOException {
    long seed = TestSeed.get() + round;
    try {
      live(new Random(seed));
    } catch (AssertionError | IOException | RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  private void live(Random random) throws IOException {
    this.random = random;
    clock = new TestClock(1_000_000);
    config =
        TestLogs.withSegmentBytes(1024 + random.nextInt(3000))
            .withCleanup(new Cleanup(true, false, Duration.ofMinutes(random.nextInt(300)), random.nextInt(3) * 0.3));
    disk = new CrashingDisk();
    faulty = new FaultyDisk(disk);
    log = PartitionLog.create(faulty, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, clock);
    for (int step = 0; step < 700; step++) {
      clock.advance(Duration.ofMinutes(random.nextInt(10)));
      step();
    }
    endRun();
    log.close();
    assertEquals(0, faulty.openCount());
    assertTrue(droppedCount > 20, "only " + droppedCount + " records went");
  }

  private void step() throws IOException {
    int choice = random.nextInt(100);
    if (choice < 50) {
      append();
    } else if (choice < 60) {
      log.flush();
      flushedCount = written.size();
    } else if (choice < 63) {
      log.rollIfAged();
    } else if (choice < 85) {
      compact();
    } else if (choice < 93) {
      read();
    } else if (choice < 95) {
      endRun();
      log.close();
      flushedCount = written.size();
      reopen();
    } else if (choice < 97) {
      log.abandon(); // a crash of the process; the run with it
      run = null;
      faulty = new FaultyDisk(disk);
      reopen();
    } else {
      if (random.nextBoolean()) {
        faulty.failFrom(FaultyDisk.CHANGES, "", 1 + random.nextInt(30));
        try {
          for (int i = 0; i < 20; i++) {
            compact();
          }
        } catch (IOException e) {
          assertTrue(faulty.failureCount() > 0, e.toString());
        }
      }
      log.abandon();
      run = null;
      disk = disk.afterPowerCut(Unsynced.values()[random.nextInt(4)], random);
      faulty = new FaultyDisk(disk);
      reopen();
    }
  }

  private void append() throws IOException {
    int count = 1 + random.nextInt(4);
    String[] keysAndValues = new String[count * 2];
    for (int i = 0; i < count; i++) {
      String key = "k" + random.nextInt(random.nextInt(10) == 0 ? 200 : 12);
      String value = random.nextInt(6) == 0 ? null : TestLogs.text(written.size(), random.nextInt(200));
      keysAndValues[2 * i] = key;
      keysAndValues[2 * i + 1] = value;
      written.add(new Entry(key, value));
    }
    Codec codec = Codec.values()[random.nextInt(Codec.values().length)];
    log.append(BatchCompression.compress(keyed(clock.millis(), keysAndValues), codec));
  }

  /** One step of a run, or of a whole one. */
  private void compact() throws IOException {
    if (run == null) {
      run = log.planCompaction(random.nextBoolean() ? 8 * KeyOffsets.SLOT_BYTES : 100_000).orElse(null);
    }
    for (int steps = random.nextInt(2) == 0 ? 1 : 1000; run != null && steps > 0; steps--) {
      switch (run.step()) {
        case READY -> {
          log.swapIn(run);
          log.releaseReplaced();
        }
        case DONE -> {
          log.compacted(run);
          droppedCount += (int) run.droppedCount();
          run = null;
        }
        case CANCELLED -> throw new IllegalStateException();
        case WORKING -> {}
      }
    }
    if (run != null && random.nextInt(20) == 0) {
      endRun();
    }
  }

  private void endRun() throws IOException {
    if (run != null) {
      run.cancel();
      run = null;
    }
  }

  private void reopen() throws IOException {
    log = PartitionLog.open(faulty, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, clock);
    long end = log.logEndOffset();
    assertTrue(end >= flushedCount && end <= written.size(), end + " of " + flushedCount + " to " + written.size());
    written.subList((int) end, written.size()).clear();
    flushedCount = written.size();
    read();
  }

  private void read() throws IOException {
    LogSnapshot snapshot = log.snapshot();
    Map<String, String> expected = new TreeMap<>();
    for (Entry entry : written.subList(0, (int) snapshot.highWatermark())) {
      put(expected, entry.key(), entry.value());
    }
    Map<String, String> found = new TreeMap<>();
    for (Record record : CompactionLogs.records(snapshot).values()) {
      Entry entry = written.get((int) record.offset());
      assertEquals(entry, new Entry(text(record.key()), text(record.value())), "offset " + record.offset());
      put(found, entry.key(), entry.value());
    }
    assertEquals(expected, found);
    if (snapshot.highWatermark() > 0) {
      long from = random.nextInt((int) snapshot.highWatermark());
      assertTrue(
          CompactionLogs.recordsFrom(snapshot, from).stream().anyMatch(record -> record.offset() >= from),
          "no record from " + from + " on");
    }
  }

  private static void put(Map<String, String> map, String key, String value) {
    if (value == null) {
      map.remove(key);
    } else {
      map.put(key, value);
    }
  }
}
