package kaka.partition;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The one count of bytes held between sockets and disk (DESIGN law 4). Whoever is about to keep bytes reserves them first
 * and releases as many when they are gone. Safe from any thread.
 */
public final class MemoryBudget {
  private final long maxBytes;
  private final AtomicLong usedBytes = new AtomicLong();

  /** @param maxBytes at least 1 */
  public MemoryBudget(long maxBytes) {
    if (maxBytes < 1) {
      throw new IllegalArgumentException("memory budget of " + maxBytes + " bytes");
    }
    this.maxBytes = maxBytes;
  }

  /** Takes {@code bytes} if there is room for all of them; otherwise takes nothing and returns false. */
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

  /** Gives back what {@link #tryReserve} took. */
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
