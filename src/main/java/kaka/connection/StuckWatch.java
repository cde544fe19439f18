package kaka.connection;

import java.util.Optional;

/**
 * Decides when a connection has made no progress for too long. It is shown the connection now and then and compares with what it
 * saw before, so that the data path pays nothing for it but counters.
 */
final class StuckWatch {
  /** What a connection is stuck in. */
  enum Stuck {
    IDLE,
    FRAME,
    WRITE
  }

  /**
   * A connection at one moment.
   *
   * @param isIdle nothing asked, nothing begun, nothing to be answered
   * @param receivedChunks how many there were so far
   * @param isInFrame a request has begun, and the client could send the rest
   * @param cutFrames how many requests were complete so far
   * @param isWriting the last write is not taken
   * @param writes grows with each, and as the client takes a long one
   */
  record Sight(
      boolean isIdle, long receivedChunks, boolean isInFrame, long cutFrames, boolean isWriting, long writes) {}

  /** One thing that must not last: the same count, in the same state, since when. */
  private static final class Since {
    private final long limitNs;
    private boolean isRunning;
    private long count;
    private long sinceNs;

    /** @param limitNs 0: none */
    Since(long limitNs) {
      this.limitNs = limitNs;
    }

    boolean isTooLong(boolean isSo, long count, long nowNs) {
      if (!isSo || !isRunning || this.count != count) {
        isRunning = isSo;
        this.count = count;
        sinceNs = nowNs;
      }
      return isRunning && limitNs > 0 && nowNs - sinceNs >= limitNs;
    }
  }

  private final Since idle;
  private final Since frame;
  private final Since write;

  StuckWatch(ConnectionTimeouts timeouts) {
    this.idle = new Since(timeouts.idle().toNanos());
    this.frame = new Since(timeouts.frame().toNanos());
    this.write = new Since(timeouts.write().toNanos());
  }

  /** @param nowNs never less than at the call before */
  Optional<Stuck> look(Sight sight, long nowNs) {
    boolean isWriteStuck = write.isTooLong(sight.isWriting(), sight.writes(), nowNs);
    boolean isFrameStuck = frame.isTooLong(sight.isInFrame(), sight.cutFrames(), nowNs);
    boolean isIdleStuck = idle.isTooLong(sight.isIdle(), sight.receivedChunks(), nowNs);
    if (isWriteStuck) {
      return Optional.of(Stuck.WRITE);
    }
    if (isFrameStuck) {
      return Optional.of(Stuck.FRAME);
    }
    return isIdleStuck ? Optional.of(Stuck.IDLE) : Optional.empty();
  }
}
