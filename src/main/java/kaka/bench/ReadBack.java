package kaka.bench;

import java.util.Optional;
import java.util.function.Supplier;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;

/**
 * Compares the batches of one partition, in the order of their offsets, with what its connections had acknowledged: every
 * connection's records have to come in their order, none left out that was acknowledged, each where its ack said, byte for byte.
 * Records of others, in a topic that is shared, are passed over.
 */
final class ReadBack {
  private final Payload payload;
  private final AckLedger[] ledgers;
  private final long[] next;
  private long records;
  private long lost;
  private long moved;
  private long corrupt;
  private Optional<String> first = Optional.empty();

  /** @param ledgers by connection; null for those that write to another partition */
  ReadBack(Payload payload, AckLedger[] ledgers) {
    this.payload = payload;
    this.ledgers = ledgers;
    this.next = new long[ledgers.length];
  }

  void onBatch(RecordBatch batch) {
    if (!batch.isCrcValid()) {
      corrupt++;
      note(() -> "the CRC does not fit " + batch);
      return;
    }
    try (RecordCursor cursor = batch.cursor()) {
      while (cursor.next()) {
        if (payload.isOwn(cursor.array(), cursor.valuePosition(), cursor.valueSize())) {
          onRecord(cursor.array(), cursor.valuePosition(), cursor.offset());
        }
      }
    } catch (InvalidBatchException e) {
      corrupt++;
      note(() -> batch + ": " + e.getMessage());
    }
  }

  private void onRecord(byte[] array, int position, long offset) {
    records++;
    int connection = Payload.connection(array, position);
    if (connection < 0 || connection >= ledgers.length || ledgers[connection] == null || !payload.isIntact(array, position)) {
      corrupt++;
      note(() -> "the record at offset " + offset + " is not the one that was sent");
      return;
    }
    long sequence = Payload.sequence(array, position);
    long due = next[connection];
    if (sequence < due) {
      moved++;
      note(() -> "record " + sequence + " of connection " + connection + " comes again, or too late, at offset " + offset);
      return;
    }
    if (sequence > due) {
      miss(connection, due, sequence);
    }
    next[connection] = sequence + 1;
    long request = sequence / payload.batchRecords();
    if (sequence % payload.batchRecords() == 0 && ledgers[connection].isAcknowledged(request)) {
      ledgers[connection].found(request, offset);
    }
  }

  /** The records from {@code from} to before {@code to} are not there. */
  private void miss(int connection, long from, long to) {
    int batchRecords = payload.batchRecords();
    long missed = ledgers[connection].acknowledgedBetween(from / batchRecords, (to + batchRecords - 1) / batchRecords);
    if (missed > 0) {
      lost += missed;
      note(() -> "of connection " + connection + ", acknowledged records between " + from + " and " + (to - 1) + " are missing");
    }
  }

  private void note(Supplier<String> what) {
    if (first.isEmpty()) {
      first = Optional.of(what.get());
    }
  }

  /** Everything was read. */
  Verification end() {
    for (int connection = 0; connection < ledgers.length; connection++) {
      AckLedger ledger = ledgers[connection];
      if (ledger == null) {
        continue;
      }
      miss(connection, next[connection], ledger.answered() * payload.batchRecords());
      long differing = ledger.rangesThatDiffer();
      if (differing > 0 && lost + corrupt + moved == 0) { // else what is missing is why they differ
        moved += differing;
        int which = connection;
        note(() -> "records of connection " + which + " are elsewhere than their acks said");
      }
    }
    return new Verification(records, lost, moved, corrupt, first);
  }
}
