package kaka.console;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import kaka.log.LogSnapshot;
import kaka.metrics.PartitionCounts;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionView;

/** A partition as lists show it: what its handle showed at one moment. */
record PartitionRow(PartitionHandle handle, PartitionView view) {
  static PartitionRow of(PartitionHandle handle) {
    return new PartitionRow(handle, handle.view());
  }

  /** By what lists of them are sorted; the first is how they come. */
  static Map<String, Comparator<PartitionRow>> sorts() {
    Map<String, Comparator<PartitionRow>> sorts = new LinkedHashMap<>();
    Comparator<PartitionRow> byName = Comparator.comparing(row -> row.handle.id().topic());
    Comparator<PartitionRow> byNumber = Comparator.comparing(row -> row.handle.id().partition());
    sorts.put("name", byName.thenComparing(byNumber));
    sorts.put("partition", byNumber);
    sorts.put("size", Comparator.comparingLong(PartitionRow::sizeBytes));
    sorts.put("records", Comparator.comparingLong(PartitionRow::records));
    sorts.put("produced", Comparator.comparingLong(row -> row.handle.counts().producedRecords()));
    return sorts;
  }

  long sizeBytes() {
    return log().map(LogSnapshot::sizeBytes).orElse(0L);
  }

  /** Offsets between the log's start and its high watermark. */
  long records() {
    return log().map(each -> each.highWatermark() - each.logStartOffset()).orElse(0L);
  }

  int segments() {
    return log().map(LogSnapshot::segmentCount).orElse(0);
  }

  private Optional<LogSnapshot> log() {
    return view.snapshot();
  }

  String state() {
    return BrokerSource.label(view.state());
  }

  void writeTo(JsonWriter out) {
    out.put("topic", handle.id().topic())
        .put("partition", handle.id().partition())
        .put("state", state())
        .put("reason", view.reason());
    Optional<LogSnapshot> log = log();
    if (log.isPresent()) {
      LogSnapshot shown = log.get();
      out.put("log_start", shown.logStartOffset())
          .put("high_watermark", shown.highWatermark())
          .put("last_stable", shown.lastStableOffset())
          .put("records", records())
          .put("size_bytes", shown.sizeBytes())
          .put("segments", shown.segmentCount());
    } else {
      for (String name : new String[] {"log_start", "high_watermark", "last_stable", "records", "size_bytes", "segments"}) {
        out.putNull(name);
      }
    }
    PartitionCounts counts = handle.counts();
    out.put("produced_records", counts.producedRecords())
        .put("produced_bytes", counts.producedBytes())
        .put("fetched_records", counts.fetchedRecords())
        .put("fetched_bytes", counts.fetchedBytes());
  }
}
