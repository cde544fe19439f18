package kaka.broker;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Whether one more connection can be accepted and still leave storage the descriptors that are its ({@link Descriptors}). The
 * shares alone would do if sockets were closed at once and nobody else opened files; this asks the system how many are open.
 * That takes time, the more the more there are, so it is asked once for as many connections as half of what is left, and where
 * nothing is left, not again for a while. One thread at a time.
 */
final class DescriptorGate implements BooleanSupplier {
  /** Left free beside what storage may still open: for what opens a file for a moment. */
  private static final int MARGIN = 16;

  private static final long LEAST_WAIT_NS = 5_000_000;

  /** A look that took long is not repeated before so many times as long. */
  private static final int WAIT_PER_LOOK = 20;

  private final LongSupplier openCount;
  private final long maxCount;
  private final IntSupplier unusedByStorage;
  private final LongSupplier nanoTime;
  private long allowance;
  private long nextLookNs;
  private boolean mustWait;

  DescriptorGate(LongSupplier openCount, long maxCount, IntSupplier unusedByStorage, LongSupplier nanoTime) {
    this.openCount = openCount;
    this.maxCount = maxCount;
    this.unusedByStorage = unusedByStorage;
    this.nanoTime = nanoTime;
  }

  /** @param unusedByStorage how many of its descriptors storage has not opened yet */
  static DescriptorGate ofProcess(IntSupplier unusedByStorage) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      return new DescriptorGate(
          system::getOpenFileDescriptorCount, system.getMaxFileDescriptorCount(), unusedByStorage, System::nanoTime);
    }
    return new DescriptorGate(() -> 0, Long.MAX_VALUE, () -> 0, System::nanoTime);
  }

  /** Whether there is a descriptor for one more connection; if so, it counts as taken. */
  @Override
  public boolean getAsBoolean() {
    if (allowance == 0) {
      allowance = look();
    }
    if (allowance == 0) {
      return false;
    }
    allowance--;
    return true;
  }

  private long look() {
    long startNs = nanoTime.getAsLong();
    if (mustWait && startNs - nextLookNs < 0) {
      return 0;
    }
    long left = maxCount - openCount.getAsLong() - unusedByStorage.getAsInt() - MARGIN;
    mustWait = left <= 0;
    if (mustWait) {
      long endNs = nanoTime.getAsLong();
      nextLookNs = endNs + Math.max(LEAST_WAIT_NS, WAIT_PER_LOOK * (endNs - startNs));
    }
    return mustWait ? 0 : (left + 1) / 2;
  }
}
