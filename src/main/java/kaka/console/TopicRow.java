package kaka.console;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import kaka.metrics.PartitionCounts;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.topic.TopicRoute;

/** A topic as lists show it: the sums of its partitions at about one moment. */
record TopicRow(
    TopicRoute route,
    int failed,
    int opening,
    long sizeBytes,
    long segments,
    long records,
    long producedRecords,
    long producedBytes,
    long fetchedBytes) {
  static TopicRow of(TopicRoute route) {
    int failed = 0;
    int opening = 0;
    long sizeBytes = 0;
    long segments = 0;
    long records = 0;
    long producedRecords = 0;
    long producedBytes = 0;
    long fetchedBytes = 0;
    for (PartitionHandle handle : route.partitions()) {
      PartitionRow row = PartitionRow.of(handle);
      failed += row.view().state() == PartitionState.FAILED ? 1 : 0;
      opening += row.view().state() == PartitionState.OPENING ? 1 : 0;
      sizeBytes += row.sizeBytes();
      segments += row.segments();
      records += row.records();
      PartitionCounts counts = handle.counts();
      producedRecords += counts.producedRecords();
      producedBytes += counts.producedBytes();
      fetchedBytes += counts.fetchedBytes();
    }
    return new TopicRow(route, failed, opening, sizeBytes, segments, records, producedRecords, producedBytes, fetchedBytes);
  }

  String name() {
    return route.topic().name();
  }

  /** By what lists of them are sorted; the first is how they come. */
  static Map<String, Comparator<TopicRow>> sorts() {
    Map<String, Comparator<TopicRow>> sorts = new LinkedHashMap<>();
    sorts.put("name", Comparator.comparing(TopicRow::name));
    sorts.put("partitions", Comparator.comparingInt(row -> row.route.partitions().size()));
    sorts.put("size", Comparator.comparingLong(TopicRow::sizeBytes));
    sorts.put("records", Comparator.comparingLong(TopicRow::records));
    sorts.put("produced", Comparator.comparingLong(TopicRow::producedRecords));
    return sorts;
  }

  void writeTo(JsonWriter out) {
    out.put("name", name())
        .put("id", route.topic().id().toString())
        .put("partitions", route.partitions().size())
        .put("failed", failed)
        .put("opening", opening)
        .put("size_bytes", sizeBytes)
        .put("segments", segments)
        .put("records", records)
        .put("compacted", route.topic().settings().compacts())
        .put("produced_records", producedRecords)
        .put("produced_bytes", producedBytes)
        .put("fetched_bytes", fetchedBytes);
  }
}
