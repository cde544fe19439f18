package kaka.log;

import static kaka.log.CompactionLogs.bytes;
import static kaka.log.CompactionLogs.compact;
import static kaka.log.CompactionLogs.keyed;
import static kaka.log.CompactionLogs.lines;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import kaka.TestClock;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TransactionMarker;
import org.junit.jupiter.api.Test;

/** Transactions in a compacted log: what was committed is compacted by key, what was aborted goes, and markers go last. */
class CompactedTransactionsTest {
  private static final Duration LONG_AFTER = CompactionLogs.DELETE_RETENTION.multipliedBy(3);
  private static final int P = 7;
  private static final int Q = 8;

  private final TestClock clock = new TestClock(1_000_000);
  private final MemoryDisk disk = new MemoryDisk(clock);
  private final int[] sequences = new int[10];

  private void seal(PartitionLog log) throws IOException {
    log.flush();
    clock.advance(Duration.ofDays(2));
    log.rollIfAged();
  }

  /** Key, value, key, value... as one batch of the producer's transaction. */
  private void write(PartitionLog log, int producer, String... keysAndValues) throws IOException {
    RecordBatchBuilder builder = new RecordBatchBuilder(64).producer(producer, (short) 0, sequences[producer]);
    CompactionLogs.addTo(builder, clock.millis(), keysAndValues);
    sequences[producer] += keysAndValues.length / 2;
    log.append(builder.transactional().build());
  }

  private static void end(PartitionLog log, int producer, boolean isCommit) throws IOException {
    log.append(new TransactionMarker(producer, (short) 0, isCommit, 0));
  }

  private void plain(PartitionLog log, String... keysAndValues) throws IOException {
    log.append(keyed(clock.millis(), keysAndValues));
  }

  /** As {@link CompactionLogs#lines}, without markers. */
  private static List<String> data(PartitionLog log) throws IOException {
    return lines(log.snapshot()).stream().filter(line -> !line.contains("\0")).toList();
  }

  /** Offsets of the markers that are there. */
  private static List<Long> markers(PartitionLog log) throws IOException {
    return CompactionLogs.batches(log.snapshot()).stream().filter(batch -> batch.isControl() && batch.recordCount() > 0).map(RecordBatch::baseOffset).toList();
  }

  private static List<Long> abortedAt(PartitionLog log) throws IOException {
    LogSnapshot snapshot = log.snapshot();
    return snapshot.abortedTransactions(0, snapshot.lastStableOffset()).stream().map(AbortedTransaction::lastOffset).toList();
  }

  private void end(PartitionLog log, String key) throws IOException {
    plain(log, key, "1");
    seal(log);
  }

  @Test
  void committedRecordsAreCompactedByKeyWhoeverWroteThem() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      write(log, P, "a", "1", "b", "1");
      end(log, P, true); // 2
      plain(log, "a", "2", "c", "1");
      seal(log);
      write(log, P, "c", "2");
      write(log, Q, "b", "2");
      end(log, P, true);
      end(log, Q, true);
      seal(log);
      end(log, "z");

      compact(log);

      assertEquals(List.of("3 a=2", "5 c=2", "6 b=2", "9 z=1"), data(log));
      assertEquals(10, log.snapshot().lastStableOffset());
    }
  }

  /** It was never there for those who read what is committed: neither does it count as the newest of its keys. */
  @Test
  void abortedRecordsGoAndDisplaceNothing() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      plain(log, "a", "1", "b", "1");
      write(log, P, "a", "aborted"); // 2
      write(log, Q, "b", "2"); // 3
      seal(log);
      write(log, P, "c", "aborted", "d", "aborted"); // 4
      end(log, P, false); // 6
      end(log, Q, true);
      write(log, P, "d", "1"); // 8
      end(log, P, true);
      seal(log);
      end(log, "z");

      compact(log);

      assertEquals(List.of("0 a=1", "3 b=2", "8 d=1", "10 z=1"), data(log));
    }
  }

  /** In the newest sealed segment the aborted batch leaves an empty one, whose marker must stay: nothing may look open. */
  @Test
  void newestSegmentKeepsWhatProducerStateIsRebuiltFrom() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      plain(log, "a", "1");
      seal(log);
      write(log, P, "a", "aborted");
      end(log, P, false);
      seal(log);
      compact(log);
      clock.advance(LONG_AFTER);
      compact(log);

      assertEquals(List.of("0 a=1"), data(log));
      assertEquals(List.of(2L), markers(log));
      assertEquals(1, CompactionLogs.batches(log.snapshot()).stream().filter(b -> b.producerId() == P && !b.isControl()).count());
    }
    reopenWithoutSnapshots(3);
  }

  @Test
  void markerInTheNewestSegmentStaysThoughNothingNeedsIt() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      write(log, P, "a", "1");
      seal(log);
      plain(log, "a", "2");
      end(log, P, true); // 2
      seal(log);
      for (int i = 0; i < 2; i++) {
        compact(log);
        clock.advance(LONG_AFTER);
      }
      assertEquals(0, compact(log), "no run for what waits for another segment");
      assertEquals(List.of("1 a=2"), data(log));
      assertEquals(List.of(2L), markers(log));
    }
  }

  @Test
  void markerStaysAsLongAsARecordOfItsTransactionDoes() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      write(log, P, "a", "1", "b", "1");
      seal(log);
      write(log, P, "c", "1");
      end(log, P, true); // 3
      seal(log);
      end(log, "z"); // 4
      for (int i = 0; i < 2; i++) {
        compact(log);
        clock.advance(LONG_AFTER);
        assertEquals(List.of(3L), markers(log));
        plain(log, i == 0 ? "a" : "b", "2"); // 5, 6
        seal(log);
      }
      plain(log, "c", "2");
      seal(log);
      compact(log);
      assertEquals(List.of(3L), markers(log), "for delete.retention it is there for readers");
      clock.advance(CompactionLogs.DELETE_RETENTION.minusMillis(1));
      assertEquals(0, compact(log), "no run for what only waits");
      clock.advance(Duration.ofMillis(1));
      assertEquals(1, compact(log), "a run for it alone");

      assertEquals(List.of(), markers(log));
      assertEquals(List.of("4 z=1", "5 a=2", "6 b=2", "7 c=2"), data(log));
    }
    reopenWithoutSnapshots(8);
  }

  /** And so does its entry in the index of aborted transactions, which would be looked through for ever. */
  @Test
  void abortedTransactionIsForgottenWithItsMarker() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      write(log, P, "a", "aborted");
      end(log, P, false); // 1
      write(log, Q, "a", "aborted too"); // 2
      seal(log);
      end(log, Q, false); // 3
      write(log, P, "a", "1"); // 4
      end(log, P, true); // 5
      seal(log);
      end(log, "z"); // 6
      compact(log);
      assertEquals(List.of(1L, 3L), abortedAt(log), "the markers are there, so are their entries");
      assertEquals(List.of("4 a=1", "6 z=1"), data(log));
      clock.advance(LONG_AFTER);
      compact(log);

      assertEquals(List.of(), abortedAt(log));
      assertEquals(List.of(5L), markers(log));
    }
    reopenWithoutSnapshots(7);
  }

  /** Nobody knows yet what will count. */
  @Test
  void nothingFromAnOpenTransactionOnIsCompacted() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      plain(log, "a", "1", "a", "2");
      seal(log);
      plain(log, "b", "1", "b", "2");
      write(log, P, "a", "3"); // 4
      seal(log);
      plain(log, "b", "3");
      seal(log);
      compact(log);
      assertEquals(List.of("1 a=2", "2 b=1", "3 b=2", "4 a=3", "5 b=3"), data(log));

      end(log, P, true);
      seal(log);
      compact(log);
      assertEquals(List.of("4 a=3", "5 b=3"), data(log));
    }
  }

  @Test
  void tombstoneOfATransactionGoesAsAnyOther() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      write(log, P, "a", "1");
      end(log, P, true);
      seal(log);
      write(log, P, "a", null); // 2
      end(log, P, true); // 3
      seal(log);
      end(log, "z"); // 4
      compact(log);
      assertEquals(List.of("2 a=null", "4 z=1"), data(log));
      clock.advance(LONG_AFTER);
      compact(log);
      assertEquals(List.of("4 z=1"), data(log));
      clock.advance(LONG_AFTER);
      compact(log);
      assertEquals(List.of(), markers(log));
    }
    reopenWithoutSnapshots(5);
  }

  /** A changelog as Kafka Streams writes it: what is left does not grow with how often its keys were written. */
  @Test
  void changelogOfManyTransactionsShrinks() throws IOException {
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      for (int i = 0; i < 600; i++) {
        write(log, P, "k" + i % 3, "v" + i, "k" + i % 5, "w" + i);
        end(log, P, i % 10 != 0);
        log.flush();
      }
      seal(log);
      end(log, "z");
      long before = log.snapshot().sizeBytes();
      for (int i = 0; i < 3; i++) {
        compact(log);
        clock.advance(LONG_AFTER);
      }

      assertTrue(log.snapshot().sizeBytes() < before / 10, log.snapshot().sizeBytes() + " of " + before + " bytes");
      assertEquals(6, data(log).size(), data(log).toString());
      assertTrue(markers(log).size() <= 20, markers(log).toString());
    }
    reopenWithoutSnapshots(600 * 3 + 1);
  }

  /** What an older kaka has compacted by leaving transactions as they were is compacted once more, from the start. */
  @Test
  void progressFromBeforeTransactionsWereCompactedBeginsAnew() throws IOException {
    LogFiles files = new LogFiles(TestLogs.DIRECTORY);
    try (PartitionLog log = CompactionLogs.create(disk, clock)) {
      write(log, P, "a", "1");
      end(log, P, true);
      write(log, P, "a", "2");
      end(log, P, true);
      seal(log);
      end(log, "z");
      compact(log);
    }
    String text = new String(TestLogs.content(disk, files.cleanedOffset()), StandardCharsets.US_ASCII);
    String old = text.substring(0, text.indexOf("crc32c")).replace("version: 1", "version: 0");
    CRC32C crc = new CRC32C();
    crc.update(bytes(old));
    TestLogs.setContent(disk, files.cleanedOffset(), bytes(old + String.format("crc32c: %08x%n", crc.getValue())));

    assertEquals(CleanedOffset.NONE, CleanedOffset.read(disk, files));
  }

  /** With nothing but the batches to go by, no transaction is open, and readers see the same. */
  private void reopenWithoutSnapshots(long end) throws IOException {
    List<String> before;
    try (PartitionLog log = CompactionLogs.open(disk, clock)) {
      before = new ArrayList<>(TransactionLogs.readCommitted(log.snapshot(), 0).values());
      assertFalse(before.isEmpty());
    }
    for (String name : disk.list(TestLogs.DIRECTORY)) {
      if (name.endsWith(".snapshot") || name.endsWith(".txnindex") || name.equals("clean-stop")) {
        disk.delete(TestLogs.file(name));
      }
    }
    try (PartitionLog log = CompactionLogs.open(disk, clock)) {
      assertEquals(end, log.snapshot().lastStableOffset());
      assertFalse(log.hasOpenTransaction(P) || log.hasOpenTransaction(Q));
      assertEquals(before, new ArrayList<>(TransactionLogs.readCommitted(log.snapshot(), 0).values()));
    }
  }
}
