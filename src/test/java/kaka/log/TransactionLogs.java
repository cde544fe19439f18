package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeMap;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TransactionMarker;

/** What tests of transactions in a log share: batches, a plain model of a log, and a reader that does what Kafka's consumer does. */
public final class TransactionLogs {
  private TransactionLogs() {}

  static RecordBatch transactional(long producerId, int epoch, int sequence, String... values) {
    return numbered(producerId, epoch, sequence, values).transactional().build();
  }

  static RecordBatchBuilder numbered(long producerId, int epoch, int sequence, String... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder(64).producer(producerId, (short) epoch, sequence);
    for (String value : values) {
      builder.append(1000, value.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8), List.of());
    }
    return builder;
  }

  static TransactionMarker commit(long producerId, int epoch) {
    return new TransactionMarker(producerId, (short) epoch, true, 0);
  }

  static TransactionMarker abort(long producerId, int epoch) {
    return new TransactionMarker(producerId, (short) epoch, false, 0);
  }

  /** Values of the records from {@code from} on that a read_committed consumer gives, by their offsets. */
  public static Map<Long, String> readCommitted(LogSnapshot shown, long from) throws IOException {
    Map<Long, String> values = new TreeMap<>();
    committedRecords(shown, from).forEach(record -> values.put(record.offset(), CompactionLogs.text(record.value())));
    return values;
  }

  /** The records from {@code from} on that a read_committed consumer gives, in their order. */
  static List<Record> committedRecords(LogSnapshot shown, long from) throws IOException {
    LogSnapshot snapshot = shown.committed();
    List<Record> records = new ArrayList<>();
    PriorityQueue<AbortedTransaction> aborted =
        new PriorityQueue<>(Comparator.comparingLong(AbortedTransaction::firstOffset));
    aborted.addAll(snapshot.abortedTransactions(from, snapshot.highWatermark()));
    Set<Long> abortedIds = new HashSet<>();
    for (RecordBatch batch : batches(snapshot, from)) {
      while (!aborted.isEmpty() && aborted.peek().firstOffset() <= batch.lastOffset()) {
        abortedIds.add(aborted.poll().producerId());
      }
      if (batch.isControl()) {
        abortedIds.remove(batch.producerId());
      } else if (!batch.isTransactional() || !abortedIds.contains(batch.producerId())) {
        recordsOf(batch).stream().filter(record -> record.offset() >= from).forEach(records::add);
      }
    }
    return records;
  }

  static List<RecordBatch> batches(LogSnapshot snapshot, long from) throws IOException {
    List<RecordBatch> batches = new ArrayList<>();
    try (LogReader reader = snapshot.reader(from)) {
      byte[] bytes = new byte[(int) reader.sizeBytes()];
      assertEquals(bytes.length, reader.read(ByteBuffer.wrap(bytes), 0));
      for (int at = 0; at < bytes.length; ) {
        RecordBatch batch = RecordBatch.frame(bytes, at, bytes.length);
        assertTrue(batch.isCrcValid());
        batches.add(batch);
        at += batch.sizeBytes();
      }
    } catch (InvalidBatchException e) {
      throw new IOException(e);
    }
    if (!batches.isEmpty()) {
      assertEquals(snapshot.highWatermark(), batches.get(batches.size() - 1).lastOffset() + 1);
    }
    return batches;
  }

  private static List<Record> recordsOf(RecordBatch batch) throws IOException {
    try {
      return batch.records();
    } catch (InvalidBatchException e) {
      throw new IOException(e);
    }
  }

  /** What a log holds, one entry an offset, in the plainest way. */
  static final class Model {
    /** @param value null for a marker */
    record Entry(long producerId, boolean isTransactional, String value, boolean isCommit) {}

    final List<Entry> entries = new ArrayList<>();

    void data(long producerId, boolean isTransactional, String... values) {
      for (String value : values) {
        entries.add(new Entry(producerId, isTransactional, value, false));
      }
    }

    void marker(TransactionMarker marker) {
      entries.add(new Entry(marker.producerId(), true, null, marker.isCommit()));
    }

    /** First offset of the earliest transaction that is open among the first {@code end} entries. */
    long lastStableOffset(int end) {
      Map<Long, Long> open = new HashMap<>();
      for (int i = 0; i < end; i++) {
        Entry each = entries.get(i);
        if (each.value() == null) {
          open.remove(each.producerId());
        } else if (each.isTransactional()) {
          open.putIfAbsent(each.producerId(), (long) i);
        }
      }
      return open.values().stream().mapToLong(offset -> offset).min().orElse(end);
    }

    /** What a read_committed reader must see of the first {@code end} entries, from {@code from} on. */
    Map<Long, String> committed(long from, int end) {
      Map<Long, String> values = new TreeMap<>();
      for (int i = (int) from; i < lastStableOffset(end); i++) {
        Entry each = entries.get(i);
        if (each.value() != null && (!each.isTransactional() || isCommitted(i, end))) {
          values.put((long) i, each.value());
        }
      }
      return values;
    }

    private boolean isCommitted(int offset, int end) {
      for (int i = offset + 1; i < end; i++) {
        Entry each = entries.get(i);
        if (each.value() == null && each.producerId() == entries.get(offset).producerId()) {
          return each.isCommit();
        }
      }
      throw new AssertionError("offset " + offset + " is in an open transaction");
    }

    /** The log shows just what is to be seen, from every offset. */
    void check(LogSnapshot snapshot, String when) throws IOException {
      int end = (int) snapshot.highWatermark();
      long start = snapshot.logStartOffset();
      assertEquals(Math.max(start, lastStableOffset(end)), snapshot.lastStableOffset(), when);
      for (long from = start; from <= snapshot.lastStableOffset(); from += 1 + (snapshot.lastStableOffset() - start) / 7) {
        assertEquals(committed(from, end), readCommitted(snapshot, from), when + ", from " + from);
      }
    }
  }
}
