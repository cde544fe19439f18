package kaka.metrics;

import java.util.concurrent.atomic.LongAdder;

/** What partitions do with the disk: commits, recovery, retention, compaction. Safe from any thread. */
public final class StorageMetrics {
  private final Histogram queue = Histogram.ofDurations();
  private final Histogram write = Histogram.ofDurations();
  private final Histogram sync = Histogram.ofDurations();
  private final Histogram total = Histogram.ofDurations();
  private final Histogram commitBytes = Histogram.ofBytes();
  private final Histogram commitRecords = Histogram.ofCounts();
  private final Labelled refused = new Labelled();
  private final LongAdder scannedBytes = new LongAdder();
  private final LongAdder rewrittenBytes = new LongAdder();
  private final LongAdder cutBytes = new LongAdder();
  private final LongAdder deletedSegments = new LongAdder();
  private final LongAdder deletedBytes = new LongAdder();
  private final LongAdder compactions = new LongAdder();
  private final LongAdder failedCompactions = new LongAdder();
  private final LongAdder compactedBytes = new LongAdder();
  private final LongAdder droppedRecords = new LongAdder();

  /** One append waited so long for its commit to begin, and was acknowledged so long after it was sent. */
  public void acknowledged(long queuedNs, long totalNs) {
    queue.record(queuedNs);
    total.record(totalNs);
  }

  public void committed(long writeNs, long records, long bytes) {
    write.record(writeNs);
    commitRecords.record(records);
    commitBytes.record(bytes);
  }

  public void synced(long syncNs) {
    sync.record(syncNs);
  }

  /** @param reason one of few */
  public void refused(String reason, long batches) {
    refused.add(reason, batches);
  }

  /** A log was opened. */
  public void recovered(long scanned, long rewritten, long cut) {
    scannedBytes.add(scanned);
    rewrittenBytes.add(rewritten);
    cutBytes.add(cut);
  }

  public void deleted(long segments, long bytes) {
    deletedSegments.add(segments);
    deletedBytes.add(bytes);
  }

  public void compacted(long workedBytes, long records) {
    compactions.increment();
    compactedBytes.add(workedBytes);
    droppedRecords.add(records);
  }

  public void compactionFailed() {
    failedCompactions.increment();
  }

  /** From append to acknowledgement. */
  public Histogram acknowledged() {
    return total;
  }

  /** Writes that were acknowledged together, since the start. */
  public long commitCount() {
    return write.count();
  }

  /** Batches that partitions did not store, by reason. */
  public Labelled refused() {
    return refused;
  }

  public long failedCompactions() {
    return failedCompactions.sum();
  }

  void collect(Samples out) {
    out.add(Metric.COMMIT_SECONDS, queue, "queue");
    out.add(Metric.COMMIT_SECONDS, write, "write");
    out.add(Metric.COMMIT_SECONDS, sync, "sync");
    out.add(Metric.COMMIT_SECONDS, total, "total");
    out.add(Metric.COMMIT_BYTES, commitBytes);
    out.add(Metric.COMMIT_RECORDS, commitRecords);
    refused.collect(out, Metric.APPENDS_REFUSED);
    out.add(Metric.RECOVERY_SCANNED, scannedBytes.sum());
    out.add(Metric.RECOVERY_REWRITTEN, rewrittenBytes.sum());
    out.add(Metric.RECOVERY_CUT, cutBytes.sum());
    out.add(Metric.RETENTION_SEGMENTS, deletedSegments.sum());
    out.add(Metric.RETENTION_BYTES, deletedBytes.sum());
    out.add(Metric.COMPACTION_RUNS, compactions.sum(), "done");
    out.add(Metric.COMPACTION_RUNS, failedCompactions.sum(), "failed"); // 0, too: a first failure must be seen as an increase
    out.add(Metric.COMPACTION_BYTES, compactedBytes.sum());
    out.add(Metric.COMPACTION_RECORDS, droppedRecords.sum());
  }
}
