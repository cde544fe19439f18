package kaka.metrics;

/**
 * What one broker counts as it works; what it only is at a moment, such as the size of a log, is looked up when somebody asks.
 * Safe from any thread.
 */
public record BrokerMetrics(RequestMetrics requests, ConnectionMetrics connections, CheckMetrics checks, StorageMetrics storage) {
  public BrokerMetrics() {
    this(new RequestMetrics(), new ConnectionMetrics(), new CheckMetrics(), new StorageMetrics());
  }

  /** All of it, as it is now. */
  public void collect(Samples out) {
    requests.collect(out);
    connections.collect(out);
    checks.collect(out);
    storage.collect(out);
  }
}
