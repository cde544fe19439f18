package kaka.connection;

import java.util.concurrent.atomic.AtomicInteger;
import kaka.partition.MemoryBudget;

/**
 * How large the slices of large answers are, throughout the broker: the more of these are under way, and the less of the memory
 * budget is free, the smaller, so that thousands of clients that hardly read hold little. Large slices cost less time; one client,
 * or some dozens, get them. Safe from any thread.
 */
public final class SliceSizes {
  /** So many an answer can always have, once it has begun. */
  static final int MIN_BYTES = 4 << 10;

  /** More on the heap is no faster, and keeps others waiting longer. An answer that may have so many makes use of {@link RunBuffers}. */
  public static final int MAX_BYTES = 256 << 10;

  /** The part of the budget that slices share: each answer holds one that is not taken, and more while there is plenty. */
  private static final int SHARED_PART = 8;

  /** The part of the budget that answers can take by having begun: the rest is for what is produced, and for groups. */
  private static final int BEGUN_PART = 2;

  /** What is free is enough for so many more slices. */
  private static final int FREE_SLICES = 512;

  private final MemoryBudget memory;
  private final RunBuffers buffers;
  private final AtomicInteger answers = new AtomicInteger();

  public SliceSizes(MemoryBudget memory) {
    this.memory = memory;
    this.buffers = new RunBuffers(memory.maxBytes());
  }

  /** What slices can be read into. */
  public RunBuffers buffers() {
    return buffers;
  }

  MemoryBudget memory() {
    return memory;
  }

  /**
   * One more answer is under way, until {@link #leave}.
   *
   * @param leastBytes what it holds at least
   * @return false if there are so many that they could hold all that answers may have; it is not under way then
   */
  boolean tryEnter(int leastBytes) {
    long most = Math.max(1, memory.maxBytes() / BEGUN_PART / leastBytes);
    if (answers.incrementAndGet() <= most) {
      return true;
    }
    answers.decrementAndGet();
    return false;
  }

  void leave() {
    answers.decrementAndGet();
  }

  /** Of the next slice of any answer. */
  int sliceBytes() {
    long share = memory.maxBytes() / SHARED_PART / Math.max(1, answers.get());
    long free = (memory.maxBytes() / 4 * 3 - memory.usedBytes()) / FREE_SLICES; // a quarter is for those who have not begun
    return (int) Math.max(MIN_BYTES, Math.min(MAX_BYTES, Math.min(share, free)));
  }

  /** Whether nothing should be held that is not needed at once. */
  boolean isScarce() {
    return memory.usedBytes() > memory.maxBytes() / 2;
  }
}
