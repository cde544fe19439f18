package kaka.log;

import java.nio.ByteBuffer;

/**
 * The staging buffers of all logs of a broker: so many bytes, however many logs there are. A log has one from the first append
 * of a commit to its write; made when they are first needed, kept from then on. Safe from any thread.
 */
public final class StagingPool {
  /** Of one buffer. A commit that is larger takes several writes, which costs nothing beside their bytes. */
  static final int BUFFER_BYTES = 256 * 1024;

  /** Of what every thread has for the time when no buffer is free. */
  static final int SMALL_BYTES = 64 * 1024;

  private final ThreadLocal<ByteBuffer> small = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(SMALL_BYTES));
  private final ByteBuffer[] free; // the first freeCount; guarded by this, for as long as one array access takes
  private int freeCount;
  private int madeCount;

  /** @param maxBytes of all buffers, without the {@value #SMALL_BYTES} bytes of each thread that writes; at least 0 */
  public StagingPool(long maxBytes) {
    if (maxBytes < 0) {
      throw new IllegalArgumentException("maxBytes " + maxBytes);
    }
    this.free = new ByteBuffer[Math.toIntExact(maxBytes / BUFFER_BYTES)];
  }

  /** An empty buffer that the caller gives back; null if none is free. The last one given back, for it is in the caches. */
  ByteBuffer take() {
    synchronized (this) {
      if (freeCount > 0) {
        ByteBuffer taken = free[--freeCount];
        free[freeCount] = null;
        return taken;
      }
      if (madeCount == free.length) {
        return null;
      }
      madeCount++;
    }
    return ByteBuffer.allocateDirect(BUFFER_BYTES);
  }

  synchronized void giveBack(ByteBuffer buffer) {
    free[freeCount++] = buffer.clear();
  }

  /** The calling thread's own, empty; free for the next log on this thread as soon as the caller has written it. */
  ByteBuffer small() {
    return small.get().clear();
  }

  /** How many buffers logs have now. */
  synchronized int takenCount() {
    return madeCount - freeCount;
  }
}
