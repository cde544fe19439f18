package kaka.log;

import java.io.IOException;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.TransactionMarker;

/**
 * What the transactions of an imported log come to: an index of the aborted ones for each segment that another follows, and
 * which are open where the last one begins. Of their producers nothing else is remembered: their ids are another broker's.
 */
final class ImportedTransactions {
  private final ProducerState state = new ProducerState();
  private AbortedIndex aborted = new AbortedIndex();

  /** The next batch of the current segment. */
  void add(RecordBatch batch) {
    if (!batch.isControl()) {
      if (batch.isTransactional() && batch.producerId() >= 0) {
        state.add(batch, batch.baseOffset(), batch.maxTimestampMs());
      }
      return;
    }
    if (batch.sizeBytes() <= TransactionMarker.MAX_BYTES) {
      try {
        state.end(TransactionMarker.of(batch), batch.baseOffset(), batch.maxTimestampMs()).ifPresent(aborted::add);
      } catch (InvalidBatchException e) { // of another kind, which says nothing of transactions
        return;
      }
    }
  }

  /** The current segment, which ends before {@code nextOffset}, is sealed: its index becomes durable, but for its directory. */
  void seal(Disk disk, LogFiles files, long baseOffset, long nextOffset) throws IOException {
    if (nextOffset > state.transactionsFrom()) {
      AbortedIndex.write(disk, files, baseOffset, aborted.entries());
    }
    aborted = new AbortedIndex();
  }

  /** What is open now, and from where on there are transactions. */
  ProducerState open() {
    ProducerState open = new ProducerState();
    open.adoptTransactions(state);
    return open;
  }
}
