package kaka.log;

import static kaka.log.TestLogs.DIRECTORY;
import static kaka.log.TestLogs.TOPIC_ID;
import static kaka.log.TestLogs.file;
import static kaka.log.TransactionLogs.abort;
import static kaka.log.TransactionLogs.commit;
import static kaka.log.TransactionLogs.numbered;
import static kaka.log.TransactionLogs.readCommitted;
import static kaka.log.TransactionLogs.transactional;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import kaka.log.FaultyDisk.Operation;
import org.junit.jupiter.api.Test;

/** Transactions in one log: what is stable, what was aborted, and that neither is forgotten. */
class TransactionLogTest {
  private final MemoryDisk disk = new MemoryDisk();
  private final TransactionLogs.Model model = new TransactionLogs.Model();

  private void data(PartitionLog log, long producerId, int sequence, String... values) throws IOException {
    assertEquals(model.entries.size(), log.append(transactional(producerId, 0, sequence, values)));
    model.data(producerId, true, values);
  }

  private void plain(PartitionLog log, String... values) throws IOException {
    log.append(TestLogs.batch(values));
    model.data(-1, false, values);
  }

  private void end(PartitionLog log, kaka.record.TransactionMarker marker) throws IOException {
    assertEquals(MarkerCheck.WRITE, log.check(marker));
    assertEquals(model.entries.size(), log.append(marker));
    model.marker(marker);
  }

  /** Three producers, six or more segments of 1 KiB: 1 commits, 2 aborts, 3 begins in the first and is open at the end. */
  private void fill() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      plain(log, "plain");
      for (int i = 0; i < 12; i++) {
        data(log, 1, i, TestLogs.text(i, 100));
        data(log, 2, i, TestLogs.text(i + 100, 100));
        if (i == 4) {
          data(log, 3, 0, "open");
        }
        if (i % 3 == 2) {
          end(log, commit(1, 0));
          end(log, abort(2, 0));
        }
      }
      log.flush();
      assertTrue(log.snapshot().segmentCount() > 5, "segments " + log.snapshot().segmentCount());
      model.check(log.snapshot(), "as written");
    }
  }

  private List<String> names(String suffix) throws IOException {
    return disk.list(DIRECTORY).stream().filter(name -> name.endsWith(suffix)).toList();
  }

  @Test
  void lastStableOffsetIsTheEarliestOpenTransactionsFirst() throws IOException {
    PartitionLog log = TestLogs.create(disk);
    plain(log, "a", "b");
    data(log, 1, 0, "c");
    log.flush();
    data(log, 2, 0, "d");
    assertEquals(2, log.snapshot().lastStableOffset());
    log.flush();
    end(log, commit(1, 0));
    assertEquals(2, log.snapshot().lastStableOffset(), "a marker that is not on disk ends nothing yet");
    log.flush();
    assertEquals(3, log.snapshot().lastStableOffset());
    assertEquals(5, log.snapshot().highWatermark());
    end(log, abort(2, 0));
    plain(log, "e");
    log.flush();
    assertEquals(7, log.snapshot().lastStableOffset());

    assertEquals(Map.of(0L, "a", 1L, "b", 2L, "c", 6L, "e"), readCommitted(log.snapshot(), 0));
    assertEquals(
        List.of(new AbortedTransaction(2, 3, 5, 6)), log.snapshot().abortedTransactions(0, 7), "as Kafka's index has it");
    assertEquals(List.of(), log.snapshot().abortedTransactions(0, 3), "it begins behind that");
    assertEquals(List.of(), log.snapshot().abortedTransactions(6, 7), "it has ended before that");
    log.close();
  }

  @Test
  void committedSnapshotEndsAtTheLastStableOffset() throws IOException {
    fill();
    try (PartitionLog log = TestLogs.open(disk)) {
      LogSnapshot committed = log.snapshot().committed();
      long stable = log.snapshot().lastStableOffset();
      assertTrue(stable < log.snapshot().highWatermark());

      assertEquals(stable, committed.highWatermark());
      try (LogReader reader = committed.reader(stable)) {
        assertEquals(0, reader.sizeBytes());
      }
      assertEquals(
          stable, TransactionLogs.batches(committed, 0).stream().mapToLong(batch -> batch.lastOffset() + 1).max().orElse(-1));
      assertThrows(IllegalArgumentException.class, () -> committed.reader(stable + 1));
      long future = Long.MAX_VALUE / 2;
      log.append(TestLogs.batchAt(future, "late"));
      log.flush();
      assertTrue(log.snapshot().offsetForTime(future).isPresent());
      assertEquals(OptionalLong.empty(), log.snapshot().committed().offsetForTime(future), "it is not stable");
    }
  }

  @Test
  void restartKnowsWhatIsOpenAndWhatWasAborted() throws IOException {
    fill();
    FaultyDisk counting = new FaultyDisk(disk);
    try (PartitionLog log = TestLogs.open(counting)) {
      model.check(log.snapshot(), "restart");
      assertEquals(names(".log").size() - 1, names(".txnindex").size(), "one for each sealed segment");
      assertEquals(1, counting.count(Operation.OPEN, ".snapshot"));

      end(log, abort(3, 0));
      log.flush();
      model.check(log.snapshot(), "the last one ends");
      assertEquals(log.snapshot().highWatermark(), log.snapshot().lastStableOffset());
    }
    try (PartitionLog log = TestLogs.open(disk)) {
      model.check(log.snapshot(), "another restart");
    }
  }

  @Test
  void aLogWithoutTransactionsHasNoIndexOfThem() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      for (int i = 0; i < 40; i++) {
        plain(log, TestLogs.text(i, 100));
      }
    }
    try (PartitionLog log = TestLogs.open(disk)) {
      assertEquals(List.of(), names(".txnindex"));
      for (int i = 0; i < 20; i++) {
        data(log, 1, i, TestLogs.text(i, 100));
        log.flush();
      }
      end(log, commit(1, 0));
    }

    assertTrue(names(".txnindex").size() >= 2 && names(".txnindex").size() < names(".log").size() - 3);
    List<String> logged =
        new WarnLog()
            .during(
                () -> {
                  try (PartitionLog log = TestLogs.open(disk)) {
                    model.check(log.snapshot(), "restart");
                  }
                });
    assertEquals(List.of(), logged, "nothing is missing");
  }

  @Test
  void indexFileIsKafkas() throws IOException {
    try (PartitionLog log = TestLogs.create(disk)) {
      data(log, 2, 0, "a");
      data(log, 7, 0, "b");
      end(log, abort(2, 0));
      for (int i = 1; names(".txnindex").isEmpty(); i++) {
        data(log, 7, i, TestLogs.text(i, 100));
      }
    }
    assertEquals(
        "0000" + "0000000000000002" + "0000000000000000" + "0000000000000002" + "0000000000000001",
        HexFormat.of().formatHex(TestLogs.content(disk, file("00000000000000000000.txnindex"))));
  }

  /** Whatever is in it instead: nobody may take an aborted record for a committed one. */
  @Test
  void missingOrDamagedIndexIsMadeAnew() throws IOException {
    fill();
    Random random = new Random(1);
    for (String name : names(".txnindex")) {
      byte[] content = TestLogs.content(disk, file(name));
      for (int i = 0; i <= content.length; i += 3) {
        disk.delete(file(name));
        if (i > 0) {
          byte[] damaged = new byte[i == content.length ? i : i - 1];
          random.nextBytes(damaged);
          TestLogs.setContent(disk, file(name), damaged);
        }
        if (i == 1 && content.length == 0) {
          continue;
        }

        try (PartitionLog log = TestLogs.open(disk)) {
          model.check(log.snapshot(), name + " with " + i + " bytes");
        }
        assertEquals(
            HexFormat.of().formatHex(content), HexFormat.of().formatHex(TestLogs.content(disk, file(name))), name + " " + i);
      }
    }
  }

  @Test
  void indexThatCannotBeStoredIsKeptInMemory() throws IOException {
    fill();
    for (String name : names(".txnindex")) {
      disk.delete(file(name));
    }
    FaultyDisk full = new FaultyDisk(disk);
    full.failFrom(FaultyDisk.CHANGES, ".txnindex.tmp", 1);
    full.failFrom(FaultyDisk.CHANGES, ".txnindex", 1);

    try (PartitionLog log = TestLogs.open(full)) {
      model.check(log.snapshot(), "full disk");
      assertEquals(List.of(), names(".txnindex"));
    }
  }

  /** Neither of the two snapshots can be read: what is open is found in the batches, however many there are. */
  @Test
  void withoutSnapshotsTheBatchesTellWhatIsOpen() throws IOException {
    fill();
    for (String name : names(".snapshot")) {
      disk.delete(file(name));
    }
    try (PartitionLog log = TestLogs.open(disk)) {
      model.check(log.snapshot(), "walked");
      assertTrue(log.hasOpenTransaction(3) && !log.hasOpenTransaction(1));
    }
  }

  @Test
  void retentionAcrossAnOpenTransaction() throws IOException {
    fill();
    LogConfig keepLittle = new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, 2500, Duration.ZERO, 0);
    try (PartitionLog log = PartitionLog.open(disk, DIRECTORY, TOPIC_ID, keepLittle, Clock.systemUTC())) {
      assertTrue(log.deleteExpiredSegments() > 0);
      assertTrue(log.snapshot().logStartOffset() > 10, "the open transaction's first record is gone");
      assertEquals(log.snapshot().logStartOffset(), log.snapshot().lastStableOffset());
      model.check(log.snapshot(), "retention");
    }
    try (PartitionLog log = TestLogs.open(disk)) {
      model.check(log.snapshot(), "restart");
      end(log, commit(3, 0));
      log.flush();
      model.check(log.snapshot(), "ended");
      assertEquals(log.snapshot().highWatermark(), log.snapshot().lastStableOffset());
      assertEquals(names(".log").size() - 1, names(".txnindex").size());
    }
  }

  /** The marker is in the file, but no sync is known of, and the disk takes no more: it counts for nothing. */
  @Test
  void anOpenTransactionIsOpenWhereItsMarkerIsNotShown() throws IOException {
    PartitionLog log = TestLogs.create(disk);
    data(log, 1, 0, "a");
    log.flush();
    end(log, commit(1, 0));
    log.write(); // not synced: the recovery point is before the marker
    log.abandon();
    FaultyDisk refusing = new FaultyDisk(disk);
    refusing.failFrom(FaultyDisk.CHANGES, "", 1);

    try (PartitionLog readOnly = TestLogs.open(refusing)) {
      assertEquals(false, readOnly.isWritable());
      assertEquals(1, readOnly.snapshot().highWatermark());
      assertEquals(0, readOnly.snapshot().lastStableOffset());
    }
  }

  @Test
  void anEarlierEpochIsFencedByAMarkerAndTheNextBeginsWithZero() throws IOException {
    PartitionLog log = TestLogs.create(disk);
    data(log, 1, 0, "a");
    end(log, abort(1, 4));
    log.flush();
    for (int round = 0; round < 2; round++) {
      ProducerCheck zombie = log.check(transactional(1, 3, 0, "z"));
      assertEquals(ProducerCheck.Reason.FENCED, ((ProducerCheck.Refused) zombie).reason());
      assertTrue(log.check(transactional(1, 4, 1, "x")) instanceof ProducerCheck.Refused, "not with 1");
      assertEquals(ProducerCheck.Accepted.INSTANCE, log.check(transactional(1, 4, 0, "x")));
      assertEquals(MarkerCheck.ENDED, log.check(abort(1, 4)), "once is enough");
      assertEquals(MarkerCheck.FENCED, log.check(commit(1, 3)));
      log.close();
      log = TestLogs.open(disk);
    }
    log.close();
  }

  @Test
  void nothingIsMixedIntoAnOpenTransaction() throws IOException {
    PartitionLog log = TestLogs.create(disk);
    data(log, 1, 0, "a");
    for (kaka.record.RecordBatch each :
        List.of(numbered(1, 0, 1, "plain").build(), transactional(1, 1, 0, "newer"), numbered(1, 1, 0, "x").build())) {
      ProducerCheck.Refused refused = (ProducerCheck.Refused) log.check(each);
      assertEquals(ProducerCheck.Reason.INVALID_TRANSACTION, refused.reason(), refused.detail());
    }
    end(log, abort(1, 0));
    assertEquals(ProducerCheck.Accepted.INSTANCE, log.check(transactional(1, 1, 0, "newer")));
    log.close();
  }

  @Test
  void producersAreDescribed() throws IOException {
    PartitionLog log = TestLogs.create(disk);
    plain(log, "p");
    data(log, 1, 0, "a", "b");
    data(log, 2, 0, "c");
    end(log, new kaka.record.TransactionMarker(2, (short) 1, true, 6));
    log.flush();
    List<ActiveProducer> producers = log.producers();
    assertEquals(2, producers.size());
    for (ActiveProducer each : producers) {
      assertEquals(each.producerId() == 1 ? OptionalLong.of(1) : OptionalLong.empty(), each.transactionStart());
      assertEquals(each.producerId() == 1 ? 1 : -1, each.lastSequence());
      assertEquals(each.producerId() == 1 ? 0 : 1, each.epoch());
      assertEquals(each.producerId() == 1 ? -1 : 6, each.coordinatorEpoch());
    }
    log.close();
  }
}
