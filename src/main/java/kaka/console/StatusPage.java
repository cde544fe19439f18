package kaka.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kaka.log.LogSnapshot;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;

/** What {@code kaka status} shows, as JSON. */
final class StatusPage {
  private static final int MOST_LAGGING = 10;

  private final BrokerFacts facts;
  private final Health health;
  private final GroupLags lags;

  StatusPage(BrokerFacts facts, Health health, GroupLags lags) {
    this.facts = facts;
    this.health = health;
    this.lags = lags;
  }

  String json() {
    List<Problem> problems = health.problems();
    return new JsonObject()
        .put("version", facts.version())
        .put("java", Runtime.version().toString())
        .put("broker_id", facts.directory().brokerId().toString())
        .put("pid", ProcessHandle.current().pid())
        .put("uptime_seconds", Math.max(0, (System.currentTimeMillis() - facts.startMs()) / 1000))
        .put("ready", problems.isEmpty())
        .put("problems", problems.stream().map(Problem::toJson).toList())
        .put("durability", facts.durability())
        .put("recovery_ms", facts.lifecycle().recovery().toMillis())
        .put("topics", facts.routes().table().topicCount())
        .put("partitions", partitions())
        .put("groups", groups())
        .put("connections", connections())
        .put("memory", memory())
        .put("disk", disk())
        .toString();
  }

  private JsonObject partitions() {
    List<PartitionHandle> all = facts.routes().table().partitions();
    JsonObject json = new JsonObject().put("count", all.size());
    for (PartitionState state : PartitionState.values()) {
      json.put(BrokerSource.label(state), all.stream().filter(each -> each.view().state() == state).count());
    }
    return json;
  }

  private JsonObject groups() {
    Map<String, Long> byGroup = lags.byGroup();
    List<String> most = new ArrayList<>();
    byGroup.entrySet().stream()
        .filter(each -> each.getValue() > 0)
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(MOST_LAGGING)
        .forEach(each -> most.add(new JsonObject().put("group", each.getKey()).put("lag", each.getValue()).toString()));
    return new JsonObject()
        .put("count", facts.groups().offsets().names().size())
        .put("lag", byGroup.values().stream().mapToLong(Long::longValue).sum())
        .put("most_lagging", most);
  }

  private JsonObject connections() {
    return new JsonObject()
        .put("open", facts.metrics().connections().openCount())
        .put("max", facts.maxConnections());
  }

  private JsonObject memory() {
    return new JsonObject().put("used_bytes", facts.memory().usedBytes()).put("budget_bytes", facts.memory().maxBytes());
  }

  private JsonObject disk() {
    long logBytes = 0;
    for (PartitionHandle partition : facts.routes().table().partitions()) {
      logBytes += partition.view().snapshot().map(LogSnapshot::sizeBytes).orElse(0L);
    }
    JsonObject json =
        new JsonObject()
            .put("directory", facts.directory().path().toString())
            .put("log_bytes", logBytes)
            .put("min_free_bytes", facts.minFreeBytes());
    health.diskSpace().ifPresent(space -> json.put("free_bytes", space.freeBytes()).put("total_bytes", space.totalBytes()));
    return json;
  }
}
