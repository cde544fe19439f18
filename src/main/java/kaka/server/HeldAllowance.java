package kaka.server;

import kaka.record.Allowance;

/**
 * What one answer takes of the memory budget to decompress: it keeps its peak until it is closed. So an answer that was
 * walked once, to be planned, can be walked again, to be sent, without being refused half-way. For one thread at a time.
 */
final class HeldAllowance implements Allowance, AutoCloseable {
  private final Allowance budget;
  private long keptBytes;
  private long usedBytes;

  HeldAllowance(Allowance budget) {
    this.budget = budget;
  }

  @Override
  public boolean tryReserve(long bytes) {
    long more = Math.max(0, usedBytes + bytes - keptBytes);
    if (more > 0 && !budget.tryReserve(more)) {
      return false;
    }
    keptBytes += more;
    usedBytes += bytes;
    return true;
  }

  @Override
  public void release(long bytes) {
    usedBytes -= bytes;
  }

  /** Gives the peak back; what was reserved must be gone. */
  @Override
  public void close() {
    budget.release(keptBytes);
    keptBytes = 0;
  }
}
