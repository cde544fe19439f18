package kaka.transaction;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What is known of one transactional id; immutable.
 *
 * @param epoch older ones of the producer are fenced
 * @param lastProducerId the one before, if that ran out of epochs, so that its owner can ask again; else -1
 * @param lastEpoch the epoch that was given up for this one on its owner's demand, so that it can ask again; else -1
 * @param timeoutMs a transaction that lasts longer is aborted
 * @param partitions of the transaction, while it is ongoing or prepared
 * @param startedMs when that began, in milliseconds since 1970; -1 if none is
 * @param changedMs when any of this last changed
 * @param owed what is still to be told of earlier transactions
 */
public record Transaction(
    String id,
    long producerId,
    short epoch,
    long lastProducerId,
    short lastEpoch,
    int timeoutMs,
    TransactionPhase phase,
    Set<TransactionPartition> partitions,
    long startedMs,
    long changedMs,
    List<OwedMarker> owed) {
  static final long NO_PRODUCER = -1;
  static final short NO_EPOCH = -1;

  private static final int BASE_BYTES = 400;
  private static final int PARTITION_BYTES = 160;

  public Transaction {
    partitions = java.util.Collections.unmodifiableSet(new LinkedHashSet<>(partitions));
    owed = List.copyOf(owed);
  }

  static Transaction begun(String id, long producerId, int timeoutMs, long nowMs) {
    return new Transaction(
        id, producerId, (short) 0, NO_PRODUCER, NO_EPOCH, timeoutMs, TransactionPhase.EMPTY, Set.of(), -1, nowMs, List.of());
  }

  /** In memory, about. */
  long sizeBytes() {
    return sizeBytes(id, partitions.size() + owed.size());
  }

  static long sizeBytes(String id, int partitionCount) {
    return BASE_BYTES + 2L * id.length() + (long) PARTITION_BYTES * partitionCount;
  }

  /** The last epoch but one is not given to producers: the last is for fencing them. */
  static boolean isExhausted(short epoch) {
    return epoch >= Short.MAX_VALUE - 1;
  }

  /** Another producer of this id, without a transaction. */
  Transaction withProducer(
      long newId, short newEpoch, long newLastId, short newLastEpoch, int newTimeoutMs, long nowMs) {
    return new Transaction(
        id, newId, newEpoch, newLastId, newLastEpoch, newTimeoutMs, TransactionPhase.EMPTY, Set.of(), -1, nowMs, owed);
  }

  /** More partitions in a transaction, which begins now if none was ongoing. */
  Transaction ongoing(Set<TransactionPartition> more, long nowMs) {
    Set<TransactionPartition> all = new LinkedHashSet<>();
    boolean isOngoing = phase == TransactionPhase.ONGOING;
    if (isOngoing) {
      all.addAll(partitions);
    }
    all.addAll(more);
    long begunMs = isOngoing ? startedMs : nowMs;
    return with(epoch, NO_EPOCH, TransactionPhase.ONGOING, all, begunMs, nowMs, owed);
  }

  /** Decided. */
  Transaction prepared(boolean isCommit, short newEpoch, short newLastEpoch, long nowMs) {
    TransactionPhase next = isCommit ? TransactionPhase.PREPARE_COMMIT : TransactionPhase.PREPARE_ABORT;
    return with(newEpoch, newLastEpoch, next, partitions, startedMs, nowMs, owed);
  }

  /** Everybody knows, but for those that {@code stillOwed} are. */
  Transaction completed(List<OwedMarker> stillOwed, long nowMs) {
    TransactionPhase next =
        phase == TransactionPhase.PREPARE_COMMIT ? TransactionPhase.COMPLETE_COMMIT : TransactionPhase.COMPLETE_ABORT;
    return with(epoch, lastEpoch, next, Set.of(), -1, nowMs, stillOwed);
  }

  Transaction withOwed(List<OwedMarker> stillOwed) {
    return with(epoch, lastEpoch, phase, partitions, startedMs, changedMs, stillOwed);
  }

  private Transaction with(
      short newEpoch,
      short newLastEpoch,
      TransactionPhase newPhase,
      Set<TransactionPartition> newPartitions,
      long newStartedMs,
      long newChangedMs,
      List<OwedMarker> newOwed) {
    return new Transaction(
        id,
        producerId,
        newEpoch,
        lastProducerId,
        newLastEpoch,
        timeoutMs,
        newPhase,
        newPartitions,
        newStartedMs,
        newChangedMs,
        newOwed);
  }
}
