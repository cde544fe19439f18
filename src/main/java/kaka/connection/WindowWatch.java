package kaka.connection;

import kaka.metrics.ConnectionMetrics;

/** Tells what one connection has in flight, and how long its window is full; once per event, not per request. */
final class WindowWatch {
  private final ConnectionMetrics metrics;
  private final ExchangeQueue exchanges;
  private final OpenConnection shown;
  private int toldCount;
  private long toldBytes;
  private boolean isFull;
  private long fullSinceNs;

  /** @param shown where others see it */
  WindowWatch(ConnectionMetrics metrics, ExchangeQueue exchanges, OpenConnection shown) {
    this.metrics = metrics;
    this.exchanges = exchanges;
    this.shown = shown;
  }

  void start() {
    metrics.accepted();
  }

  /** After an event. */
  void look() {
    tell(exchanges.count(), exchanges.bytesInFlight());
    if (isFull == exchanges.hasCredit()) {
      setFull(!isFull);
    }
  }

  private void tell(int count, long bytes) {
    if (count != toldCount || bytes != toldBytes) {
      metrics.inFlight(count - toldCount, bytes - toldBytes);
      shown.inFlight(count, bytes);
      toldCount = count;
      toldBytes = bytes;
    }
  }

  private void setFull(boolean full) {
    isFull = full;
    shown.waitsForCredit(full);
    if (full) {
      fullSinceNs = System.nanoTime();
      metrics.creditWaitBegins();
    } else {
      metrics.creditWaitEnds(System.nanoTime() - fullSinceNs);
    }
  }

  /** The connection has ended. */
  void end() {
    try {
      tell(0, 0);
      if (isFull) {
        setFull(false);
      }
    } finally {
      metrics.ended();
    }
  }
}
