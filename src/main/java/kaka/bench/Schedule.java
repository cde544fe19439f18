package kaka.bench;

/**
 * When the requests of one connection are due: at times of their own, whatever became of those before (paced), or each as soon as
 * the window has room.
 *
 * @param startNs when the first one of all connections is due
 * @param intervalNs between two of this connection; 0: unpaced
 */
record Schedule(double startNs, double intervalNs) {
  static Schedule unpaced() {
    return new Schedule(0, 0);
  }

  /** Connections take turns, so that all of them together keep the rate evenly. */
  static Schedule paced(long startNs, double requestsPerSecond, int connection, int connections) {
    double interval = 1e9 / requestsPerSecond;
    return new Schedule(startNs + connection * interval, interval * connections);
  }

  boolean isPaced() {
    return intervalNs > 0;
  }

  /** Only where it is paced. */
  long dueNs(long request) {
    return (long) (startNs + request * intervalNs);
  }
}
