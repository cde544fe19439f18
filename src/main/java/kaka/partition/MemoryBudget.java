package kaka.partition;

import java.util.concurrent.atomic.AtomicLong;
import kaka.record.Allowance;

/**
 * The one count of bytes held between sockets and disk (DESIGN law 4). Whoever is about to keep bytes reserves them first
 * and releases as many when they are gone. Safe from any thread.
 */
public final class MemoryBudget implements Allowance {
  private final long maxBytes;
  private final AtomicLong usedBytes = new AtomicLong();

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
    return false;
  }

  @Override
  public void release(long bytes) {
    if (usedBytes.addAndGet(-bytes) < 0) {
      throw new IllegalStateException("more released than reserved: " + bytes + " bytes too many or twice");
    }
  }

  public long usedBytes() {
    return usedBytes.get();
  }

  public long maxBytes() {
    return maxBytes;
  }
}
