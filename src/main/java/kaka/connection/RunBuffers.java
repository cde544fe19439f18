package kaka.connection;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Buffers of 1 MiB outside of the heap, that large answers are read into and written from: what a fetch by a client that catches up
 * reads at a time. The system reads and writes them without a copy, while an array costs one to read, one to write, and to be cleared
 * and collected. There are a few, at most a 64th of the memory budget and 8, which nobody is charged for while they are free; the one
 * that was given back last is the next to be taken, while the processor still has some of it. Who takes one gives it back; one that is
 * lost all the same is made anew once the collector has found it. Safe from any thread.
 */
public final class RunBuffers {
  /** Of each. */
  public static final int BYTES = 1 << 20;

  private static final int MAX_COUNT = 8;
  private static final int BUDGET_PART = 64;
  private static final Cleaner CLEANER = Cleaner.create();

  /** Has none, so that all are on the heap. */
  static final RunBuffers HEAP = new RunBuffers(0);

  private final int maxCount;
  private final Deque<ByteBuffer> free = new ConcurrentLinkedDeque<>();

  /** Free or taken. */
  private final AtomicInteger count = new AtomicInteger();

  /** @param memoryBytes the memory budget */
  RunBuffers(long memoryBytes) {
    this.maxCount = (int) Math.min(MAX_COUNT, memoryBytes / BUDGET_PART / BYTES);
  }

  /** One of just that size, clear, which is the caller's now: one of these, or, where there is none, on the heap; what is in it is not said. */
  ByteBuffer take(int bytes) {
    Optional<ByteBuffer> taken = bytes == BYTES ? tryTake() : Optional.empty();
    return taken.orElseGet(() -> ByteBuffer.allocate(bytes));
  }

  /** One of these, clear, which is the caller's now, unless all are taken; what is in it is not said. */
  public Optional<ByteBuffer> tryTake() {
    ByteBuffer taken = free.pollFirst();
    return taken != null ? Optional.of(taken.clear()) : tryMake();
  }

  /** The same, but not of the last quarter, which is for what has just begun: for what is as well on the heap while a client does not read. */
  public Optional<ByteBuffer> tryTakeSpare() {
    return takenCount() < maxCount - maxCount / 4 ? tryTake() : Optional.empty();
  }

  private Optional<ByteBuffer> tryMake() {
    if (count.getAndUpdate(made -> Math.min(maxCount, made + 1)) >= maxCount) {
      return Optional.empty();
    }
    ByteBuffer made;
    try {
      made = ByteBuffer.allocateDirect(BYTES);
    } catch (OutOfMemoryError e) { // of that kind of memory: it says nothing of the heap
      count.decrementAndGet();
      return Optional.empty();
    }
    CLEANER.register(made, count::decrementAndGet);
    return Optional.of(made);
  }

  /** Nobody reads or writes it any more. Nothing happens to one on the heap; one outside of it is of these. */
  public void giveBack(ByteBuffer buffer) {
    if (buffer.isDirect()) {
      if (buffer.capacity() != BYTES) {
        throw new IllegalArgumentException("none of these: " + buffer);
      }
      free.offerFirst(buffer);
    }
  }

  /** How many were taken and are not given back; just so only while nobody does either. */
  public int takenCount() {
    return count.get() - free.size();
  }

  /** How many wait to be taken. */
  int freeCount() {
    return free.size();
  }
}
