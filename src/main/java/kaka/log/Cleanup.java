package kaka.log;

import java.time.Duration;

/**
 * What makes room in a log (Kafka's {@code cleanup.policy}); what exists is valid.
 *
 * @param compacts whether only the newest value of every key is kept; see {@link LogCompaction}
 * @param deletes whether retention by bytes and age deletes segments
 * @param deleteRetention how long a tombstone is still there after compaction has first met it, at least 0
 * @param minDirtyRatio compaction begins when so much of the sealed bytes has not been compacted yet, 0 to 1
 */
public record Cleanup(boolean compacts, boolean deletes, Duration deleteRetention, double minDirtyRatio) {
  /** No compaction; retention as the log is told. */
  public static final Cleanup DELETE = new Cleanup(false, true, Duration.ofDays(1), 0.5);

  public Cleanup {
    if (!compacts && !deletes) {
      throw new IllegalArgumentException("cleanup.policy: compact, delete, or both");
    }
    if (deleteRetention.isNegative()) {
      throw new IllegalArgumentException("delete.retention.ms " + deleteRetention.toMillis() + ": at least 0");
    }
    if (!(minDirtyRatio >= 0 && minDirtyRatio <= 1)) {
      throw new IllegalArgumentException("min.cleanable.dirty.ratio " + minDirtyRatio + ": 0 to 1");
    }
  }
}
