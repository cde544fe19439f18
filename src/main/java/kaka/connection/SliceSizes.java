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

  /** More is no faster, and keeps others waiting longer. */
  public static final int MAX_BYTES = 256 << 10;

  /** The part of the budget that slices share: each answer holds one that is not taken, and more while there is plenty. */
  private static final int SHARED_PART = 8;

  /** What is free is enough for so many more slices. */
  private static final int FREE_SLICES = 512;

  private final MemoryBudget memory;
  private final AtomicInteger answers = new AtomicInteger();

  public SliceSizes(MemoryBudget memory) {
    this.memory = memory;
  }

  MemoryBudget memory() {
    return memory;
  }

  /** An answer is under way, until {@link #leave}. */
  void enter() {
    answers.incrementAndGet();
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
