package kaka.connection;

import java.util.ArrayDeque;
import kaka.metrics.RequestMetrics;

/**
 * How long requests took that are answered in one go: those that are of one kind and came together are counted together, so that
 * ten thousand small ones cost no more than one.
 */
final class AnsweredRequests {
  /** So many of one kind that came together. */
  private record Run(RequestMetrics.Kind kind, long arrivedNs, long count) {}

  private final ArrayDeque<Run> runs = new ArrayDeque<>(2);
  private RequestMetrics.Kind kind;
  private long arrivedNs;
  private long count;

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
