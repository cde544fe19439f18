package kaka.connection;

import kaka.partition.MemoryBudget;
import kaka.record.NoAllowanceException;

/**
 * What one large answer takes of the memory budget, from its first look at the disk until its last slice is with the kernel: what it
 * holds, and always enough to make one smallest slice more, so that an answer that has begun comes to its end however scarce
 * memory is. Used by the connection's thread and by the fetch dispatcher in turns, never at once.
 */
public final class AnswerMemory {
  /** A window and a slice. */
  private static final int LEAST_BYTES = 2 * SliceSizes.MIN_BYTES;

  private final SliceSizes sizes;
  private boolean begun;
  private long chargedBytes;

  public AnswerMemory(SliceSizes sizes) {
    this.sizes = sizes;
  }

  /**
   * Before anything is held; where it has begun already, nothing happens.
   *
   * @return false if there is no room, or if too many others have begun
   */
  public boolean begin() {
    if (!begun && sizes.tryEnter(LEAST_BYTES)) {
      if (sizes.memory().tryReserve(LEAST_BYTES)) {
        begun = true;
        charged(LEAST_BYTES);
      } else {
        sizes.leave();
      }
    }
    return begun;
  }

  /**
   * Before the next slice is made: charges what that takes.
   *
   * @param sentBytes of the slice that the socket may not have taken yet
   * @return bytes that the slice may have; 0 if it has to wait until nothing is being sent any more
   */
  public int nextSlice(SlicedAnswer answer, long sentBytes) {
    int bytes = (int) Math.max(SliceSizes.MIN_BYTES, Math.min(sizes.sliceBytes(), answer.leftBytes()));
    if (resize(Math.max(least(answer), sentBytes + answer.taskBytes(bytes)))) {
      return bytes;
    }
    answer.trim();
    return sentBytes > 0 ? 0 : SliceSizes.MIN_BYTES;
  }

  /**
   * Charges {@code bytes} more, which are kept as a made part of the answer.
   *
   * @throws NoAllowanceException if there is no room
   */
  public void add(long bytes) {
    sizes.memory().reserve(bytes);
    charged(bytes);
  }

  /**
   * Gives back what is not held any more; where memory is scarce, what can be read again is not.
   *
   * @param sentBytes of slices that are made, and given, and may not be with the kernel
   */
  public void settle(SlicedAnswer answer, long sentBytes) {
    if (isScarce()) {
      answer.trim();
    }
    resize(Math.max(least(answer), sentBytes + answer.madeBytes() + answer.windowBytes()));
  }

  private static long least(SlicedAnswer answer) {
    return answer.madeBytes() + LEAST_BYTES;
  }

  /** Whether the next slice should not be made before the last one is with the kernel. */
  public boolean isScarce() {
    return sizes.isScarce();
  }

  /** Nothing is held any more; it can begin anew. */
  public void end() {
    if (begun) {
      begun = false;
      sizes.leave();
    }
    resize(0);
  }

  /** More only if there seems to be room: one that gets a smaller slice is not refused. */
  private boolean resize(long bytes) {
    MemoryBudget memory = sizes.memory();
    long more = bytes - chargedBytes;
    if (more > 0 && (more > memory.maxBytes() - memory.usedBytes() || !memory.tryReserve(more))) {
      return false;
    }
    if (more < 0) {
      memory.release(-more);
    }
    charged(more);
    return true;
  }

  private void charged(long more) {
    chargedBytes += more;
    sizes.memory().attribute(MemoryBudget.Use.FETCH, more);
  }
}
