package kaka.console;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import kaka.metrics.Exposition;
import kaka.metrics.Metric;
import kaka.metrics.Samples;
import kaka.partition.MemoryBudget;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;

/** The broker's own numbers: what it counted, and what its parts are at this moment. */
final class BrokerSource implements Exposition.Source {
  private final BrokerFacts facts;
  private final Health health;
  private long pages;

  BrokerSource(BrokerFacts facts, Health health) {
    this.facts = facts;
    this.health = health;
  }

  @Override
  public void collect(Samples out) {
    facts.metrics().collect(out);
    out.add(Metric.BUILD_INFO, 1, facts.version(), Runtime.version().toString());
    out.add(Metric.START_TIME, facts.startMs() / 1000.0);
    out.add(Metric.RECOVERY_SECONDS, facts.lifecycle().recovery().toNanos() / 1e9);
    out.add(Metric.COMPACTION_RUNNING, facts.compaction().runningCount());
    out.add(Metric.CONNECTIONS_MAX, facts.maxConnections());
    facts.limits().get().forEach((limit, count) -> out.add(Metric.CONNECTIONS_LIMITED, count, limit));
    out.add(Metric.FILES_OPEN, facts.descriptors().openCount());
    out.add(Metric.FILES_MAX, facts.descriptors().maxOpen());
    out.add(Metric.DISK_MIN_FREE, facts.minFreeBytes());
    health
        .diskSpace()
        .ifPresent(
            space -> {
              out.add(Metric.DISK_FREE, space.freeBytes());
              out.add(Metric.DISK_SIZE, space.totalBytes());
            });
    out.add(Metric.SCRAPES, ++pages);
    collectHealth(out);
    collectStates(out);
    collectMemory(out);
  }

  private void collectHealth(Samples out) {
    List<Problem> problems = health.problems();
    out.add(Metric.READY, problems.isEmpty() ? 1 : 0);
    Map<String, Integer> byKind = new TreeMap<>();
    problems.forEach(problem -> byKind.merge(problem.kind().label(), 1, Integer::sum));
    for (Problem.Kind kind : Problem.Kind.values()) { // also those that are not there: an alert can be seen to end
      out.add(Metric.PROBLEMS, byKind.getOrDefault(kind.label(), 0), kind.label());
    }
  }

  private void collectStates(Samples out) {
    Map<PartitionState, Integer> byState = new EnumMap<>(PartitionState.class);
    int failed = 0;
    for (PartitionHandle partition : facts.routes().table().partitions()) {
      PartitionState state = partition.view().state();
      byState.merge(state, 1, Integer::sum);
      if (state == PartitionState.FAILED && ++failed <= Health.MAX_LISTED) {
        out.add(Metric.PARTITION_FAILED, 1, partition.id().topic(), Integer.toString(partition.id().partition()));
      }
    }
    for (PartitionState state : PartitionState.values()) {
      out.add(Metric.PARTITIONS, byState.getOrDefault(state, 0), label(state));
    }
    out.add(Metric.TOPICS, facts.routes().table().topicCount());
  }

  static String label(PartitionState state) {
    return switch (state) {
      case OPENING -> "opening";
      case WRITABLE -> "writable";
      case FAILED -> "failed";
    };
  }

  private void collectMemory(Samples out) {
    MemoryBudget memory = facts.memory();
    out.add(Metric.MEMORY_MAX, memory.maxBytes());
    out.add(Metric.MEMORY_REFUSED, memory.refusalCount());
    long known = 0;
    for (MemoryBudget.Use use : MemoryBudget.Use.values()) {
      long bytes = Math.max(0, memory.usedBytes(use));
      known += bytes;
      out.add(Metric.MEMORY_USED, bytes, label(use));
    }
    out.add(Metric.MEMORY_USED, Math.max(0, memory.usedBytes() - known), "other");
  }

  static String label(MemoryBudget.Use use) {
    return switch (use) {
      case PRODUCE -> "produce";
      case FETCH -> "fetch";
      case GROUPS -> "groups";
    };
  }
}
