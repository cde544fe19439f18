package kaka.partition;

import java.util.ArrayList;
import java.util.List;
import kaka.metrics.PartitionCounts;
import kaka.metrics.StorageMetrics;

/**
 * The appends, and ends of transactions, that the next commit covers, in their order; bounded by the credit of those who asked, and
 * by the transactions there are. Has the partition's actor.
 */
final class PendingAppends {
  private final PartitionCounts counts;
  private final StorageMetrics metrics;
  private final List<PendingReply> appends = new ArrayList<>();
  private boolean isDurable;

  PendingAppends(PartitionCounts counts, StorageMetrics metrics) {
    this.counts = counts;
    this.metrics = metrics;
  }

  boolean isEmpty() {
    return appends.isEmpty();
  }

  void add(PendingReply staged) {
    appends.add(staged);
    isDurable |= staged.isDurable();
  }

  /** Whether any of them is told only when it is synced. */
  boolean isDurable() {
    return isDurable;
  }

  /**
   * The commit is done.
   *
   * @param startNs when it began, of {@link System#nanoTime}
   * @param syncNs how long its sync took; 0 if there was none
   */
  void acknowledge(long startNs, long writeNs, long syncNs) {
    if (appends.isEmpty()) {
      return;
    }
    count(startNs, writeNs, syncNs);
    appends.forEach(PendingReply::acknowledge);
    clear();
  }

  /** Before anybody hears of it: who has an answer finds it counted. */
  private void count(long startNs, long writeNs, long syncNs) {
    long nowNs = System.nanoTime();
    long records = 0;
    long bytes = 0;
    long batches = 0;
    for (PendingReply reply : appends) {
      if (reply instanceof PendingAppend append) {
        records += append.recordCount();
        bytes += append.sizeBytes();
        batches += append.batchCount();
        metrics.acknowledged(Math.max(0, startNs - append.sentNs()), Math.max(0, nowNs - append.sentNs()));
      }
    }
    if (batches > 0) {
      counts.produced(records, bytes, batches);
      metrics.committed(writeNs, records, bytes);
      if (syncNs > 0) {
        metrics.synced(syncNs);
      }
    }
  }

  /** The commit will not be. */
  void refuse(Refusal reason) {
    appends.forEach(append -> append.refuse(reason));
    clear();
  }

  private void clear() {
    appends.clear();
    isDurable = false;
  }
}
