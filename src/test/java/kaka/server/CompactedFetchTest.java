package kaka.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import kaka.log.Cleanup;
import kaka.log.LogCompaction;
import kaka.log.LogConfig;
import kaka.log.LogSnapshot;
import kaka.log.MemoryDisk;
import kaka.log.PartitionLog;
import kaka.protocol.Fetch;
import kaka.protocol.Records;
import kaka.protocol.Responses;
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
        try (RecordsSource source = new RecordsSource(snapshot, fetch, offset, 500)) {
          byte[] frame = source.next();
          Records records = (Records) Responses.decode(frame[4] & 0xff, frame, 5, frame.length);
          assertEquals(1, records.entries().size(), "from " + offset);
          assertEquals(last, records.entries().get(0).offset(), "from " + offset);
        }
      }
    }
  }
}
