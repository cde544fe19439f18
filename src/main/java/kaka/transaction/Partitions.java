package kaka.transaction;

import java.util.Optional;
import kaka.partition.PartitionHandle;

/** Where the partitions of transactions are; any thread. */
public interface Partitions {
  /** The partition, if it is still that of the same topic. */
  Optional<PartitionHandle> find(TransactionPartition partition);

  /** Whether one that is not found is no more; false if there may be topics that nobody knows. */
  boolean isComplete();
}
