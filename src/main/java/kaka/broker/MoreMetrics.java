package kaka.broker;

import java.time.Clock;
import java.util.Locale;
import kaka.metrics.Exposition;
import kaka.metrics.Metric;
import kaka.metrics.Samples;
import kaka.quota.Quotas;
import kaka.quota.Throttles;
import kaka.transaction.TransactionCounts;
import kaka.transaction.TransactionHandle;
import kaka.transaction.TransactionPhase;

/** Transactions and quotas in numbers, which the console below does not know. */
record MoreMetrics(TransactionHandle transactions, Quotas quotas, Clock clock) implements Exposition.Source {
  @Override
  public void collect(Samples out) {
    TransactionCounts counts = transactions.counts();
    for (TransactionPhase phase : TransactionPhase.values()) {
      out.add(Metric.TRANSACTIONS, counts.byPhase().getOrDefault(phase, 0), phase.name().toLowerCase(Locale.ROOT));
    }
    long nowMs = clock.millis();
    out.add(Metric.TRANSACTION_OLDEST, Math.max(0, nowMs - counts.oldestStartedMs().orElse(nowMs)) / 1000.0);
    out.add(Metric.TRANSACTIONS_ENDED, counts.committed(), "committed");
    out.add(Metric.TRANSACTIONS_ENDED, counts.aborted(), "aborted");
    out.add(Metric.TRANSACTIONS_ENDED, counts.timedOut(), "timed_out");
    collect(out, quotas.producing(), "produce");
    collect(out, quotas.fetching(), "fetch");
    out.add(Metric.THROTTLED_CLIENTS, quotas.throttledCount());
  }

  private static void collect(Samples out, Throttles throttles, String direction) {
    out.add(Metric.THROTTLES, throttles.count(), direction);
    out.add(Metric.THROTTLE_SECONDS, throttles.totalNs() / 1e9, direction);
  }
}
