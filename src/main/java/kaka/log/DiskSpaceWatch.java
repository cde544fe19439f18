package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether a disk has room, for all logs on it together. Cheap enough to be asked before every append: the disk itself is asked
 * at most once a second and per 8 MiB written; in between, what the logs have set aside counts as used. Safe from any thread.
 */
public final class DiskSpaceWatch {
  private static final long EVERY_MS = 1000;
  private static final long EVERY_BYTES = 8 * 1024 * 1024;

  private final Disk disk;
  private final Path directory;
  private final Clock clock;
  private final AtomicLong reservedBytes = new AtomicLong(); // ever
  private final AtomicLong settledBytes = new AtomicLong(); // of these, written since, or given up
  private final AtomicBoolean looking = new AtomicBoolean();
  private volatile Look last;

  /** @param settledBytes when the disk was asked: those it knows of, all later ones it does not */
  private record Look(long atMs, long usableBytes, long settledBytes) {}

  /** @param directory on the disk that is meant */
  public DiskSpaceWatch(Disk disk, Path directory, Clock clock) {
    this.disk = disk;
    this.directory = directory;
    this.clock = clock;
  }

  /**
   * Sets {@code sizeBytes} aside, if {@code minFreeBytes} stay free after them.
   *
   * @return whether they were; then they need {@link #settle}
   */
  boolean reserve(long sizeBytes, long minFreeBytes) {
    Look look = look();
    long unknownBytes = reservedBytes.addAndGet(sizeBytes) - look.settledBytes;
    if (look.usableBytes - unknownBytes < minFreeBytes) {
      reservedBytes.addAndGet(-sizeBytes);
      return false;
    }
    return true;
  }

  /** The bytes are in a file, where the disk counts them, or will never be. */
  void settle(long sizeBytes) {
    settledBytes.addAndGet(sizeBytes);
  }

  /** Whether less than {@code minFreeBytes} are free; known to a second. */
  public boolean isNearlyFull(long minFreeBytes) {
    Look look = look();
    return look.usableBytes - (reservedBytes.get() - look.settledBytes) < minFreeBytes;
  }

  private Look look() {
    Look look = last;
    if (look == null) {
      return ask();
    }
    long sinceMs = clock.millis() - look.atMs;
    boolean isOld = sinceMs >= EVERY_MS || sinceMs < 0 || settledBytes.get() - look.settledBytes >= EVERY_BYTES;
    if (isOld && looking.compareAndSet(false, true)) { // one asks, the others take what is known
      try {
        return ask();
      } finally {
        looking.set(false);
      }
    }
    return look;
  }

  private Look ask() {
    long atMs = clock.millis();
    long settledBefore = settledBytes.get(); // before the disk is asked: what is written meanwhile may count twice, never not
    Look look = new Look(atMs, usableBytes(), settledBefore);
    last = look;
    return look;
  }

  private long usableBytes() {
    try {
      return disk.usableBytes(directory);
    } catch (IOException e) { // a disk that cannot say: the next write will find out
      return Long.MAX_VALUE;
    }
  }
}
