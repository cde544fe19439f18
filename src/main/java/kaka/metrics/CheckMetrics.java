package kaka.metrics;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;

/** What waits for the threads that check batches and make what takes long, and what they do. Safe from any thread. */
public final class CheckMetrics {
  /** One pool of threads; a task counts. */
  private static final class Pool {
    private final LongAdder queued = new LongAdder();
    private final LongAdder running = new LongAdder();

    Executor counting(Executor threads) {
      return task -> {
        queued.increment();
        try {
          threads.execute(() -> run(task));
        } catch (Throwable e) { // it is not taken
          queued.decrement();
          throw e;
        }
      };
    }

    private void run(Runnable task) {
      queued.decrement();
      running.increment();
      try {
        task.run();
      } finally {
        running.decrement();
      }
    }

    void collect(Samples out, String name) {
      out.add(Metric.CHECKS_QUEUED, queued.sum(), name);
      out.add(Metric.CHECKS_RUNNING, running.sum(), name);
    }
  }

  private final Pool brief = new Pool();
  private final Pool lengthy = new Pool();

  /** The threads for brief ones, with what they are given counted. */
  public Executor brief(Executor threads) {
    return brief.counting(threads);
  }

  /** The threads for long ones, with what they are given counted. */
  public Executor lengthy(Executor threads) {
    return lengthy.counting(threads);
  }

  void collect(Samples out) {
    brief.collect(out, "checks");
    lengthy.collect(out, "long_checks");
  }
}
