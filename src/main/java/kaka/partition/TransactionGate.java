package kaka.partition;

import java.util.Optional;
import kaka.log.OngoingTransactions;
import kaka.log.PartitionLog;
import kaka.record.RecordBatch;
import kaka.record.TopicPartition;

/** Lets a batch begin a transaction in one partition only if its producer has added that partition to an ongoing one. */
record TransactionGate(TopicPartition partition, OngoingTransactions ongoing) {
  /** Why the transactional batch must not be stored; empty if it continues a transaction, or may begin one. */
  Optional<Refusal> refuses(PartitionLog log, RecordBatch batch) {
    if (log.hasOpenTransaction(batch.producerId())
        || ongoing.contains(batch.producerId(), batch.producerEpoch(), partition)) {
      return Optional.empty();
    }
    return Optional.of(ongoing.isKnown() ? Refusal.INVALID_TRANSACTION : Refusal.UNAVAILABLE);
  }
}
