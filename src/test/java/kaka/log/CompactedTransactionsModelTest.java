package kaka.log;

import static kaka.log.CompactionLogs.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TransactionMarker;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random lives of a compacted log with transactions against the list of all that was written: whatever was compacted, in whatever
 * step it was stopped, and whatever had to be rebuilt at the next open, a reader of what is committed gets the map that the list
 * gives, never a record that was aborted, and just those transactions are open that are.
 */
class CompactedTransactionsModelTest {
  private static final int PRODUCERS = 3;
  private static final int NOBODY = -1;

  /** One offset. @param isMarker then {@code value} says whether it commits */
  private record Entry(int producer, boolean isMarker, String key, String value) {}

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
  private int leastMarkers = Integer.MAX_VALUE;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void theCommittedRecordsGiveTheMap(int round) throws IOException {
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
        TestLogs.withSegmentBytes(1024 + random.nextInt(2000))
            .withCleanup(new Cleanup(true, false, Duration.ofMinutes(random.nextInt(600)), random.nextInt(3) * 0.3));
    disk = new CrashingDisk();
    faulty = new FaultyDisk(disk);
    log = PartitionLog.create(faulty, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, clock);
    for (int step = 0; step < 700; step++) {
      clock.advance(Duration.ofMinutes(random.nextInt(20)));
      step();
    }
    for (int i = 0; i < PRODUCERS; i++) {
      end(i);
    }
    append(NOBODY);
    log.flush();
    log.rollIfAged();
    for (int i = 0; i < 3; i++) {
      compactAll();
      clock.advance(Duration.ofDays(3));
    }
    check();
    endRun();
    log.close();
    assertEquals(0, faulty.openCount());
    assertTrue(droppedCount > 20, "only " + droppedCount + " records went");
    long markers = written.stream().filter(Entry::isMarker).count();
    assertTrue(leastMarkers < markers / 2, leastMarkers + " of " + markers + " markers are left");
  }

  private void step() throws IOException {
    int choice = random.nextInt(100);
    if (choice < 45) {
      append(random.nextInt(PRODUCERS + 1) - 1);
    } else if (choice < 58) {
      end(random.nextInt(PRODUCERS));
    } else if (choice < 65) {
      log.flush();
      flushedCount = written.size();
    } else if (choice < 68) {
      log.rollIfAged();
    } else if (choice < 88) {
      compactSome();
    } else if (choice < 94) {
      check();
    } else if (choice < 96) {
      endRun();
      log.close();
      flushedCount = written.size();
      reopen();
    } else {
      if (random.nextBoolean()) {
        failing();
      }
      log.abandon();
      run = null;
      disk = disk.afterPowerCut(Unsynced.values()[random.nextInt(4)], random);
      faulty = new FaultyDisk(disk);
      reopen();
    }
  }

  private void failing() throws IOException {
    faulty.failFrom(FaultyDisk.CHANGES, "", 1 + random.nextInt(40));
    try {
      for (int i = 0; i < 20; i++) {
        compactSome();
      }
    } catch (IOException e) {
      assertTrue(faulty.failureCount() > 0, e.toString());
    }
  }

  private void append(int producer) throws IOException {
    RecordBatchBuilder builder = new RecordBatchBuilder(64);
    if (producer != NOBODY) {
      builder.producer(producer, (short) 0, (int) written.stream().filter(each -> each.producer() == producer).count());
    }
    for (int count = 1 + random.nextInt(4); count > 0; count--) {
      String key = "k" + random.nextInt(random.nextInt(10) == 0 ? 100 : 8);
      String value = random.nextInt(6) == 0 ? null : TestLogs.text(written.size(), random.nextInt(150));
      CompactionLogs.addTo(builder, clock.millis(), key, value);
      written.add(new Entry(producer, false, key, value));
    }
    RecordBatch batch = producer == NOBODY ? builder.build() : builder.transactional().build();
    log.append(BatchCompression.compress(batch, Codec.values()[random.nextInt(Codec.values().length)]));
  }

  private void end(int producer) throws IOException {
    boolean isCommit = random.nextInt(3) > 0;
    written.add(new Entry(producer, true, "", Boolean.toString(isCommit)));
    log.append(new TransactionMarker(producer, (short) 0, isCommit, 0));
  }

  private void compactAll() throws IOException {
    endRun();
    while ((run = log.planCompaction(100_000).orElse(null)) != null) {
      advance(Integer.MAX_VALUE);
    }
    leastMarkers = Math.min(leastMarkers, (int) CompactionLogs.batches(log.snapshot()).stream().filter(RecordBatch::isControl).count());
  }

  private void compactSome() throws IOException {
    if (run == null) {
      run = log.planCompaction(random.nextBoolean() ? 8 * KeyOffsets.SLOT_BYTES : 100_000).orElse(null);
    }
    advance(random.nextInt(2) == 0 ? 1 : 1000);
    if (run != null && random.nextInt(20) == 0) {
      endRun();
    }
  }

  private void advance(int steps) throws IOException {
    for (; run != null && steps > 0; steps--) {
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
  }

  private void endRun() throws IOException {
    if (run != null) {
      run.cancel();
      run = null;
    }
  }

  /** Now and then with nothing but the batches to go by. */
  private void reopen() throws IOException {
    if (random.nextInt(3) == 0) {
      for (String name : disk.list(TestLogs.DIRECTORY)) {
        if (name.endsWith(".snapshot") || name.equals("clean-stop") || name.endsWith(".txnindex") && random.nextBoolean()) {
          disk.delete(TestLogs.file(name));
        }
      }
    }
    log = PartitionLog.open(faulty, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, config, clock);
    long end = log.logEndOffset();
    assertTrue(end >= flushedCount && end <= written.size(), end + " of " + flushedCount + " to " + written.size());
    written.subList((int) end, written.size()).clear();
    flushedCount = written.size();
    check();
  }

  private void check() throws IOException {
    LogSnapshot snapshot = log.snapshot();
    int end = (int) snapshot.highWatermark();
    Map<Integer, Integer> open = open(end);
    int stable = open.values().stream().mapToInt(offset -> offset).min().orElse(end);
    assertEquals(stable, snapshot.lastStableOffset());
    if (end == written.size()) {
      for (int i = 0; i < PRODUCERS; i++) {
        assertEquals(open.containsKey(i), log.hasOpenTransaction(i), "producer " + i);
      }
    }
    assertFalse(CompactionLogs.batches(snapshot).isEmpty() && end > 0);
    Map<String, String> found = new TreeMap<>();
    for (Record record : TransactionLogs.committedRecords(snapshot, 0)) {
      Entry entry = written.get((int) record.offset());
      assertEquals(entry.key(), text(record.key()), "offset " + record.offset());
      assertEquals(entry.value(), text(record.value()), "offset " + record.offset());
      assertTrue(isCommitted((int) record.offset()), "offset " + record.offset() + " was aborted");
      put(found, entry.key(), entry.value());
    }
    Map<String, String> expected = new TreeMap<>();
    for (int i = 0; i < stable; i++) {
      if (!written.get(i).isMarker() && isCommitted(i)) {
        put(expected, written.get(i).key(), written.get(i).value());
      }
    }
    assertEquals(expected, found);
    int from = end == 0 ? 0 : random.nextInt(stable + 1);
    List<Long> some = TransactionLogs.committedRecords(snapshot, from).stream().map(Record::offset).toList();
    List<Long> all = TransactionLogs.committedRecords(snapshot, 0).stream().map(Record::offset).toList();
    assertEquals(all.stream().filter(offset -> offset >= from).toList(), some, "from " + from);
  }

  /** First offset of each open transaction among the first {@code end} entries. */
  private Map<Integer, Integer> open(int end) {
    Map<Integer, Integer> open = new HashMap<>();
    for (int i = 0; i < end; i++) {
      Entry each = written.get(i);
      if (each.isMarker()) {
        open.remove(each.producer());
      } else if (each.producer() != NOBODY) {
        open.putIfAbsent(each.producer(), i);
      }
    }
    return open;
  }

  private boolean isCommitted(int offset) {
    Entry entry = written.get(offset);
    if (entry.producer() == NOBODY) {
      return true;
    }
    for (Entry each : written.subList(offset, written.size())) {
      if (each.isMarker() && each.producer() == entry.producer()) {
        return Boolean.parseBoolean(each.value());
      }
    }
    return false;
  }

  private static void put(Map<String, String> map, String key, String value) {
    if (value == null) {
      map.remove(key);
    } else {
      map.put(key, value);
    }
  }
}
