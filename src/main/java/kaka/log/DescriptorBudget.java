package kaka.log;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many files storage may have open, shared out so that what must not fail for want of a descriptor does not: readers and
 * compaction stop first, then the opening of more partitions; what is left is for the roll of those that are open. Safe from
 * any thread.
 */
public final class DescriptorBudget {
  /** Files that every storage thread may need at one moment of a roll, for some sixteen of them. */
  private static final int MAX_RESERVE = 64;

  private final int maxOpen;
  private final int reserve;
  private final AtomicInteger open = new AtomicInteger();

  /** @param maxOpen files that storage may have open, at least 16 */
  public DescriptorBudget(int maxOpen) {
    if (maxOpen < 16) {
      throw new IllegalArgumentException("maxOpen " + maxOpen + ": at least 16");
    }
    this.maxOpen = maxOpen;
    this.reserve = Math.min(MAX_RESERVE, maxOpen / 4);
  }

  /** Whether so many more files can be open for good, beside what rolls and readers need. */
  public boolean hasRoomFor(int fileCount) {
    return open.get() + fileCount <= maxOpen - 2 * reserve;
  }

  public int openCount() {
    return open.get();
  }

  public int maxOpen() {
    return maxOpen;
  }

  /** One file for a reader, for compaction, or of a log that is being opened. */
  boolean tryTakeSpare() {
    return tryTake(maxOpen - reserve);
  }

  /** One file that a log which is open needs to go on. */
  boolean tryTake() {
    return tryTake(maxOpen);
  }

  private boolean tryTake(int limit) {
    int now = open.get();
    while (now < limit) {
      if (open.compareAndSet(now, now + 1)) {
        return true;
      }
      now = open.get();
    }
    return false;
  }

  void release() {
    open.decrementAndGet();
  }
}
