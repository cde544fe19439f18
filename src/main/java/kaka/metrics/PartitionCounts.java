package kaka.metrics;

import java.util.concurrent.atomic.LongAdder;

/** What went into one partition and out of it, since it was opened. Safe from any thread. */
public final class PartitionCounts {
  private final LongAdder producedRecords = new LongAdder();
  private final LongAdder producedBytes = new LongAdder();
  private final LongAdder producedBatches = new LongAdder();
  private final LongAdder fetchedRecords = new LongAdder();
  private final LongAdder fetchedBytes = new LongAdder();

  /** A commit was acknowledged. */
  public void produced(long records, long bytes, long batches) {
    producedRecords.add(records);
    producedBytes.add(bytes);
    producedBatches.add(batches);
  }

  /** An answer has so much of the partition. */
  public void fetched(long records, long bytes) {
    fetchedRecords.add(records);
    fetchedBytes.add(bytes);
  }

  public long producedRecords() {
    return producedRecords.sum();
  }

  public long producedBytes() {
    return producedBytes.sum();
  }

  public long producedBatches() {
    return producedBatches.sum();
  }

  public long fetchedRecords() {
    return fetchedRecords.sum();
  }

  public long fetchedBytes() {
    return fetchedBytes.sum();
  }
}
