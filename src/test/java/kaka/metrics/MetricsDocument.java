package kaka.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes METRICS.md of {@link Metric} and {@link JvmMetric}: {@code java -cp target/test-classes:target/classes kaka.metrics.MetricsDocument}. */
final class MetricsDocument {
  static final Path FILE = Path.of("METRICS.md");

  private MetricsDocument() {}

  public static void main(String[] args) throws IOException {
    Files.writeString(FILE, text());
  }

  static String text() {
    StringBuilder text =
        new StringBuilder(
            """
            # Metrics

            What `http://127.0.0.1:9644/metrics` tells (`kaka.admin.port`, `kaka.admin.host`), in Prometheus's text format. This file is
            made of the code; a test holds it to it.

            Counters begin at 0 with each start of the broker. Series with `topic` and `partition` are told apart up to
            `kaka.metrics.max-series` partitions; beyond that they are sums for each topic, without the label `partition`, and where there
            are more topics than that, one sum in all. Those of groups likewise: by partition, by topic, by group, in all.
            `kaka_metrics_aggregated` says whether that is so. No label ever has what a client made up, but for names of topics and
            groups that exist.

            There is nothing of hits and misses: kaka keeps no copy of records in memory. What readers get comes from files, and so mostly
            from the kernel's page cache, which does not tell.

            | metric | type | labels | what it says |
            | --- | --- | --- | --- |
            """);
    for (Metric metric : Metric.values()) {
      text.append(row(metric.text(), metric.kind().type(), String.join(", ", metric.labels()), metric.help()));
    }
    text.append("\nOf the process and its JVM, by [Micrometer](https://micrometer.io):\n\n| metric | type | labels | what it says |\n| --- | --- | --- | --- |\n");
    for (JvmMetric metric : JvmMetric.values()) {
      text.append(row(metric.text(), metric.type(), metric.labels(), metric.help()));
    }
    return text.toString();
  }

  private static String row(String name, String type, String labels, String help) {
    return "| `" + name + "` | " + type + " | " + labels + " | " + help + " |\n";
  }
}
