package kaka.metrics;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What one look at the broker found: numbers by metric and labels. For one thread. */
public final class Samples {
  /** @param histograms of which the sum is meant; empty for a number */
  record Sample(List<String> labels, double value, List<Histogram> histograms) {}

  private final Map<Metric, List<Sample>> samples = new EnumMap<>(Metric.class);

  /**
   * @param labels the values of the metric's labels in their order; the empty string leaves one out, as Prometheus understands it
   */
  public void add(Metric metric, double value, String... labels) {
    if (metric.kind().isHistogram()) {
      throw new IllegalArgumentException(metric + " is a histogram");
    }
    put(metric, new Sample(List.of(labels), value, List.of()));
  }

  public void add(Metric metric, Histogram histogram, String... labels) {
    add(metric, List.of(histogram), labels);
  }

  /** @param histograms with the same bounds */
  void add(Metric metric, List<Histogram> histograms, String... labels) {
    if (!metric.kind().isHistogram()) {
      throw new IllegalArgumentException(metric + " is no histogram");
    }
    put(metric, new Sample(List.of(labels), 0, List.copyOf(histograms)));
  }

  private void put(Metric metric, Sample sample) {
    if (sample.labels().size() != metric.labels().size()) {
      throw new IllegalArgumentException(metric + " has labels " + metric.labels() + ", not " + sample.labels());
    }
    samples.computeIfAbsent(metric, unseen -> new ArrayList<>()).add(sample);
  }

  List<Sample> of(Metric metric) {
    return samples.getOrDefault(metric, List.of());
  }
}
