package kaka.connection;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Arrays of 1 MiB that large answers were read into and that are free for the next: what a fetch by a client that catches up reads at a
 * time. To clear a new one, and to collect it, costs more than to read into it. A few are kept, at most a 64th of the memory budget and 8,
 * which nobody is charged for; whoever takes one and does not give it back costs no more than a new one. Safe from any thread.
 */
public final class RunArrays {
  private static final int MAX_COUNT = 8;
  private static final int BUDGET_PART = 64;

  private final BlockingQueue<byte[]> free; // null where there is no memory for any

  /** @param memoryBytes the memory budget */
  RunArrays(long memoryBytes) {
    int count = (int) Math.min(MAX_COUNT, memoryBytes / BUDGET_PART / KeptRuns.MAX_BYTES);
    this.free = count == 0 ? null : new ArrayBlockingQueue<>(count);
  }

  /** One of just that size, which is the caller's now; what is in it is not said. */
  byte[] take(int bytes) {
    byte[] array = free == null || bytes != KeptRuns.MAX_BYTES ? null : free.poll();
    return array == null ? new byte[bytes] : array;
  }

  /** Nobody reads or writes it any more. */
  void giveBack(byte[] array) {
    if (free != null && array.length == KeptRuns.MAX_BYTES) {
      free.offer(array);
    }
  }

  /** How many are kept. */
  int freeCount() {
    return free == null ? 0 : free.size();
  }
}
