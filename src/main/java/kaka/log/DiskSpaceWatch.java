package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;

/** Whether a disk is nearly full, asked so that it can be asked before every append: the disk is, now and then. */
final class DiskSpaceWatch {
  private static final long EVERY_MS = 1000;
  private static final long EVERY_BYTES = 8 * 1024 * 1024;

  private final Disk disk;
  private final Path directory;
  private final Clock clock;
  private boolean asked;
  private boolean nearlyFull;
  private long askedMs;
  private long bytesSince;

  DiskSpaceWatch(Disk disk, Path directory, Clock clock) {
    this.disk = disk;
    this.directory = directory;
    this.clock = clock;
  }

  void appended(int sizeBytes) {
    bytesSince += sizeBytes;
  }

  /** An answer at most a second old, and at most 8 MiB of appends. */
  boolean isNearlyFull(long minFreeBytes) {
    long nowMs = clock.millis();
    if (!asked || bytesSince >= EVERY_BYTES || nowMs - askedMs >= EVERY_MS || nowMs < askedMs) {
      nearlyFull = isBelow(minFreeBytes);
      asked = true;
      askedMs = nowMs;
      bytesSince = 0;
    }
    return nearlyFull;
  }

  private boolean isBelow(long minFreeBytes) {
    try {
      return disk.usableBytes(directory) < minFreeBytes;
    } catch (IOException e) { // a disk that cannot say: the next write will find out
      return false;
    }
  }
}
