package kaka.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import kaka.log.Cleanup;
import kaka.log.LogCompaction;
import kaka.log.LogConfig;
import kaka.log.LogSnapshot;
import kaka.log.MemoryDisk;
import kaka.log.PartitionLog;
import kaka.protocol.Fetch;
import kaka.protocol.Records;
import kaka.protocol.Responses;
import kaka.record.Allowance;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

/** A fetch that starts where compaction has left no record. */
class CompactedFetchTest {
  private static final TopicPartition PRICES = new TopicPartition("prices", 0);

  /** Each old value has a segment of its own, more than one reader covers, and none of their records is left. */
  @Test
  void aFetchFindsTheFirstRecordHoweverManySegmentsHaveNone() throws Exception {
    LogConfig config =
        new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ZERO, 0)
            .withCleanup(new Cleanup(true, false, Duration.ofDays(1), 0));
    try (PartitionLog log =
        PartitionLog.create(new MemoryDisk(), Path.of("prices-0"), new UUID(1, 1), config, Clock.systemUTC())) {
      int last = 100;
      for (int i = 0; i <= last + 1; i++) {
        byte[] key = {(byte) (i > last ? 2 : 1)};
        log.append(new RecordBatchBuilder(64).append(1, key, new byte[800], List.of()).build());
        log.flush();
      }
      LogCompaction run = log.planCompaction(1 << 16).orElseThrow();
      for (LogCompaction.Progress at = run.step(); at != LogCompaction.Progress.DONE; at = run.step()) {
        if (at == LogCompaction.Progress.READY) {
          log.swapIn(run);
          log.releaseReplaced();
        }
      }
      LogSnapshot snapshot = log.snapshot();
      assertTrue(snapshot.segmentCount() > 50 && snapshot.sizeBytes() < 10_000);

      for (long offset = 0; offset <= last; offset++) {
        Fetch fetch = new Fetch(PRICES, offset, 500, 0, 0);
        try (RecordsSource source = new RecordsSource(snapshot, fetch, offset, 500, Allowance.UNLIMITED, Requesting.runBuffers())) {
          byte[] frame = Requesting.bytes(source.next(256 << 10).orElseThrow());
          Records records = (Records) Responses.decode(frame[4] & 0xff, frame, 5, frame.length);
          assertEquals(1, records.entries().size(), "from " + offset);
          assertEquals(last, records.entries().get(0).offset(), "from " + offset);
        }
      }
    }
  }

  /** What is left of a batch is not numbered without gap. */
  @Test
  void aFetchGivesWhatIsLeftOfABatch() throws Exception {
    LogConfig config =
        new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ZERO, 0)
            .withCleanup(new Cleanup(true, false, Duration.ofDays(1), 0));
    try (PartitionLog log =
        PartitionLog.create(new MemoryDisk(), Path.of("prices-0"), new UUID(1, 1), config, Clock.systemUTC())) {
      RecordBatchBuilder builder = new RecordBatchBuilder(64);
      for (int key : new int[] {1, 2, 1, 3, 2, 4, 5}) { // offsets 2 to 6 have no newer ones, but for 5
        builder.append(1, new byte[] {(byte) key}, new byte[100], List.of());
      }
      log.append(builder.build());
      log.append(new RecordBatchBuilder(64).append(1, new byte[] {4}, new byte[900], List.of()).build());
      log.append(new RecordBatchBuilder(64).append(1, new byte[] {6}, new byte[900], List.of()).build());
      log.flush();
      LogCompaction run = log.planCompaction(1 << 16).orElseThrow();
      for (LogCompaction.Progress at = run.step(); at != LogCompaction.Progress.DONE; at = run.step()) {
        if (at == LogCompaction.Progress.READY) {
          log.swapIn(run);
          log.releaseReplaced();
        }
      }

      for (long offset = 0; offset <= 7; offset++) {
        long from = offset;
        Fetch fetch = new Fetch(PRICES, offset, 100_000, 0, 0);
        List<Long> found = new ArrayList<>();
        try (RecordsSource source = new RecordsSource(log.snapshot(), fetch, offset, 100_000, Allowance.UNLIMITED, Requesting.runBuffers())) {
          byte[] frame = Requesting.bytes(source.next(256 << 10).orElseThrow());
          Records records = (Records) Responses.decode(frame[4] & 0xff, frame, 5, frame.length);
          records.entries().forEach(entry -> found.add(entry.offset()));
        }
        assertEquals(Stream.of(2L, 3L, 4L, 6L, 7L, 8L).filter(o -> o >= from).toList(), found, "from " + offset);
      }
    }
  }
}
