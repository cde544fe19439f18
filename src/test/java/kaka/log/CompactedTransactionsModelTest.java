package kaka.log;

import static kaka.log.CompactionLogs.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
class CompactedTransactionsModelTest extends CompactedLife<CompactedTransactionsModelTest.Entry> {
  private static final int PRODUCERS = 3;
  private static final int NOBODY = -1;

  /** One offset. @param isMarker then {@code value} says whether it commits */
  record Entry(int producer, boolean isMarker, String key, String value) {}

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void theCommittedRecordsGiveTheMap(int round) throws IOException {
    live(round, 2000, 600, 20);
  }

  /** Every transaction ends, and all that can go goes. */
  @Override
  void finish() throws IOException {
    for (int i = 0; i < PRODUCERS; i++) {
      end(i);
    }
    append(NOBODY);
    log.flush();
    log.rollIfAged();
    int leastMarkers = Integer.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      compactAll();
      leastMarkers = Math.min(leastMarkers, (int) CompactionLogs.batches(log.snapshot()).stream().filter(RecordBatch::isControl).count());
      clock.advance(Duration.ofDays(3));
    }
    check();
    long markers = written.stream().filter(Entry::isMarker).count();
    assertTrue(leastMarkers < markers / 2, leastMarkers + " of " + markers + " markers are left");
  }

  @Override
  void step() throws IOException {
    int choice = random.nextInt(100);
    if (choice < 45) {
      append(random.nextInt(PRODUCERS + 1) - 1);
    } else if (choice < 58) {
      end(random.nextInt(PRODUCERS));
    } else if (choice < 65) {
      flush();
    } else if (choice < 68) {
      log.rollIfAged();
    } else if (choice < 88) {
      compactSome();
    } else if (choice < 94) {
      check();
    } else if (choice < 96) {
      restart();
    } else {
      cutPower();
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

  /** Now and then with nothing but the batches to go by. */
  @Override
  void beforeOpen() throws IOException {
    if (random.nextInt(3) == 0) {
      for (String name : disk.list(TestLogs.DIRECTORY)) {
        if (name.endsWith(".snapshot") || name.equals("clean-stop") || name.endsWith(".txnindex") && random.nextBoolean()) {
          disk.delete(TestLogs.file(name));
        }
      }
    }
  }

  @Override
  void check() throws IOException {
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
}
