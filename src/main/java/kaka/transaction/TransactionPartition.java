package kaka.transaction;

import java.util.UUID;
import kaka.log.InternalLog;
import kaka.log.OngoingTransactions;
import kaka.record.TopicPartition;

/** What a transaction has part in: a partition of one topic's life, or the offsets of groups. */
public record TransactionPartition(UUID topicId, TopicPartition partition) {
  /** Offsets that are committed with the transaction, of whatever groups. */
  public static final TransactionPartition OFFSETS =
      new TransactionPartition(InternalLog.OFFSETS.id(), OngoingTransactions.OFFSETS);
}
