package kaka.log;

/** Which segments retention no longer keeps: always the oldest ones, always sealed, never the active one. */
final class Retention {
  private Retention() {}

  /**
   * How many of {@code sealed}, from the oldest, may go: as long as the bytes that stay are still as many as asked for, or its
   * newest record is too old.
   *
   * @param totalBytes of the log, the active segment included
   */
  static int expiredCount(SealedSegment[] sealed, long totalBytes, LogConfig config, long nowMs) {
    long keptBytes = totalBytes;
    int count = 0;
    while (count < sealed.length) {
      SealedSegment oldest = sealed[count];
      boolean tooMany = config.retentionBytes() >= 0 && keptBytes - oldest.sizeBytes() >= config.retentionBytes();
      boolean tooOld =
          !config.retentionTime().isZero() && nowMs - oldest.newestMs() > config.retentionTime().toMillis();
      if (!tooMany && !tooOld) {
        break;
      }
      keptBytes -= oldest.sizeBytes();
      count++;
    }
    return count;
  }
}
