package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.file;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import kaka.TestSeed;
import kaka.log.CrashingDisk.Unsynced;
import kaka.log.ProducerCheck.Accepted;
import kaka.log.ProducerCheck.Duplicate;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a log knows of its producers after a restart, a roll, a damaged snapshot, and a crash at any change of the disk. */
class ProducerRecoveryTest {
  /** Producers with ids from 0 on, who write to a log as clients do: the next batch, or one of their last five again. */
  private static final class Producers {
    final Map<Long, Integer> nextSequences = new HashMap<>();

    /** Per producer its batches, oldest first. */
    final Map<Long, List<Stored>> stored = new HashMap<>();

    record Stored(RecordBatch batch, long baseOffset) {}

    RecordBatch next(long producerId, int recordCount, int valueSize) {
      int sequence = nextSequences.merge(producerId, 0, Integer::sum);
      RecordBatchBuilder builder = new RecordBatchBuilder(64).producer(producerId, (short) 0, sequence);
      byte[] value = TestLogs.text(sequence, valueSize).getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < recordCount; i++) {
        builder.append(1000, null, value, List.of());
      }
      nextSequences.put(producerId, ProducerState.plus(sequence, recordCount));
      return builder.build();
    }

    void append(PartitionLog log, long producerId, int recordCount, int valueSize) throws IOException {
      RecordBatch batch = next(producerId, recordCount, valueSize);
      assertEquals(Accepted.INSTANCE, log.check(batch));
      List<Stored> before = stored.computeIfAbsent(producerId, id -> new ArrayList<>());
      before.add(new Stored(batch, -1));
      long baseOffset = log.append(batch);
      before.set(before.size() - 1, new Stored(batch, baseOffset));
    }

    List<Stored> lastFive(long producerId) {
      List<Stored> all = stored.get(producerId);
      return all.subList(Math.max(0, all.size() - ProducerState.REMEMBERED_BATCHES), all.size());
    }

    /** Each producer's last five are recognised, the sixth is not, and what would come next is accepted. */
    void assertRemembered(PartitionLog log, String when) {
      for (long id : stored.keySet()) {
        for (Stored each : lastFive(id)) {
          assertEquals(new Duplicate(each.baseOffset()), log.check(each.batch()), when + ": " + each);
        }
        int count = stored.get(id).size();
        if (count > ProducerState.REMEMBERED_BATCHES) {
          RecordBatch old = stored.get(id).get(count - ProducerState.REMEMBERED_BATCHES - 1).batch();
          assertTrue(log.check(old) instanceof ProducerCheck.Refused, when);
        }
        RecordBatch next = ProducerStateTest.batch(id, 0, nextSequences.get(id), 1);
        assertEquals(Accepted.INSTANCE, log.check(next), when);
        RecordBatch gap = ProducerStateTest.batch(id, 0, ProducerState.plus(nextSequences.get(id), 1), 1);
        assertTrue(log.check(gap) instanceof ProducerCheck.Refused, when);
      }
    }
  }

  private final MemoryDisk disk = new MemoryDisk();
  private final Producers producers = new Producers();

  /** Segments of 1 KiB: some six rolls, four producers of which one is silent after the start. */
  private void fill() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      for (int i = 0; i < 3; i++) {
        producers.append(log, 9, 1, 50);
      }
      for (int i = 0; i < 30; i++) {
        producers.append(log, i % 3, 1 + i % 2, 100);
        log.flush();
        producers.assertRemembered(log, "batch " + i);
      }
      assertTrue(log.snapshot().segmentCount() > 5, "segments " + log.snapshot().segmentCount());
    }
  }

  private List<String> names(String suffix) throws IOException {
    return disk.list(DIRECTORY).stream().filter(name -> name.endsWith(suffix)).toList();
  }

  @Test
  void restartReadsOneSnapshotAndTheActiveSegmentOnly() throws IOException {
    fill();
    FaultyDisk counting = new FaultyDisk(disk);
    List<String> logs = names(".log");

    try (PartitionLog log = TestLogs.open(counting)) {
      producers.assertRemembered(log, "restart");
    }

    assertEquals(1, counting.count(FaultyDisk.Operation.OPEN, ".snapshot"));
    assertEquals(2, names(".snapshot").size());
    assertEquals(logs.get(logs.size() - 1).replace("log", "snapshot"), names(".snapshot").get(1));
    assertEquals(logs.get(logs.size() - 2).replace("log", "snapshot"), names(".snapshot").get(0));
  }

  /** Whatever is in it instead: the state is brought back from the one before it and the segment between them. */
  @Test
  void damagedNewestSnapshotIsRebuilt() throws IOException {
    fill();
    String newest = names(".snapshot").get(1);
    byte[] content = TestLogs.content(disk, file(newest));
    Random random = new Random(content.length);
    for (int i = 0; i < content.length; i++) {
      byte[] damaged = i % 2 == 0 ? Arrays.copyOf(content, i) : content.clone();
      if (i % 2 == 1) {
        damaged[i] ^= (byte) (1 << random.nextInt(8));
      }
      TestLogs.setContent(disk, file(newest), damaged);

      try (PartitionLog log = TestLogs.open(disk)) {
        producers.assertRemembered(log, "byte " + i);
      }
    }
  }

  @Test
  void withoutAnySnapshotTheWholeLogIsWalked() throws IOException {
    fill();
    for (String name : names(".snapshot")) {
      disk.delete(file(name));
    }
    List<String> logged = new WarnLog().during(() -> {
      try (PartitionLog log = TestLogs.open(disk)) {
        producers.assertRemembered(log, "walked");
      }
    });
    assertTrue(logged.get(0).startsWith("producer state rebuilt partition=orders-0 "), logged.toString());
  }

  /** What retention took was only in the snapshots: the log says what is lost, opens, and takes batches. */
  @Test
  void whatNoSegmentTellsIsLostAndSaid() throws IOException {
    fill();
    LogConfig keepLittle = new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, 3000, Duration.ZERO, 0);
    try (PartitionLog log =
        PartitionLog.open(disk, DIRECTORY, TestLogs.TOPIC_ID, keepLittle, Clock.systemUTC())) {
      assertTrue(log.deleteExpiredSegments() > 0);
      producers.assertRemembered(log, "retention takes records, not producers");
    }
    try (PartitionLog log = TestLogs.open(disk)) {
      producers.assertRemembered(log, "nor after a restart");
    }
    disk.delete(file("clean-stop")); // it has them, too
    for (String name : names(".snapshot")) {
      disk.delete(file(name));
    }
    List<String> logged = new WarnLog().during(() -> {
      try (PartitionLog log = TestLogs.open(disk)) {
        RecordBatch silent = producers.stored.get(9L).get(2).batch();
        assertTrue(log.check(silent) instanceof ProducerCheck.Refused, "its records are gone, and so is it");
        for (long id = 0; id < 3; id++) {
          Producers.Stored last = producers.lastFive(id).get(producers.lastFive(id).size() - 1);
          assertEquals(new Duplicate(last.baseOffset()), log.check(last.batch()));
        }
      }
    });
    assertTrue(logged.get(0).startsWith("producer state lost"), logged.toString());
  }

  /** A roll that a crash cut short leaves a snapshot of a segment that never was; the log then rolls elsewhere. */
  @Test
  void snapshotOfASegmentThatNeverWasIsNotBelieved() throws IOException {
    fill();
    byte[] newest = TestLogs.content(disk, file(names(".snapshot").get(1)));
    TestLogs.setContent(disk, file("00000000000000000007.snapshot"), newest);

    try (PartitionLog log = TestLogs.open(disk)) {
      producers.assertRemembered(log, "restart");
    }

    assertEquals(2, names(".snapshot").size(), names(".snapshot").toString());
  }

  /** Random batches, repeats, restarts and rolls against a map. */
  @Test
  void modelOfRandomProducers() throws IOException {
    long seed = TestSeed.get();
    System.out.println("ProducerRecoveryTest -Dkaka.seed=" + seed);
    Random random = new Random(seed);
    PartitionLog log = TestLogs.create(disk);
    for (int i = 0; i < 3000; i++) {
      String when = "step " + i + ", seed " + seed;
      int what = random.nextInt(100);
      if (what < 70) {
        producers.append(log, random.nextInt(8), 1 + random.nextInt(4), random.nextInt(120));
        if (random.nextBoolean()) {
          log.flush();
        }
      } else if (what < 90) {
        producers.assertRemembered(log, when);
      } else if (what < 95) {
        log.close();
        log = TestLogs.open(disk);
      } else {
        log.flush();
        log.abandon(); // killed
        log = TestLogs.open(disk);
      }
    }
    producers.assertRemembered(log, "end, seed " + seed);
    log.close();
  }

  /**
   * The power goes at the n-th change, in a life with rolls and a restart. What was flushed is recognised; the batch that was
   * not is either recognised or accepted, as the log has it or not, and so the producer can go on either way.
   */
  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void noBatchIsForgottenOrInventedByAPowerCutAtAnyChange(Unsynced unsynced) throws IOException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    boolean cut;
    int n = 0;
    do {
      String when = "change " + ++n + ", seed " + seed;
      CrashingDisk power = new CrashingDisk();
      TestLogs.create(power).close();
      FaultyDisk failing = new FaultyDisk(power);
      failing.failFrom(FaultyDisk.CHANGES, "", n);
      Producers life = new Producers();
      int flushed = 0;
      try {
        PartitionLog log = TestLogs.open(failing);
        for (int i = 0; i < 16; i++) {
          life.append(log, i % 2, 1, 300);
          log.flush();
          flushed = i + 1;
          if (i == 8) {
            log.close();
            log = TestLogs.open(failing);
          }
        }
        log.close();
      } catch (IOException e) { // the power is gone
      }
      cut = failing.failureCount() > 0;
      for (int i = 0; i < (unsynced == Unsynced.ANYTHING ? 4 : 1); i++) {
        try (PartitionLog log = TestLogs.open(power.afterPowerCut(unsynced, random))) {
          assertRecovered(life, flushed, log, when);
        }
      }
    } while (cut);
    assertTrue(n > 60, "only " + n + " changes");
  }

  private static void assertRecovered(Producers life, int flushed, PartitionLog log, String when) throws IOException {
    long end = log.logEndOffset();
    assertTrue(end >= flushed, when);
    for (long id : life.stored.keySet()) {
      List<Producers.Stored> known = life.stored.get(id).stream().filter(each -> isBelow(each, end, life)).toList();
      for (Producers.Stored each : known.subList(Math.max(0, known.size() - 5), known.size())) {
        ProducerCheck check = log.check(each.batch());
        assertTrue(check instanceof Duplicate, when + ": " + check);
        assertTrue(each.baseOffset() < 0 || check.equals(new Duplicate(each.baseOffset())), when + ": " + check);
      }
      for (Producers.Stored each : life.stored.get(id).subList(known.size(), life.stored.get(id).size())) {
        assertEquals(Accepted.INSTANCE, log.check(each.batch()), when);
        log.append(each.batch());
        log.flush();
        assertTrue(log.check(each.batch()) instanceof Duplicate, when);
      }
    }
  }

  /** Each batch is one record and they take turns, so its place in the log follows from its number. */
  private static boolean isBelow(Producers.Stored each, long end, Producers life) {
    return each.batch().baseSequence() * 2L + each.batch().producerId() < end;
  }
}
