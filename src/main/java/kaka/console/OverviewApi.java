package kaka.console;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;
import kaka.metrics.ConnectionMetrics;
import kaka.metrics.Histogram;
import kaka.metrics.Labelled;
import kaka.metrics.PartitionCounts;
import kaka.metrics.Protocol;
import kaka.metrics.StorageMetrics;
import kaka.partition.MemoryBudget;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;

/** The broker as a whole: what it is, how it is, and totals whose differences from poll to poll are rates. */
final class OverviewApi {
  private final BrokerFacts facts;
  private final Health health;
  private final GroupLags lags;
  private final boolean canWrite;

  OverviewApi(BrokerFacts facts, Health health, GroupLags lags, boolean canWrite) {
    this.facts = facts;
    this.health = health;
    this.lags = lags;
    this.canWrite = canWrite;
  }

  ApiAnswer get(ApiCall call) {
    List<Problem> problems = health.problems();
    long nowMs = System.currentTimeMillis();
    JsonWriter out =
        new JsonWriter()
            .put("version", facts.version())
            .put("broker_id", facts.directory().brokerId().toString())
            .put("pid", ProcessHandle.current().pid())
            .put("java", Runtime.version().toString())
            .put("now", nowMs)
            .put("started", facts.startMs())
            .put("uptime_seconds", Math.max(0, (nowMs - facts.startMs()) / 1000))
            .put("ready", problems.isEmpty())
            .put("phase", facts.lifecycle().phase().name().toLowerCase(java.util.Locale.ROOT));
    Problem.writeAll(out, problems);
    out.put("durability", facts.durability())
        .put("directory", facts.directory().path().toString())
        .put("write", canWrite)
        .put("topics", facts.routes().table().topicCount());
    long logBytes = writePartitions(out);
    writeGroups(out);
    writeLatency(out, facts.metrics().storage().acknowledged());
    writeConnections(out, facts.metrics().connections());
    writeMemory(out, facts.memory());
    writeDisk(out, logBytes);
    Runtime runtime = Runtime.getRuntime();
    out.object("files").put("open", facts.descriptors().openCount()).put("max", facts.descriptors().maxOpen()).end();
    out.object("heap").put("used_bytes", runtime.totalMemory() - runtime.freeMemory()).put("max_bytes", runtime.maxMemory()).end();
    return ApiAnswer.ok(out);
  }

  /** Their states and what went through them; returns the bytes of their logs. */
  private long writePartitions(JsonWriter out) {
    int[] byState = new int[PartitionState.values().length];
    long[] totals = new long[5];
    long logBytes = 0;
    List<PartitionHandle> partitions = facts.routes().table().partitions();
    for (PartitionHandle handle : partitions) {
      PartitionRow row = PartitionRow.of(handle);
      byState[row.view().state().ordinal()]++;
      logBytes += row.sizeBytes();
      PartitionCounts counts = handle.counts();
      totals[0] += counts.producedRecords();
      totals[1] += counts.producedBytes();
      totals[2] += counts.producedBatches();
      totals[3] += counts.fetchedRecords();
      totals[4] += counts.fetchedBytes();
    }
    out.object("partitions").put("count", partitions.size());
    for (PartitionState state : PartitionState.values()) {
      out.put(BrokerSource.label(state), byState[state.ordinal()]);
    }
    out.end();
    StorageMetrics storage = facts.metrics().storage();
    long refused = 0;
    for (Protocol protocol : Protocol.values()) {
      refused += facts.metrics().requests().refused(protocol).sum();
    }
    out.object("totals")
        .put("produced_records", totals[0])
        .put("produced_bytes", totals[1])
        .put("produced_batches", totals[2])
        .put("fetched_records", totals[3])
        .put("fetched_bytes", totals[4])
        .put("commits", storage.commitCount())
        .put("requests_refused", refused)
        .put("batches_refused", storage.refused().sum())
        .put("credit_waits", facts.metrics().connections().creditWaitCount())
        .put("connections_accepted", facts.metrics().connections().acceptedCount())
        .end();
    return logBytes;
  }

  private void writeGroups(JsonWriter out) {
    Map<String, Long> byGroup = lags.byGroup();
    out.object("groups")
        .put("count", facts.groups().offsets().names().size())
        .put("lag", byGroup.values().stream().mapToLong(Long::longValue).sum())
        .end();
  }

  private static void writeLatency(JsonWriter out, Histogram latency) {
    out.object("commit_latency").array("bounds_seconds");
    for (double bound : latency.upperBounds()) {
      out.value(bound);
    }
    out.endArray().array("counts");
    for (long count : latency.bucketCounts()) {
      out.value(count);
    }
    out.endArray().end();
  }

  private void writeConnections(JsonWriter out, ConnectionMetrics connections) {
    out.object("connections")
        .put("open", connections.openCount())
        .put("max", facts.maxConnections())
        .put("waiting_for_credit", connections.waitingCount())
        .put("requests_in_flight", connections.requestsInFlight())
        .put("bytes_in_flight", connections.bytesInFlight())
        .end();
  }

  private static void writeMemory(JsonWriter out, MemoryBudget memory) {
    out.object("memory").put("budget_bytes", memory.maxBytes()).put("used_bytes", memory.usedBytes()).object("by_use");
    long known = 0;
    for (MemoryBudget.Use use : MemoryBudget.Use.values()) {
      long bytes = Math.max(0, memory.usedBytes(use));
      known += bytes;
      out.put(BrokerSource.label(use), bytes);
    }
    out.put("other", Math.max(0, memory.usedBytes() - known)).end().put("refused", memory.refusalCount()).end();
  }

  private void writeDisk(JsonWriter out, long logBytes) {
    Optional<DiskSpace.Space> space = health.diskSpace();
    out.object("disk")
        .put("directory", facts.directory().path().toString())
        .put("log_bytes", logBytes)
        .put("free_bytes", of(space, DiskSpace.Space::freeBytes))
        .put("total_bytes", of(space, DiskSpace.Space::totalBytes))
        .put("min_free_bytes", facts.minFreeBytes())
        .end();
  }

  private static OptionalLong of(Optional<DiskSpace.Space> space, ToLongFunction<DiskSpace.Space> bytes) {
    return space.map(known -> OptionalLong.of(bytes.applyAsLong(known))).orElseGet(OptionalLong::empty);
  }
}
