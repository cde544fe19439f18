/**
 * Floor 0: what the broker counts, and how it is told. Every metric's name stands in {@link kaka.metrics.Metric}.
 *
 * <p>Invariants: counting is a {@link java.util.concurrent.atomic.LongAdder}'s work, takes no lock, and never loads the library
 * that writes the text ({@link kaka.metrics.Exposition}), which is for whoever asks; a metric has a bounded number of series,
 * whatever clients make up. Read {@link kaka.metrics.Metric} first, then {@link kaka.metrics.BrokerMetrics}.
 */
package kaka.metrics;
