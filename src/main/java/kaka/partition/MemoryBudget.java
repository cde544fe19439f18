package kaka.partition;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import kaka.record.Allowance;

/**
 * The one count of bytes held between sockets and disk (DESIGN law 4). Whoever is about to keep bytes reserves them first
 * and releases as many when they are gone. Safe from any thread.
 */
public final class MemoryBudget implements Allowance {
  /** What bytes are held for, where who reserves them says so. */
  public enum Use {
    /** Batches that are not acknowledged yet. */
    PRODUCE,
    /** Slices of answers to fetches. */
    FETCH,
    /** Groups, their members and offsets. */
    GROUPS
  }

  private final long maxBytes;
  private final AtomicLong usedBytes = new AtomicLong();
  private final LongAdder refusals = new LongAdder();
  private final LongAdder[] byUse = {new LongAdder(), new LongAdder(), new LongAdder()};

  /** @param maxBytes at least 1 */
  public MemoryBudget(long maxBytes) {
    if (maxBytes < 1) {
      throw new IllegalArgumentException("memory budget of " + maxBytes + " bytes");
    }
    this.maxBytes = maxBytes;
  }

  @Override
  public boolean tryReserve(long bytes) {
    long used = usedBytes.get();
    while (bytes <= maxBytes - used) {
      if (usedBytes.compareAndSet(used, used + bytes)) {
        return true;
      }
      used = usedBytes.get();
    }
    refusals.increment();
    return false;
  }

  @Override
  public void release(long bytes) {
    if (usedBytes.addAndGet(-bytes) < 0) {
      throw new IllegalStateException("more released than reserved: " + bytes + " bytes too many or twice");
    }
  }

  /** Of the bytes that are reserved, so many more, or fewer, are held for that. */
  public void attribute(Use use, long bytes) {
    byUse[use.ordinal()].add(bytes);
  }

  /** About, while it changes. */
  public long usedBytes(Use use) {
    return byUse[use.ordinal()].sum();
  }

  /** How often there was no room. */
  public long refusalCount() {
    return refusals.sum();
  }

  public long usedBytes() {
    return usedBytes.get();
  }

  public long maxBytes() {
    return maxBytes;
  }
}
