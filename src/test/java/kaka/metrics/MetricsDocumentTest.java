package kaka.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The names are as Prometheus wants them, and as METRICS.md tells them. */
class MetricsDocumentTest {
  @Test
  void theDocumentIsMadeOfTheCode() throws IOException {
    assertEquals(MetricsDocument.text(), Files.readString(MetricsDocument.FILE), "run kaka.metrics.MetricsDocument");
  }

  @Test
  void namesAreByPrometheusConventions() {
    Set<String> names = new HashSet<>();
    for (Metric metric : Metric.values()) {
      String name = metric.text();
      assertTrue(names.add(name), name + " twice");
      assertTrue(Pattern.matches("kaka_[a-z]+(_[a-z]+)*", name), name);
      assertEquals(metric.kind() == Metric.Kind.COUNTER, name.endsWith("_total"), name);
      assertTrue(metric.kind() != Metric.Kind.SECONDS || name.endsWith("_seconds"), name);
      assertTrue(metric.kind() != Metric.Kind.BYTES || name.endsWith("_bytes"), name);
      assertTrue(metric.help().endsWith("."), name);
    }
  }

  /** What Micrometer tells is what {@link JvmMetric} has; some of it only once there was a collection. */
  @Test
  void theJvmsMetricsAreKnown() {
    System.gc();
    Set<String> known = new TreeSet<>();
    for (JvmMetric metric : JvmMetric.values()) {
      known.add(metric.text());
    }
    Set<String> told = new TreeSet<>();
    try (Exposition exposition = new Exposition(List.of())) {
      System.gc();
      String page = new String(exposition.page(), StandardCharsets.UTF_8);
      page.lines().filter(line -> line.startsWith("# TYPE ")).forEach(line -> told.add(line.split(" ")[2]));
    }

    told.removeAll(known);

    assertEquals(Set.of(), told, "not in JvmMetric");
  }

  @Test
  void aHistogramCountsEachValueOnceInItsBucket() {
    Histogram histogram = Histogram.ofBytes();
    histogram.record(0);
    histogram.record(256);
    histogram.record(257, 3);
    histogram.record(Long.MAX_VALUE / 2);

    long[] counts = histogram.bucketCounts();

    assertEquals(2, counts[0]);
    assertEquals(3, counts[1]);
    assertEquals(1, counts[counts.length - 1]);
    assertEquals(6, histogram.count());
  }
}
