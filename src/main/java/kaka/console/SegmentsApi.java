package kaka.console;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import kaka.log.LogSnapshot;
import kaka.log.SegmentView;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionView;

/** The segments of a partition, as its snapshot has them. */
final class SegmentsApi {
  private final BrokerFacts facts;
  private final LogReads reads;

  SegmentsApi(BrokerFacts facts, LogReads reads) {
    this.facts = facts;
    this.reads = reads;
  }

  CompletionStage<ApiAnswer> list(ApiCall call) {
    Paging paging = Paging.of(call);
    return reads.run(
        () -> {
          LogSnapshot log = openLog(TopicsApi.find(facts.routes().table(), call.partition()));
          int total = log.segmentCount();
          List<SegmentView> part = part(log, paging, total);
          JsonWriter out = new JsonWriter().put("size_bytes", log.sizeBytes());
          return ApiAnswer.ok(paging.writePart(out, total, part, SegmentsApi::write));
        });
  }

  private static List<SegmentView> part(LogSnapshot log, Paging paging, int total) {
    if (!paging.isDescending()) {
      return log.segments(paging.offset(), paging.limit());
    }
    long to = Math.max(0L, (long) total - paging.offset());
    long from = Math.max(0, to - paging.limit());
    List<SegmentView> part = new ArrayList<>(log.segments((int) from, (int) (to - from)));
    Collections.reverse(part);
    return part;
  }

  private static void write(JsonWriter out, SegmentView segment) {
    out.put("base_offset", segment.baseOffset())
        .put("next_offset", segment.nextOffset())
        .put("size_bytes", segment.sizeBytes())
        .put("active", segment.isActive())
        .put("max_timestamp", segment.maxTimestampMs())
        .put("last_modified", segment.lastModifiedMs())
        .put("index_bytes", segment.indexBytes())
        .put("time_index_bytes", segment.timeIndexBytes());
  }

  /** What can be read of a partition now. @throws ApiError if nothing can */
  static LogSnapshot openLog(PartitionHandle handle) {
    PartitionView view = handle.view();
    return view.snapshot().orElseThrow(() -> switch (view.state()) {
      case OPENING -> ApiError.unavailable(handle.id() + " is opening");
      case WRITABLE, FAILED -> ApiError.storage(handle.id() + " cannot be read: " + view.reason());
    });
  }
}
