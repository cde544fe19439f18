package kaka.console;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import kaka.log.LogSnapshot;
import kaka.partition.PartitionHandle;
import kaka.topic.TopicRoute;

/**
 * Pages through the committed records of a topic, all of its partitions together by time, or searches them. One request looks at a
 * bounded number of bytes for a bounded time; cursors let the next go on, either way.
 */
final class BrowseApi {
  private static final int MAX_PARTITIONS = 64;
  private static final int MAX_RECORDS = 500;
  private static final int DEFAULT_RECORDS = 50;
  private static final int MAX_VALUE_BYTES = 64 << 10;
  private static final int DEFAULT_VALUE_BYTES = 1 << 10;

  /** Looked at by one request, of all partitions together, and at least of each. */
  private static final long SCANNED_BYTES = 8 << 20;

  private static final long LEAST_SCANNED_BYTES = 128 << 10;

  /** In one answer, about; a record that is longer is there all the same. */
  private static final long SHOWN_BYTES = 1 << 20;

  private static final long TIME_NS = 1_000_000_000;

  private final BrokerFacts facts;
  private final LogReads reads;

  BrowseApi(BrokerFacts facts, LogReads reads) {
    this.facts = facts;
    this.reads = reads;
  }

  /** Where to begin. */
  private sealed interface Place {
    record Newest() implements Place {}

    record AtOffset(long offset) implements Place {}

    record AtTime(long timestampMs) implements Place {}

    record AtCursor(BrowseCursor cursor) implements Place {}
  }

  CompletionStage<ApiAnswer> browse(ApiCall call) {
    Place place = place(call);
    OptionalLong last = call.number("last", 1, MAX_RECORDS);
    int limit = call.count("limit", 1, MAX_RECORDS, (int) last.orElse(DEFAULT_RECORDS));
    int maxValue = call.count("max_value", 0, MAX_VALUE_BYTES, DEFAULT_VALUE_BYTES);
    RecordFilter filter = new RecordFilter(call.text("key"), call.text("text"));
    OptionalLong only = call.number("partition", 0, Integer.MAX_VALUE);
    return reads.run(
        () -> {
          List<PartitionHandle> partitions = partitions(call.topic(), only, place);
          int count = partitions.size();
          PartitionScan.Limits limits =
              new PartitionScan.Limits(
                  limit,
                  Math.max(1, Math.min(SHOWN_BYTES, facts.memory().maxBytes() / 64) / count),
                  Math.max(LEAST_SCANNED_BYTES, SCANNED_BYTES / count),
                  System.nanoTime() + TIME_NS);
          try (ReadAllowance memory = new ReadAllowance(facts.memory())) {
            Map<PartitionHandle, PartitionScan> scans = new HashMap<>();
            for (PartitionHandle each : partitions) {
              LogSnapshot log = SegmentsApi.openLog(each).committed();
              scans.put(each, new PartitionScan(each.id().partition(), log, filter, maxValue, limits, memory));
            }
            return new Page(call.topic(), place, limit, partitions.stream().map(scans::get).toList()).answer();
          }
        });
  }

  private static Place place(ApiCall call) {
    long given = Stream.of("last", "offset", "time", "cursor").filter(name -> call.text(name).isPresent()).count();
    if (given > 1) {
      throw ApiError.badRequest("only one of last, offset, time and cursor");
    }
    OptionalLong offset = call.number("offset", 0, Long.MAX_VALUE);
    OptionalLong time = call.number("time", 0, Long.MAX_VALUE);
    Optional<String> cursor = call.text("cursor");
    if (offset.isPresent()) {
      return new Place.AtOffset(offset.getAsLong());
    } else if (time.isPresent()) {
      return new Place.AtTime(time.getAsLong());
    }
    return cursor.<Place>map(text -> new Place.AtCursor(BrowseCursor.parse(text))).orElseGet(Place.Newest::new);
  }

  private List<PartitionHandle> partitions(String topic, OptionalLong only, Place place) {
    TopicRoute route = TopicsApi.find(facts.routes().table(), topic);
    if (only.isPresent()) {
      return List.of(route.partition((int) only.getAsLong()).orElseThrow(() -> ApiError.unknownPartition(topic, only.getAsLong())));
    }
    int count = route.partitions().size();
    if (count > MAX_PARTITIONS) {
      throw ApiError.badRequest("partition: topic '" + topic + "' has " + count + " of them, more than " + MAX_PARTITIONS + ": choose one");
    }
    if (place instanceof Place.AtOffset && count > 1) {
      throw ApiError.badRequest("offset: topic '" + topic + "' has " + count + " partitions, choose one by partition=");
    }
    List<PartitionHandle> readable = route.partitions().stream().filter(each -> each.view().snapshot().isPresent()).toList();
    return readable.isEmpty() ? route.partitions() : readable; // a broken one does not hide the others
  }

  /** One page: scans each partition, and puts what was found in order. */
  private static final class Page {
    private final String topic;
    private final int limit;
    private final Place place;
    private final List<PartitionScan> scans;
    private final boolean isBackward;
    private final Map<Integer, Long> starts = new TreeMap<>(); // where each partition's scan began, by number

    Page(String topic, Place place, int limit, List<PartitionScan> scans) {
      this.topic = topic;
      this.place = place;
      this.limit = limit;
      this.scans = scans;
      this.isBackward = place instanceof Place.Newest || place instanceof Place.AtCursor at && at.cursor().isBackward();
    }

    ApiAnswer answer() throws IOException {
      for (PartitionScan scan : scans) {
        long start = Math.max(scan.log().logStartOffset(), Math.min(start(scan), scan.log().highWatermark()));
        starts.put(scan.partition(), start);
        if (isBackward) {
          scan.backwards(start);
        } else {
          scan.forwards(start);
        }
      }
      Map<Integer, Deque<ShownRecord>> left = new TreeMap<>();
      scans.forEach(scan -> left.put(scan.partition(), new ArrayDeque<>(scan.found())));
      List<ShownRecord> chosen = new ArrayList<>();
      while (chosen.size() < limit && takeNext(left, chosen)) {
        // the next one by time
      }
      if (isBackward) {
        Collections.reverse(chosen);
      }
      return ApiAnswer.ok(write(chosen, left));
    }

    private long start(PartitionScan scan) throws IOException {
      if (place instanceof Place.AtOffset at) {
        return at.offset();
      } else if (place instanceof Place.AtTime at) {
        return scan.log().offsetForTime(at.timestampMs()).orElse(scan.log().highWatermark());
      } else if (place instanceof Place.AtCursor at) {
        return at.cursor().offsets().getOrDefault(scan.partition(), at.cursor().isBackward() ? Long.MAX_VALUE : 0L);
      }
      return scan.log().highWatermark();
    }

    /** Takes the oldest of all partitions' first ones, or the newest of their last ones: each partition keeps its order. */
    private boolean takeNext(Map<Integer, Deque<ShownRecord>> left, List<ShownRecord> chosen) {
      Deque<ShownRecord> best = null;
      for (Deque<ShownRecord> each : left.values()) {
        if (!each.isEmpty() && (best == null || isBefore(each, best))) {
          best = each;
        }
      }
      if (best == null) {
        return false;
      }
      chosen.add(isBackward ? best.removeLast() : best.removeFirst());
      return true;
    }

    private boolean isBefore(Deque<ShownRecord> some, Deque<ShownRecord> others) {
      return isBackward
          ? some.getLast().timestampMs() > others.getLast().timestampMs()
          : some.getFirst().timestampMs() < others.getFirst().timestampMs();
    }

    private JsonWriter write(List<ShownRecord> chosen, Map<Integer, Deque<ShownRecord>> left) {
      JsonWriter out = new JsonWriter().put("topic", topic).array("items");
      for (ShownRecord record : chosen) {
        out.object();
        record.writeTo(out);
        out.end();
      }
      TreeMap<Integer, Long> ahead = new TreeMap<>();
      boolean isComplete = true;
      boolean hasOlder = false;
      for (PartitionScan scan : scans) {
        Deque<ShownRecord> notShown = left.get(scan.partition());
        long place = scan.position();
        if (!notShown.isEmpty()) {
          place = isBackward ? notShown.getLast().offset() + 1 : notShown.getFirst().offset();
        }
        isComplete &= notShown.isEmpty() && scan.isComplete();
        ahead.put(scan.partition(), place);
        hasOlder |= (isBackward ? place : starts.get(scan.partition())) > scan.log().logStartOffset();
      }
      TreeMap<Integer, Long> behind = new TreeMap<>(starts);
      String next = new BrowseCursor(false, isBackward ? behind : ahead).toString();
      String previous = hasOlder ? new BrowseCursor(true, isBackward ? ahead : behind).toString() : null;
      out.endArray()
          .put("next", next)
          .put("previous", previous)
          .put("end_reached", isComplete)
          .put("scanned_records", scans.stream().mapToLong(PartitionScan::scannedRecords).sum())
          .put("scanned_bytes", scans.stream().mapToLong(PartitionScan::scannedBytes).sum())
          .array("partitions");
      for (PartitionScan scan : scans) {
        out.object()
            .put("partition", scan.partition())
            .put("log_start", scan.log().logStartOffset())
            .put("end", scan.log().highWatermark())
            .end();
      }
      return out.endArray();
    }
  }
}
