package kaka.log;

import java.time.Duration;

/** Settings of a partition's log. (Placeholder in this clone until kaka.log lands.) */
public record LogConfig(
    long segmentBytes,
    Duration segmentAge,
    int indexIntervalBytes,
    Duration fsyncInterval,
    long retentionBytes,
    Duration retentionTime,
    long minFreeBytes) {

  public LogConfig {
    if (segmentBytes < 1024) {
      throw new IllegalArgumentException("segment-bytes " + segmentBytes + ": at least 1 KiB");
    }
    if (fsyncInterval.isNegative()) {
      throw new IllegalArgumentException("fsync-interval " + fsyncInterval + ": at least 0");
    }
    if (retentionBytes < -1) {
      throw new IllegalArgumentException("retention-bytes " + retentionBytes + ": at least 0, or -1 to keep everything");
    }
  }
}
