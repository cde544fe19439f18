package kaka.console;

import kaka.partition.MemoryBudget;
import kaka.record.Allowance;

/** What one request holds while it reads: taken from the memory budget bit by bit, all of it given back at its end. For one thread. */
final class ReadAllowance implements Allowance, AutoCloseable {
  private final MemoryBudget memory;
  private long heldBytes;

  ReadAllowance(MemoryBudget memory) {
    this.memory = memory;
  }

  @Override
  public boolean tryReserve(long bytes) {
    if (!memory.tryReserve(bytes)) {
      return false;
    }
    memory.attribute(MemoryBudget.Use.FETCH, bytes);
    heldBytes += bytes;
    return true;
  }

  @Override
  public void release(long bytes) {
    memory.attribute(MemoryBudget.Use.FETCH, -bytes);
    memory.release(bytes);
    heldBytes -= bytes;
  }

  @Override
  public void close() {
    release(heldBytes);
  }
}
