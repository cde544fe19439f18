package kaka.log;

import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.batch;
import static kaka.log.TestLogs.text;
import static kaka.log.TestLogs.values;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import kaka.TestClock;
import kaka.log.FaultyDisk.Operation;
import org.junit.jupiter.api.Test;

/** What many logs share: memory and the disk's free space are bounded for all of them together. */
class LogResourcesTest {
  private static final LogConfig CONFIG =
      new LogConfig(64 << 20, Duration.ofHours(1), 4096, Duration.ZERO, -1, Duration.ZERO, 1000);

  private final TestClock clock = new TestClock(0);
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk(clock));
  private final StagingPool staging = new StagingPool(2 * StagingPool.BUFFER_BYTES);
  private final LogResources shared = new LogResources(staging, new DiskSpaceWatch(disk, Path.of(""), clock), Runnable::run);

  private PartitionLog create(int partition) throws IOException {
    return PartitionLog.create(disk, Path.of("orders-" + partition), TOPIC_ID, CONFIG, clock, shared);
  }

  private PartitionLog open(int partition) throws IOException {
    return PartitionLog.open(disk, Path.of("orders-" + partition), TOPIC_ID, CONFIG, clock, shared);
  }

  @Test
  void idleLogsHoldNoBufferHoweverManyThereAre() throws IOException {
    for (int i = 0; i < 50; i++) {
      PartitionLog log = create(i);
      log.append(batch(text(i, 700_000)));
      assertTrue(staging.takenCount() > 0, "it is staged");

      log.flush();

      assertEquals(0, staging.takenCount(), "after the flush of log " + i);
    }
  }

  @Test
  void everyEndOfACommitGivesTheBufferBack() throws IOException {
    PartitionLog log = create(0);
    log.append(batch("a"));
    log.write();
    assertEquals(0, staging.takenCount(), "written");

    log.append(batch("b"));
    clock.advance(Duration.ofHours(2));
    assertTrue(log.rollIfAged());
    assertEquals(0, staging.takenCount(), "rolled");

    log.append(batch("c"));
    log.close();
    assertEquals(0, staging.takenCount(), "closed");

    log = open(0);
    log.append(batch("d"));
    log.abandon();
    assertEquals(0, staging.takenCount(), "abandoned");

    PartitionLog failing = open(0);
    failing.append(batch("e"));
    disk.failNext(Operation.WRITE, ".log");
    assertThrows(IOException.class, failing::flush);
    assertEquals(0, staging.takenCount(), "failed");
  }

  /** With and without a buffer, batches of every size in turns: what is stored is what was given, in order. */
  @Test
  void logsThatFindNoBufferFreeWriteDirectly() throws IOException {
    int[] sizes = {1, 5_000, 65_535, 70_000, 300_000, 10, 1_048_576, 3_500_000, 200_000};
    List<List<String>> expected = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    List<PartitionLog> logs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      logs.add(create(i));
    }
    for (int round = 0; round < 3; round++) {
      for (int size : sizes) {
        for (int i = 0; i < 4; i++) {
          String value = text(i + size, size);
          expected.get(i).add(value);
          assertEquals(expected.get(i).size() - 1, logs.get(i).append(batch(value)));
        }
        assertEquals(2, staging.takenCount(), "the pool's bound");
      }
      for (int i = 3; i >= 0; i--) {
        logs.get(i).flush();
        assertEquals(expected.get(i), values(logs.get(i).snapshot()));
      }
    }
    for (int i = 0; i < 4; i++) {
      logs.get(i).close();
      try (PartitionLog log = open(i)) {
        assertEquals(expected.get(i), values(log.snapshot()));
      }
    }
  }

  @Test
  void aCommitWithoutABufferIsStillOneSync() throws IOException {
    StagingPool none = new StagingPool(0);
    LogResources without = new LogResources(none, shared.space(), Runnable::run);
    try (PartitionLog log = PartitionLog.create(disk, Path.of("orders-0"), TOPIC_ID, CONFIG, clock, without)) {
      disk.resetCounts();
      for (int i = 0; i < 10; i++) {
        log.append(batch(text(i, 100)));
      }
      assertEquals(0, log.snapshot().highWatermark(), "written is not shown");
      log.flush();
      assertEquals(1, disk.count(Operation.SYNC, ".log"));
      assertEquals(10, log.snapshot().highWatermark());
    }
  }

  /** Each alone would pass: 9 logs that append 8 MiB less one byte would take 72 MiB without anybody looking. */
  @Test
  void logsTogetherCannotPassTheSpaceThatMustStayFree() throws IOException {
    disk.setUsableBytes(10_000);
    List<PartitionLog> logs = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      logs.add(create(i));
    }
    for (int i = 0; i < 9; i++) {
      assertTrue(logs.get(i).reserve(1000), "log " + i);
      logs.get(i).append(batch(text(i, 500)));
    }
    assertFalse(logs.get(9).reserve(1), "9000 are set aside, 1000 must stay free");
    assertTrue(logs.get(9).reserve(0));
    assertEquals(1, disk.count(Operation.USABLE_BYTES));
    for (PartitionLog log : logs) {
      log.flush();
    }
    assertFalse(logs.get(9).reserve(1), "written, and not counted by the disk yet");
    clock.advance(Duration.ofSeconds(1));
    assertTrue(logs.get(9).reserve(9000), "the disk says it has room");
    assertFalse(logs.get(0).reserve(1));
    logs.get(9).abandon();
    clock.advance(Duration.ofSeconds(1));
    assertTrue(logs.get(0).reserve(9000), "what was set aside and never written is free");
  }

  @Test
  void oneLargeAppendIsMeasuredToo() throws IOException {
    disk.setUsableBytes(64 << 20);
    PartitionLog log = create(0);

    assertFalse(log.reserve(64 << 20));
    assertTrue(log.reserve(32 << 20));
  }

  @Test
  void theDiskIsAskedAtMostOnceASecondAndPer8MiB() throws IOException {
    PartitionLog log = create(0);
    disk.setUsableBytes(1L << 30);
    for (int i = 0; i < 100; i++) {
      assertTrue(log.reserve(100));
    }
    assertEquals(1, disk.count(Operation.USABLE_BYTES));
    disk.setUsableBytes(999);
    log.flush();
    assertTrue(log.reserve(8 << 20), "a second has not passed, nor have 8 MiB");
    log.append(batch("a"));
    log.flush();
    assertFalse(log.reserve(0), "8 MiB have");
    assertEquals(2, disk.count(Operation.USABLE_BYTES));
    disk.setUsableBytes(1000);
    assertFalse(log.reserve(0));
    clock.advance(Duration.ofSeconds(1));
    assertTrue(log.reserve(0));
  }

  /** Threads that pass the check at once must not pass it together. */
  @Test
  void reservationsOfManyThreadsNeverExceedWhatIsFree() throws Exception {
    disk.setUsableBytes(100_000 + 1000);
    DiskSpaceWatch space = shared.space();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    CountDownLatch start = new CountDownLatch(1);
    List<Future<Integer>> granted = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      granted.add(
          threads.submit(
              () -> {
                start.await();
                int count = 0;
                for (int i = 0; i < 50_000; i++) {
                  count += space.reserve(10, 1000) ? 1 : 0;
                }
                return count;
              }));
    }
    start.countDown();
    int count = 0;
    for (Future<Integer> each : granted) {
      count += each.get();
    }
    threads.shutdown();
    assertEquals(10_000, count);
  }

  /** A log that fails because an idle segment got old would stay failed when there is room again. */
  @Test
  void noAgeRollWhileTheDiskIsNearlyFull() throws IOException {
    PartitionLog log = create(0);
    log.append(batch("a"));
    log.flush();
    clock.advance(Duration.ofHours(2));
    disk.setUsableBytes(999);
    disk.failFrom(FaultyDisk.CHANGES, "", 1);

    assertFalse(log.rollIfAged());

    assertTrue(log.isWritable());
    disk.heal();
    disk.setUsableBytes(1 << 30);
    clock.advance(Duration.ofSeconds(1));
    assertTrue(log.rollIfAged());
  }
}
