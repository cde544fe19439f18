package kaka.partition;

import java.time.Duration;
import kaka.log.OngoingTransactions;
import kaka.metrics.StorageMetrics;

/**
 * What all partitions of a broker have in common.
 *
 * @param fsyncInterval zero: every ack waits for its sync; else how long acknowledged bytes may stay unsynced
 * @param tidyInterval how often age rolls, retention and compaction are looked at
 * @param compaction what a partition shares with all others
 * @param transactions which may begin
 * @param metrics what all partitions count together
 */
public record PartitionSettings(
    Duration fsyncInterval,
    Duration tidyInterval,
    CompactionShare compaction,
    OngoingTransactions transactions,
    StorageMetrics metrics) {
  /** Where nobody looks at what is counted. */
  public PartitionSettings(
      Duration fsyncInterval, Duration tidyInterval, CompactionShare compaction, OngoingTransactions transactions) {
    this(fsyncInterval, tidyInterval, compaction, transactions, new StorageMetrics());
  }

  /** Where nobody begins transactions. */
  public PartitionSettings(Duration fsyncInterval, Duration tidyInterval, CompactionShare compaction) {
    this(fsyncInterval, tidyInterval, compaction, new OngoingTransactions());
  }
}
