package kaka.connection;

import kaka.metrics.RequestMetrics;
import kaka.partition.MemoryBudget;
import kaka.protocol.Limits;

/**
 * One request of a connection and its answer, from the moment it was cut from the stream until the last byte of the answer
 * went out. Exchanges stand in the order of their requests; only the oldest one sends.
 */
public abstract class Exchange {
  private final int frameBytes;
  private MemoryBudget chargedTo;
  private long chargedBytes;
  private RequestMetrics.Kind kind;
  private long arrivedNs;

  /** @param bodyBytes of the request: with its header, what it counts for in the connection's window of bytes */
  protected Exchange(int bodyBytes) {
    this.frameBytes = bodyBytes + Limits.FRAME_HEADER_BYTES;
  }

  final int frameBytes() {
    return frameBytes;
  }

  final void arrived(RequestMetrics.Kind kind, long arrivedNs) {
    this.kind = kind;
    this.arrivedNs = arrivedNs;
  }

  /** What it is counted as; null for an answer to no request. */
  final RequestMetrics.Kind kind() {
    return kind;
  }

  final long arrivedNs() {
    return arrivedNs;
  }

  /** {@code bytes}, reserved already in the one budget there is, are given back when this ends. */
  public final void charge(MemoryBudget memory, long bytes) {
    chargedTo = memory;
    chargedBytes += bytes;
  }

  final boolean isCharged() {
    return chargedBytes > 0;
  }

  /** Called once, when every earlier answer has gone out: for what should be looked up, or read, or done, no earlier. */
  protected void onOldest() {}

  /** {@link Connection#mayWait} has become false. */
  protected void stopWaiting() {}

  /**
   * Gives what can be sent now.
   *
   * @return true when the answer is complete; false to be called again when something has changed or the output has room
   */
  protected abstract boolean writeTo(AnswerBuffer out);

  /** Called once: the connection has ended, or the answer is out. Whatever is held is let go. */
  final void end() {
    try {
      release();
    } finally {
      if (chargedBytes > 0) {
        long bytes = chargedBytes;
        chargedBytes = 0;
        chargedTo.release(bytes);
      }
    }
  }

  /** What an exchange lets go of besides its charge. */
  protected void release() {}
}
