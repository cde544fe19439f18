package kaka.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import kaka.bench.BenchConfig;
import kaka.bench.LoadResult;
import kaka.bench.Measured;
import kaka.bench.Traffic;
import kaka.bench.Verification;

/** Results for programs; fields may be added, none changes its meaning. */
final class BenchJson {
  private BenchJson() {}

  static String of(String broker, List<LoadResult> results) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("broker", Json.string(broker));
    all.put("good", Boolean.toString(results.stream().allMatch(LoadResult::isGood)));
    all.put("loads", Json.array(results.stream().map(BenchJson::load).toList()));
    return Json.object(all);
  }

  private static String load(LoadResult result) {
    BenchConfig config = result.config();
    Traffic traffic = config.traffic();
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("load", Json.string(config.load().label()));
    fields.put("connections", Integer.toString(traffic.connections()));
    fields.put("readers", Integer.toString(traffic.readers()));
    fields.put("window", Integer.toString(traffic.window()));
    fields.put("partitions", Integer.toString(config.partitions()));
    fields.put("record_bytes", Integer.toString(traffic.recordBytes()));
    fields.put("batch_records", Integer.toString(traffic.batchRecords()));
    fields.put("fetch_bytes", Integer.toString(traffic.fetchBytes()));
    fields.put("records_per_second_asked", number(traffic.recordsPerSecond()));
    result.produced().ifPresent(measured -> fields.put("produced", measured(measured)));
    result.fetched().ifPresent(measured -> fields.put("fetched", measured(measured)));
    result.endToEnd().ifPresent(measured -> fields.put("end_to_end", measured(measured)));
    result.verification().ifPresent(verification -> fields.put("verified", verified(verification)));
    return Json.object(fields);
  }

  private static String measured(Measured measured) {
    Map<String, String> latencies = new LinkedHashMap<>();
    latencies.put("p50", number(measured.latencyUs(50)));
    latencies.put("p90", number(measured.latencyUs(90)));
    latencies.put("p99", number(measured.latencyUs(99)));
    latencies.put("p99_9", number(measured.latencyUs(99.9)));
    latencies.put("max", number(measured.latencyUs(100)));
    latencies.put("mean", number(measured.meanUs()));
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("seconds", number(measured.seconds()));
    fields.put("records", Long.toString(measured.records()));
    fields.put("bytes", Long.toString(measured.bytes()));
    fields.put("requests", Long.toString(measured.requests()));
    fields.put("refused", Long.toString(measured.refused()));
    fields.put("never_sent", Long.toString(measured.neverSent()));
    fields.put("records_per_second", number(measured.recordsPerSecond()));
    fields.put("bytes_per_second", number(measured.bytesPerSecond()));
    fields.put("latency_us", Json.object(latencies));
    return Json.object(fields);
  }

  private static String verified(Verification verification) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("records", Long.toString(verification.records()));
    fields.put("lost", Long.toString(verification.lost()));
    fields.put("moved", Long.toString(verification.moved()));
    fields.put("corrupt", Long.toString(verification.corrupt()));
    verification.first().ifPresent(first -> fields.put("first", Json.string(first)));
    return Json.object(fields);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
