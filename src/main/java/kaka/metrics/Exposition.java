package kaka.metrics;

import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The page that Prometheus reads. Made when somebody asks, of whatever there is at that moment: Micrometer's metrics of the JVM and
 * kaka's own. Nothing on the way of a record knows this class, nor the libraries behind it, which are loaded by the first page.
 */
public final class Exposition implements AutoCloseable {
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** Whatever has numbers; asked once for each page. */
  public interface Source {
    void collect(Samples out);
  }

  private final List<Source> sources;
  private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();

  public Exposition(List<Source> sources) {
    this.sources = List.copyOf(sources);
    new JvmMemoryMetrics().bindTo(registry);
    gc.bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    registry.getPrometheusRegistry().register(this::collect);
  }

  /** The page as it is now. One is made at a time: who comes meanwhile waits. */
  public synchronized byte[] page() {
    ByteArrayOutputStream out = new ByteArrayOutputStream(64 << 10);
    try {
      registry.scrape(out, CONTENT_TYPE);
    } catch (IOException e) { // of an array in memory
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  private MetricSnapshots collect() {
    Samples samples = new Samples();
    sources.forEach(source -> source.collect(samples));
    List<MetricSnapshot> snapshots = new ArrayList<>();
    for (Metric metric : Metric.values()) {
      if (!samples.of(metric).isEmpty()) {
        snapshots.add(snapshot(metric, samples.of(metric)));
      }
    }
    return new MetricSnapshots(snapshots);
  }

  private static MetricSnapshot snapshot(Metric metric, List<Samples.Sample> samples) {
    return switch (metric.kind()) {
      case COUNTER -> {
        CounterSnapshot.Builder counter = CounterSnapshot.builder().name(without(metric, "_total")).help(metric.help());
        samples.forEach(
            sample ->
                counter.dataPoint(
                    CounterSnapshot.CounterDataPointSnapshot.builder()
                        .value(sample.value())
                        .labels(labels(metric, sample))
                        .build()));
        yield counter.build();
      }
      case GAUGE -> {
        GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(metric.text()).help(metric.help());
        samples.forEach(
            sample ->
                gauge.dataPoint(
                    GaugeSnapshot.GaugeDataPointSnapshot.builder()
                        .value(sample.value())
                        .labels(labels(metric, sample))
                        .build()));
        yield gauge.build();
      }
      case INFO -> {
        InfoSnapshot.Builder info = InfoSnapshot.builder().name(without(metric, "_info")).help(metric.help());
        samples.forEach(
            sample -> info.dataPoint(InfoSnapshot.InfoDataPointSnapshot.builder().labels(labels(metric, sample)).build()));
        yield info.build();
      }
      case SECONDS, BYTES, COUNT -> {
        HistogramSnapshot.Builder histogram = HistogramSnapshot.builder().name(metric.text()).help(metric.help());
        samples.forEach(sample -> histogram.dataPoint(dataPoint(metric, sample)));
        yield histogram.build();
      }
    };
  }

  private static HistogramSnapshot.HistogramDataPointSnapshot dataPoint(Metric metric, Samples.Sample sample) {
    double[] bounds = sample.histograms().get(0).upperBounds();
    long[] counts = new long[bounds.length + 1];
    double sum = 0;
    for (Histogram histogram : sample.histograms()) {
      long[] more = histogram.bucketCounts();
      for (int i = 0; i < counts.length; i++) {
        counts[i] += more[i];
      }
      sum += histogram.sum();
    }
    ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
    for (int i = 0; i < counts.length; i++) {
      buckets.bucket(i < bounds.length ? bounds[i] : Double.POSITIVE_INFINITY, counts[i]);
    }
    return HistogramSnapshot.HistogramDataPointSnapshot.builder()
        .classicHistogramBuckets(buckets.build())
        .sum(sum)
        .labels(labels(metric, sample))
        .build();
  }

  private static Labels labels(Metric metric, Samples.Sample sample) {
    Labels.Builder labels = Labels.builder();
    for (int i = 0; i < sample.labels().size(); i++) {
      if (!sample.labels().get(i).isEmpty()) {
        labels.label(metric.labels().get(i), sample.labels().get(i));
      }
    }
    return labels.build();
  }

  private static String without(Metric metric, String suffix) {
    return metric.text().substring(0, metric.text().length() - suffix.length());
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }
}
