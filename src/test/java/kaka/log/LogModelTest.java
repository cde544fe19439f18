package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batchAt;
import static kaka.log.TestLogs.text;
import static kaka.log.TestLogs.values;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import kaka.TestClock;
import kaka.TestSeed;
import kaka.log.CrashingDisk.Unsynced;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random lives of a log against a list in memory: append, flush, roll, retention, restart, crash, power cut, read. */
class LogModelTest {
  private Random random;
  private TestClock clock;
  private LogConfig config;
  private CrashingDisk disk;
  private PartitionLog log;
  private final List<String> model = new ArrayList<>();
  private int flushedCount;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
  void theLogDoesWhatTheListDoes(int round) throws IOException {
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
        new LogConfig(
            1024 + random.nextInt(4000),
            Duration.ofHours(1 + random.nextInt(100)),
            1 + random.nextInt(500),
            Duration.ZERO,
            random.nextBoolean() ? -1 : random.nextInt(20_000),
            Duration.ofHours(random.nextInt(2) * 200L),
            0)
            .withPreallocation(random.nextInt(3) == 0 ? Preallocation.OFF : TestLogs.EAGER);
    disk = new CrashingDisk();
    log = PartitionLog.create(disk, DIRECTORY, TOPIC_ID, config, clock);
    for (int step = 0; step < 600; step++) {
      clock.advance(Duration.ofMinutes(random.nextInt(30)));
      step();
    }
    log.close();
  }

  private void step() throws IOException {
    int choice = random.nextInt(100);
    if (choice < 50) {
      append();
    } else if (choice < 70) {
      log.flush();
      flushedCount = model.size();
    } else if (choice < 73) {
      log.write();
    } else if (choice < 85) {
      read();
    } else if (choice < 88) {
      log.rollIfAged();
    } else if (choice < 92) {
      log.deleteExpiredSegments();
    } else if (choice < 95) {
      log.close();
      flushedCount = model.size();
      reopen();
    } else if (choice < 97) {
      log.abandon(); // a crash of the process: what was written stays, what was staged is gone
      reopen();
    } else {
      log.abandon();
      disk = disk.afterPowerCut(Unsynced.values()[random.nextInt(4)], random);
      reopen();
    }
  }

  private void append() throws IOException {
    String[] together = new String[1 + random.nextInt(4)];
    int size = random.nextInt(10) == 0 ? random.nextInt(3000) : random.nextInt(200);
    for (int i = 0; i < together.length; i++) {
      together[i] = text(model.size() + i, size);
    }
    assertEquals(model.size(), log.append(batchAt(clock.millis(), together)));
    model.addAll(List.of(together));
  }

  /** Whatever was not flushed may be gone, from the end; nothing else may. */
  private void reopen() throws IOException {
    log = PartitionLog.open(disk, DIRECTORY, TOPIC_ID, config, clock);
    long end = log.logEndOffset();
    assertTrue(end >= flushedCount && end <= model.size(), end + " of " + flushedCount + " to " + model.size());
    model.subList((int) end, model.size()).clear();
    flushedCount = model.size();
    read();
  }

  private void read() throws IOException {
    LogSnapshot snapshot = log.snapshot();
    assertTrue(snapshot.highWatermark() >= flushedCount);
    long start = snapshot.logStartOffset();
    long from = start + random.nextInt((int) (snapshot.highWatermark() - start) + 1);
    assertEquals(model.subList((int) from, (int) snapshot.highWatermark()), values(snapshot, from));
  }
}
