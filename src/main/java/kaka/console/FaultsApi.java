package kaka.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kaka.metrics.Labelled;
import kaka.metrics.Protocol;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;

/** What is wrong, what was refused and why, and where limits were met. */
final class FaultsApi {
  private final BrokerFacts facts;
  private final Health health;

  FaultsApi(BrokerFacts facts, Health health) {
    this.facts = facts;
    this.health = health;
  }

  ApiAnswer get(ApiCall call) {
    JsonWriter out = new JsonWriter();
    Problem.writeAll(out, health.problems());
    writeFailed(out);
    out.array("refused_requests");
    for (Protocol protocol : Protocol.values()) {
      facts.metrics().requests().refused(protocol).counts()
          .forEach((reason, count) -> write(out.object().put("protocol", protocol.label()), reason, count));
    }
    out.endArray().array("refused_batches");
    facts.metrics().storage().refused().counts().forEach((reason, count) -> write(out.object(), reason, count));
    out.endArray().array("connection_limits");
    for (Map.Entry<String, Long> limit : facts.limits().get().entrySet()) {
      out.object().put("limit", limit.getKey()).put("count", limit.getValue()).end();
    }
    out.endArray()
        .put("memory_refused", facts.memory().refusalCount())
        .put("compactions_failed", facts.metrics().storage().failedCompactions());
    return ApiAnswer.ok(out);
  }

  private static void write(JsonWriter out, String reason, Labelled.Count count) {
    out.put("reason", reason).put("count", count.count()).put("last", count.lastMs()).end();
  }

  private void writeFailed(JsonWriter out) {
    List<PartitionRow> failed = new ArrayList<>();
    for (PartitionHandle handle : facts.routes().table().partitions()) {
      PartitionRow row = PartitionRow.of(handle);
      if (row.view().state() == PartitionState.FAILED) {
        failed.add(row);
      }
    }
    out.object("failed_partitions").put("total", failed.size()).array("items");
    for (PartitionRow row : failed.subList(0, Math.min(failed.size(), Health.MAX_LISTED))) {
      out.object()
          .put("topic", row.handle().id().topic())
          .put("partition", row.handle().id().partition())
          .put("reason", row.view().reason())
          .put("readable", row.view().snapshot().isPresent())
          .put("directory", health.directoryOf(row.handle()).toString())
          .put("advice", health.adviceFor(row.handle()))
          .end();
    }
    out.endArray().end();
  }
}
