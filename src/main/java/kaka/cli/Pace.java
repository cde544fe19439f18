package kaka.cli;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import kaka.log.BackupProgress;

/** Counts what a backup has done, and holds it up where it would go faster than it may. */
final class Pace implements BackupProgress {
  private static final double NS_PER_SECOND = 1e9;

  private final long bytesPerSecond;
  private final LongSupplier nanoTime;
  private final LongConsumer wait;
  private final AtomicLong doneBytes = new AtomicLong(); // shown by another thread
  private long copiedBytes;
  private long startNs;

  /**
   * @param bytesPerSecond 0 for as fast as it goes
   * @param wait for so many nanoseconds
   */
  Pace(long bytesPerSecond, LongSupplier nanoTime, LongConsumer wait) {
    this.bytesPerSecond = bytesPerSecond;
    this.nanoTime = nanoTime;
    this.wait = wait;
  }

  static Pace of(long bytesPerSecond) {
    return new Pace(bytesPerSecond, System::nanoTime, LockSupport::parkNanos);
  }

  /** Returns when so much may have been copied. */
  @Override
  public void copied(long bytes) {
    doneBytes.addAndGet(bytes);
    if (bytesPerSecond == 0) {
      return;
    }
    if (copiedBytes == 0) {
      startNs = nanoTime.getAsLong();
    }
    copiedBytes += bytes;
    long dueNs = (long) (copiedBytes / (double) bytesPerSecond * NS_PER_SECOND);
    for (long leftNs = left(dueNs); leftNs > 0; leftNs = left(dueNs)) {
      wait.accept(leftNs);
    }
  }

  private long left(long dueNs) {
    return startNs + dueNs - nanoTime.getAsLong();
  }

  @Override
  public void linked(long bytes) {
    doneBytes.addAndGet(bytes);
  }

  long doneBytes() {
    return doneBytes.get();
  }
}
