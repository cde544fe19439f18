package kaka.console;

import java.util.HashSet;
import java.util.Set;
import kaka.partition.MemoryCharge;

/**
 * What answers on their way out of one connection are charged for: each is given back when it is out, and all of them when the
 * connection ends, since an answer that meets a closed connection is never asked for. Safe from any thread.
 */
final class HeldCharges {
  private final Set<MemoryCharge> charges = new HashSet<>(); // guarded by this
  private boolean isOver; // guarded by this

  void add(MemoryCharge charge) {
    synchronized (this) {
      if (!isOver) {
        charges.add(charge);
        return;
      }
    }
    charge.release();
  }

  void release(MemoryCharge charge) {
    synchronized (this) {
      charges.remove(charge);
    }
    charge.release();
  }

  /** The connection has ended. */
  void end() {
    Set<MemoryCharge> left;
    synchronized (this) {
      isOver = true;
      left = Set.copyOf(charges);
      charges.clear();
    }
    left.forEach(MemoryCharge::release);
  }
}
