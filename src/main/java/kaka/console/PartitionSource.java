package kaka.console;

import java.util.Map;
import java.util.TreeMap;
import kaka.log.LogSnapshot;
import kaka.metrics.Exposition;
import kaka.metrics.Metric;
import kaka.metrics.PartitionCounts;
import kaka.metrics.Samples;
import kaka.partition.PartitionHandle;
import kaka.topic.Routes;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRoute;

/**
 * What went in and out of partitions, and what their logs are. One series for each partition; where there are more than
 * {@code maxSeries}, one for each topic, and where those are more, one in all.
 */
final class PartitionSource implements Exposition.Source {
  /** How far series are told apart. */
  private enum Grain {
    PARTITION,
    TOPIC,
    BROKER
  }

  /** Sums, of one partition or of several. */
  private static final class Sums {
    private long producedRecords;
    private long producedBytes;
    private long producedBatches;
    private long fetchedRecords;
    private long fetchedBytes;
    private long sizeBytes;
    private long segments;
    private long start;
    private long highWatermark;
    private long lastStable;
    private boolean hasLog;

    void add(PartitionHandle partition) {
      PartitionCounts counts = partition.counts();
      producedRecords += counts.producedRecords();
      producedBytes += counts.producedBytes();
      producedBatches += counts.producedBatches();
      fetchedRecords += counts.fetchedRecords();
      fetchedBytes += counts.fetchedBytes();
      partition.view().snapshot().ifPresent(this::add);
    }

    private void add(LogSnapshot log) {
      hasLog = true;
      sizeBytes += log.sizeBytes();
      segments += log.segmentCount();
      start += log.logStartOffset();
      highWatermark += log.highWatermark();
      lastStable += log.lastStableOffset();
    }

    void tell(Samples out, String topic, String partition) {
      out.add(Metric.PRODUCED_RECORDS, producedRecords, topic, partition);
      out.add(Metric.PRODUCED_BYTES, producedBytes, topic, partition);
      out.add(Metric.PRODUCED_BATCHES, producedBatches, topic, partition);
      out.add(Metric.FETCHED_RECORDS, fetchedRecords, topic, partition);
      out.add(Metric.FETCHED_BYTES, fetchedBytes, topic, partition);
      if (hasLog) {
        out.add(Metric.LOG_SIZE, sizeBytes, topic, partition);
        out.add(Metric.LOG_SEGMENTS, segments, topic, partition);
        out.add(Metric.LOG_START, start, topic, partition);
        out.add(Metric.LOG_HIGH_WATERMARK, highWatermark, topic, partition);
        out.add(Metric.LOG_LAST_STABLE, lastStable, topic, partition);
      }
    }
  }

  private final Routes routes;
  private final int maxSeries;

  PartitionSource(Routes routes, int maxSeries) {
    this.routes = routes;
    this.maxSeries = maxSeries;
  }

  @Override
  public void collect(Samples out) {
    RoutingTable table = routes.table();
    Grain grain = grainOf(table);
    out.add(Metric.SERIES_BOUND, grain == Grain.PARTITION ? 0 : 1, "partitions");
    Map<String, Sums> byTopic = new TreeMap<>();
    for (TopicRoute route : table.all()) {
      for (PartitionHandle partition : route.partitions()) {
        if (grain == Grain.PARTITION) {
          Sums one = new Sums();
          one.add(partition);
          one.tell(out, partition.id().topic(), Integer.toString(partition.id().partition()));
        } else {
          String topic = grain == Grain.TOPIC ? route.topic().name() : "";
          byTopic.computeIfAbsent(topic, unseen -> new Sums()).add(partition);
        }
      }
    }
    byTopic.forEach((topic, sums) -> sums.tell(out, topic, ""));
  }

  private Grain grainOf(RoutingTable table) {
    int count = 0;
    for (TopicRoute route : table.all()) {
      count += route.partitions().size();
    }
    if (count <= maxSeries) {
      return Grain.PARTITION;
    }
    return table.topicCount() <= maxSeries ? Grain.TOPIC : Grain.BROKER;
  }
}
