package kaka.metrics;

import java.util.concurrent.atomic.LongAdder;

/** Connections and what they have in flight. Safe from any thread; a connection tells it once per event, not per request. */
public final class ConnectionMetrics {
  private final LongAdder accepted = new LongAdder();
  private final LongAdder open = new LongAdder();
  private final LongAdder requestsInFlight = new LongAdder();
  private final LongAdder bytesInFlight = new LongAdder();
  private final LongAdder waiting = new LongAdder();
  private final LongAdder creditWaits = new LongAdder();
  private final LongAdder creditWaitNs = new LongAdder();

  public void accepted() {
    accepted.increment();
    open.increment();
  }

  public void ended() {
    open.decrement();
  }

  /** What has changed since the connection last told. */
  public void inFlight(int requests, long bytes) {
    requestsInFlight.add(requests);
    bytesInFlight.add(bytes);
  }

  /** A window is full from now on. */
  public void creditWaitBegins() {
    waiting.increment();
    creditWaits.increment();
  }

  public void creditWaitEnds(long durationNs) {
    waiting.decrement();
    creditWaitNs.add(durationNs);
  }

  /** Connections there are. */
  public long openCount() {
    return open.sum();
  }

  /** Connections accepted since the start. */
  public long acceptedCount() {
    return accepted.sum();
  }

  /** Connections whose window is full. */
  public long waitingCount() {
    return waiting.sum();
  }

  /** How often a window became full. */
  public long creditWaitCount() {
    return creditWaits.sum();
  }

  public long requestsInFlight() {
    return requestsInFlight.sum();
  }

  public long bytesInFlight() {
    return bytesInFlight.sum();
  }

  void collect(Samples out) {
    out.add(Metric.CONNECTIONS, open.sum());
    out.add(Metric.CONNECTIONS_ACCEPTED, accepted.sum());
    out.add(Metric.IN_FLIGHT_REQUESTS, requestsInFlight.sum());
    out.add(Metric.IN_FLIGHT_BYTES, bytesInFlight.sum());
    out.add(Metric.CREDIT_WAITING, waiting.sum());
    out.add(Metric.CREDIT_WAITS, creditWaits.sum());
    out.add(Metric.CREDIT_WAIT_SECONDS, creditWaitNs.sum() / 1e9);
  }
}
