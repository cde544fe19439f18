package kaka.log;

/**
 * What compaction of a broker's logs may take; what exists is valid.
 *
 * @param threads logs that are compacted at a time, 1 to 64
 * @param mapBytes memory for keys, for all of them together, 64 KiB to 16 GiB; 24 bytes a key, of which three quarters are used
 * @param maxBytesPerSecond read and written by all of them together, at least 64 KiB; 0: as fast as the disk is
 */
public record CompactionConfig(int threads, long mapBytes, long maxBytesPerSecond) {
  private static final long LEAST_BYTES = 64 * 1024;

  public CompactionConfig {
    if (threads < 1 || threads > 64) {
      throw new IllegalArgumentException("threads " + threads + ": 1 to 64");
    }
    if (mapBytes < LEAST_BYTES || mapBytes > 16L << 30) {
      throw new IllegalArgumentException("map-bytes " + mapBytes + ": 64 KiB to 16 GiB");
    }
    if (maxBytesPerSecond != 0 && maxBytesPerSecond < LEAST_BYTES) {
      throw new IllegalArgumentException(
          "max-bytes-per-second " + maxBytesPerSecond + ": at least 64 KiB, or 0 for no limit");
    }
  }
}
