package kaka.partition;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bytes reserved in a {@link MemoryBudget}, given back once, by whoever comes first to know that they are gone. It goes with the
 * bytes: who is handed them is handed their charge. Safe from any thread.
 */
public final class MemoryCharge {
  /** For bytes that nobody has charged. */
  public static final MemoryCharge NONE = new MemoryCharge(new MemoryBudget(1), 0, Optional.empty());

  private final MemoryBudget memory;
  private final long bytes;
  private final Optional<MemoryBudget.Use> use;
  private final AtomicBoolean released = new AtomicBoolean();

  private MemoryCharge(MemoryBudget memory, long bytes, Optional<MemoryBudget.Use> use) {
    this.memory = memory;
    this.bytes = bytes;
    this.use = use;
    use.ifPresent(known -> memory.attribute(known, bytes));
  }

  /** A charge of {@code bytes}, or none if there is no room for all of them. */
  public static Optional<MemoryCharge> tryReserve(MemoryBudget memory, long bytes) {
    return tryReserve(memory, bytes, Optional.empty());
  }

  /** The same, for a use that is told apart from others. */
  public static Optional<MemoryCharge> tryReserve(MemoryBudget memory, long bytes, MemoryBudget.Use use) {
    return tryReserve(memory, bytes, Optional.of(use));
  }

  private static Optional<MemoryCharge> tryReserve(MemoryBudget memory, long bytes, Optional<MemoryBudget.Use> use) {
    return memory.tryReserve(bytes) ? Optional.of(new MemoryCharge(memory, bytes, use)) : Optional.empty();
  }

  /** For {@code bytes} that were reserved already. */
  public static MemoryCharge ofReserved(MemoryBudget memory, long bytes, MemoryBudget.Use use) {
    return new MemoryCharge(memory, bytes, Optional.of(use));
  }

  public long bytes() {
    return bytes;
  }

  /** Gives the bytes back; a second call does nothing. */
  public void release() {
    if (bytes > 0 && released.compareAndSet(false, true)) {
      use.ifPresent(known -> memory.attribute(known, -bytes));
      memory.release(bytes);
    }
  }
}
