package kaka.connection;

import kaka.metrics.RequestMetrics;

/**
 * How long requests took that are answered in one go: those that are of one kind and came together are counted together, so that
 * ten thousand small ones cost no more than one.
 */
final class AnsweredRequests {
  private RequestMetrics.Kind kind;
  private long arrivedNs;
  private long count;

  /** Told before, once its runs end. */
  private record Run(RequestMetrics.Kind kind, long arrivedNs, long count) {}

  private final java.util.ArrayDeque<Run> runs = new java.util.ArrayDeque<>(2);

  void add(Exchange answered) {
    if (count > 0 && answered.kind() == kind && answered.arrivedNs() == arrivedNs) {
      count++;
      return;
    }
    endRun();
    kind = answered.kind();
    arrivedNs = answered.arrivedNs();
    count = 1;
  }

  private void endRun() {
    if (count > 0 && kind != null) {
      runs.add(new Run(kind, arrivedNs, count));
    }
    count = 0;
  }

  /** What was added is out now. */
  void tell(long nowNs) {
    endRun();
    for (Run run = runs.poll(); run != null; run = runs.poll()) {
      run.kind.answered(nowNs - run.arrivedNs, run.count);
    }
  }
}
