package kaka.log;

import java.time.Duration;
import java.util.Objects;

/**
 * Settings of one log; what exists is valid.
 *
 * @param segmentBytes a segment rolls before it would exceed this, 1 KiB to 2 GiB - 1
 * @param segmentAge a segment rolls when its first batch is this old, above zero
 * @param indexIntervalBytes bytes between two entries of the offset index, at least 1
 * @param fsyncInterval zero: every acknowledgement waits for its sync; otherwise how long one may be put off
 * @param retentionBytes bytes to keep at least, -1 for all; whole sealed segments go, from the oldest
 * @param retentionTime how long to keep a segment after its newest record, zero for ever
 * @param minFreeBytes below this much usable space the log calls the disk nearly full, at least 0
 * @param cleanup whether retention deletes segments, and whether the log is compacted
 * @param preallocation zeros ahead of the end; only where every acknowledgement waits for its sync
 */
public record LogConfig(
    long segmentBytes,
    Duration segmentAge,
    int indexIntervalBytes,
    Duration fsyncInterval,
    long retentionBytes,
    Duration retentionTime,
    long minFreeBytes,
    Cleanup cleanup,
    Preallocation preallocation) {
  private static final Duration MAX_FSYNC_INTERVAL = Duration.ofHours(1);

  /** A log that is not compacted, with the usual preallocation. */
  public LogConfig(
      long segmentBytes,
      Duration segmentAge,
      int indexIntervalBytes,
      Duration fsyncInterval,
      long retentionBytes,
      Duration retentionTime,
      long minFreeBytes) {
    this(
        segmentBytes,
        segmentAge,
        indexIntervalBytes,
        fsyncInterval,
        retentionBytes,
        retentionTime,
        minFreeBytes,
        Cleanup.DELETE,
        Preallocation.USUAL);
  }

  public LogConfig {
    Objects.requireNonNull(cleanup);
    Objects.requireNonNull(preallocation);
    if (segmentBytes < 1024) {
      throw new IllegalArgumentException("segment-bytes " + segmentBytes + ": at least 1 KiB");
    }
    if (segmentBytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("segment-bytes " + segmentBytes + ": less than 2 GiB");
    }
    if (segmentAge.isNegative() || segmentAge.isZero()) {
      throw new IllegalArgumentException("segment-age " + segmentAge + ": above zero");
    }
    if (indexIntervalBytes < 1) {
      throw new IllegalArgumentException("index-interval-bytes " + indexIntervalBytes + ": at least 1");
    }
    if (fsyncInterval.isNegative()) {
      throw new IllegalArgumentException("fsync-interval " + fsyncInterval + ": at least 0");
    }
    if (fsyncInterval.compareTo(MAX_FSYNC_INTERVAL) > 0) {
      throw new IllegalArgumentException("fsync-interval " + fsyncInterval + ": at most 1 hour");
    }
    if (retentionBytes < -1) {
      throw new IllegalArgumentException("retention-bytes " + retentionBytes + ": at least 0, or -1 to keep everything");
    }
    if (retentionTime.isNegative()) {
      throw new IllegalArgumentException("retention-time " + retentionTime + ": at least 0; 0 keeps everything");
    }
    if (minFreeBytes < 0) {
      throw new IllegalArgumentException("min-free-bytes " + minFreeBytes + ": at least 0");
    }
  }

  /** The same, made room in another way. */
  public LogConfig withCleanup(Cleanup other) {
    return with(other, preallocation);
  }

  /** The same, with zeros ahead of its end by another rule. */
  public LogConfig withPreallocation(Preallocation other) {
    return with(cleanup, other);
  }

  private LogConfig with(Cleanup cleanup, Preallocation preallocation) {
    return new LogConfig(
        segmentBytes,
        segmentAge,
        indexIntervalBytes,
        fsyncInterval,
        retentionBytes,
        retentionTime,
        minFreeBytes,
        cleanup,
        preallocation);
  }
}
