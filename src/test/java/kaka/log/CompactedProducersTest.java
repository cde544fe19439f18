package kaka.log;

import static kaka.log.CompactionLogs.compact;
import static kaka.log.CompactionLogs.keyed;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import kaka.TestClock;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a compacted log knows of its producers, whose batches may have gone with their records: all of it, as long as one of the
 * two snapshots is there; if not, it says that something is lost.
 */
class CompactedProducersTest {
  private final TestClock clock = new TestClock(1_000_000);
  private final MemoryDisk disk = new MemoryDisk(clock);
  private RecordBatch early;
  private RecordBatch late;

  private static RecordBatch numbered(long producerId, String... keysAndValues) {
    RecordBatchBuilder builder = new RecordBatchBuilder(64).producer(producerId, (short) 0, 0);
    CompactionLogs.addTo(builder, 1, keysAndValues);
    return builder.build();
  }

  /** A day is enough to roll, and not so long that producers are forgotten. */
  private void seal(PartitionLog log, RecordBatch... batches) throws IOException {
    for (RecordBatch batch : batches) {
      log.append(batch);
      log.flush();
    }
    clock.advance(Duration.ofDays(1));
    log.rollIfAged();
  }

  /** Every value is superseded, in the newest sealed segment too, so that nothing of the batches but their fields can stay. */
  @BeforeEach
  void fill() throws IOException {
    early = numbered(1, "a", "1");
    late = numbered(2, "b", "1");
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      seal(log, keyed(1, "x", "1"), early);
      seal(log, keyed(1, "x", "2"), late, keyed(1, "a", "2", "b", "2", "x", "3"));
      compact(log);
      assertEquals(List.of("4 a=2", "5 b=2", "6 x=3"), CompactionLogs.lines(log.snapshot()));
    }
  }

  private void delete(int snapshots) throws IOException {
    List<String> names = disk.list(TestLogs.DIRECTORY).stream().filter(name -> name.endsWith(".snapshot")).toList();
    for (String name : names.subList(names.size() - snapshots, names.size())) {
      disk.delete(TestLogs.file(name));
    }
  }

  private List<String> open(ProducerCheck expectedOfEarly) throws IOException {
    return new WarnLog()
        .during(
            () -> {
              try (PartitionLog log = CompactionLogs.open(disk, clock)) {
                assertEquals(new ProducerCheck.Duplicate(3), log.check(late));
                assertEquals(expectedOfEarly, log.check(early));
              }
            });
  }

  @Test
  void snapshotsKnowAllOfThem() throws IOException {
    assertEquals(List.of(), open(new ProducerCheck.Duplicate(1)));
  }

  @Test
  void withoutTheNewestSnapshotTheNewestSegmentStillTells() throws IOException {
    delete(1);
    List<String> logged = open(new ProducerCheck.Duplicate(1));
    assertTrue(logged.get(0).startsWith("producer state rebuilt "), logged.toString());
  }

  @Test
  void withoutAnySnapshotWhatCompactionDroppedIsLostAndSaid() throws IOException {
    delete(2);
    List<String> logged = open(ProducerCheck.Accepted.INSTANCE);
    assertEquals(1, logged.size(), logged.toString());
    assertTrue(logged.get(0).startsWith("producer state lost") && logged.get(0).contains(" offset=2 "), logged.toString());
  }
}
