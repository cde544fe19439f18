package kaka.transaction;

import kaka.record.TransactionMarker;

/** The end of an earlier transaction that a partition, whose storage failed, has not heard of: it is told after the next start. */
public record OwedMarker(TransactionPartition partition, long producerId, short epoch, boolean isCommit) {
  TransactionMarker marker() {
    return new TransactionMarker(producerId, epoch, isCommit, TransactionState.COORDINATOR_EPOCH);
  }
}
