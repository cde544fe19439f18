package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;

/** What the tests of compaction share: keyed batches, a compacted log, and how to run compaction to its end. */
final class CompactionLogs {
  static final long MAP_BYTES = 64 * 1024;
  static final Duration DELETE_RETENTION = Duration.ofHours(1);

  /** Segments of 1 KiB, compacted whenever anything is dirty. */
  static final LogConfig COMPACT = TestLogs.CONFIG.withCleanup(new Cleanup(true, false, DELETE_RETENTION, 0));

  private CompactionLogs() {}

  static PartitionLog create(Disk disk, Clock clock) throws IOException {
    return PartitionLog.create(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, COMPACT, clock);
  }

  static PartitionLog open(Disk disk, Clock clock) throws IOException {
    return PartitionLog.open(disk, TestLogs.DIRECTORY, TestLogs.TOPIC_ID, COMPACT, clock);
  }

  /** Key, value, key, value...; a null value is a tombstone. */
  static RecordBatch keyed(long timestampMs, String... keysAndValues) {
    RecordBatchBuilder builder = new RecordBatchBuilder(64);
    addTo(builder, timestampMs, keysAndValues);
    return builder.build();
  }

  static void addTo(RecordBatchBuilder builder, long timestampMs, String... keysAndValues) {
    for (int i = 0; i < keysAndValues.length; i += 2) {
      builder.append(timestampMs, bytes(keysAndValues[i]), bytes(keysAndValues[i + 1]), List.of());
    }
  }

  static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /** One run to its end, if one is due. @return whether one was */
  static boolean compactOnce(PartitionLog log, long mapBytes) throws IOException {
    LogCompaction run = log.planCompaction(mapBytes).orElse(null);
    if (run == null) {
      return false;
    }
    try {
      while (true) {
        switch (run.step()) {
          case READY -> {
            log.swapIn(run);
            log.releaseReplaced();
          }
          case DONE -> {
            log.compacted(run);
            return true;
          }
          case CANCELLED -> throw new IllegalStateException("cancelled");
          case WORKING -> {}
        }
      }
    } catch (IOException e) {
      run.cancel();
      throw e;
    }
  }

  /** Runs until none is due. @return how many there were */
  static int compact(PartitionLog log) throws IOException {
    int runs = 0;
    while (compactOnce(log, MAP_BYTES)) {
      assertTrue(++runs < 1000, "compaction without end");
    }
    return runs;
  }

  /** Every batch of the log; that their offsets follow each other without gap and their CRCs fit is checked. */
  static List<RecordBatch> batches(LogSnapshot snapshot) throws IOException {
    return batchesFrom(snapshot, snapshot.logStartOffset());
  }

  /** The same, from the one that holds {@code fetchOffset} on; reader after reader, for one covers some segments only. */
  private static List<RecordBatch> batchesFrom(LogSnapshot snapshot, long fetchOffset) throws IOException {
    List<RecordBatch> batches = new ArrayList<>();
    for (long next = fetchOffset; next < snapshot.highWatermark(); ) {
      try (LogReader reader = snapshot.reader(next)) {
        byte[] bytes = new byte[(int) reader.sizeBytes()];
        assertEquals(bytes.length, reader.read(ByteBuffer.wrap(bytes), 0));
        assertTrue(bytes.length > 0, "nothing at " + next);
        for (int at = 0; at < bytes.length; ) {
          RecordBatch batch = RecordBatch.frame(bytes, at, bytes.length);
          assertTrue(batch.isCrcValid(), "CRC of the batch at " + batch.baseOffset());
          boolean follows = batches.isEmpty() ? batch.baseOffset() <= next : batch.baseOffset() == next;
          assertTrue(follows && batch.lastOffset() >= next, batch + " follows " + next);
          next = batch.lastOffset() + 1;
          batches.add(batch);
          at += batch.sizeBytes();
        }
      } catch (InvalidBatchException e) {
        throw new IOException(e);
      }
    }
    return batches;
  }

  /** Every record by its offset. */
  static TreeMap<Long, Record> records(LogSnapshot snapshot) throws IOException {
    TreeMap<Long, Record> records = new TreeMap<>();
    try {
      for (RecordBatch batch : batches(snapshot)) {
        List<Record> all = batch.records();
        assertEquals(batch.recordCount(), all.size());
        all.forEach(record -> assertTrue(records.put(record.offset(), record) == null, "offset twice"));
      }
    } catch (InvalidBatchException e) {
      throw new IOException(e);
    }
    return records;
  }

  /** The records that a reader at {@code fetchOffset} gives. */
  static List<Record> recordsFrom(LogSnapshot snapshot, long fetchOffset) throws IOException {
    List<Record> records = new ArrayList<>();
    try {
      for (RecordBatch batch : batchesFrom(snapshot, fetchOffset)) {
        records.addAll(batch.records());
      }
      return records;
    } catch (InvalidBatchException e) {
      throw new IOException(e);
    }
  }

  /** Offset, key and value of every record, as {@code 12 k=v}. */
  static List<String> lines(LogSnapshot snapshot) throws IOException {
    List<String> lines = new ArrayList<>();
    records(snapshot).forEach((offset, record) -> lines.add(offset + " " + text(record.key()) + "=" + text(record.value())));
    return lines;
  }
}
