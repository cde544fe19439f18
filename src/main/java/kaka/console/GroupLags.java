package kaka.console;

import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import kaka.group.CommittedOffsets;
import kaka.group.GroupHandle;
import kaka.group.GroupPhase;
import kaka.group.StoredOffset;
import kaka.group.TopicIdPartition;
import kaka.log.LogSnapshot;
import kaka.metrics.Exposition;
import kaka.metrics.Metric;
import kaka.metrics.Samples;
import kaka.topic.Routes;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRoute;

/**
 * How far groups are behind. One series for each partition that a group has an offset of; where there are more than
 * {@code maxSeries}, one for each group and topic, where those are more, one for each group, and then one in all.
 */
final class GroupLags implements Exposition.Source {
  /** Of which series a number is part. */
  private record Key(String group, String topic, String partition) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::group).thenComparing(Key::topic).thenComparing(Key::partition);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /** How far they are told apart. */
  private enum Grain {
    PARTITION,
    TOPIC,
    GROUP,
    BROKER
  }

  private static final class Sums {
    private long lag;
    private long offset;
  }

  private final GroupHandle groups;
  private final Routes routes;
  private final int maxSeries;

  GroupLags(GroupHandle groups, Routes routes, int maxSeries) {
    this.groups = groups;
    this.routes = routes;
    this.maxSeries = maxSeries;
  }

  @Override
  public void collect(Samples out) {
    Set<String> names = groups.offsets().names();
    out.add(Metric.GROUPS, names.size());
    collectStates(out);
    Grain grain = names.stream().mapToLong(groups.offsets()::countOf).sum() <= maxSeries ? Grain.PARTITION : Grain.TOPIC;
    Map<Key, Sums> sums = sums(names, grain);
    if (grain == Grain.TOPIC && sums.size() > maxSeries) {
      grain = names.size() <= maxSeries ? Grain.GROUP : Grain.BROKER;
      sums = sums(names, grain);
    }
    out.add(Metric.SERIES_BOUND, grain == Grain.PARTITION ? 0 : 1, "group_offsets");
    sums.forEach(
        (key, sum) -> {
          out.add(Metric.GROUP_LAG, sum.lag, key.group, key.topic, key.partition);
          out.add(Metric.GROUP_OFFSET, sum.offset, key.group, key.topic, key.partition);
        });
  }

  private void collectStates(Samples out) {
    Map<GroupPhase, Integer> phases = groups.phases();
    for (GroupPhase phase : GroupPhase.values()) {
      if (phase != GroupPhase.DEAD) { // of which there is none
        out.add(Metric.GROUP_STATES, phases.getOrDefault(phase, 0), phase.name().toLowerCase(Locale.ROOT));
      }
    }
  }

  /** Each group's lag, of all its partitions together. */
  Map<String, Long> byGroup() {
    Map<String, Long> lags = new TreeMap<>();
    sums(groups.offsets().names(), Grain.GROUP).forEach((key, sum) -> lags.put(key.group, sum.lag));
    return lags;
  }

  private Map<Key, Sums> sums(Set<String> names, Grain grain) {
    RoutingTable table = routes.table();
    CommittedOffsets offsets = groups.offsets();
    Map<Key, Sums> sums = new TreeMap<>();
    for (String group : names) {
      offsets.of(group).forEach((partition, stored) -> add(sums, grain, group, table, partition, stored));
    }
    return sums;
  }

  private static void add(
      Map<Key, Sums> sums, Grain grain, String group, RoutingTable table, TopicIdPartition partition, StoredOffset stored) {
    Optional<TopicRoute> route = table.find(partition.topicId());
    Optional<LogSnapshot> log =
        route.flatMap(found -> found.partition(partition.partition())).flatMap(found -> found.view().snapshot());
    if (log.isEmpty() || stored.number().isEmpty()) {
      return; // deleted, or not open; or the group stands at whatever is the earliest or latest
    }
    String topic = route.get().topic().name();
    Key key =
        switch (grain) {
          case PARTITION -> new Key(group, topic, Integer.toString(partition.partition()));
          case TOPIC -> new Key(group, topic, "");
          case GROUP -> new Key(group, "", "");
          case BROKER -> new Key("", "", "");
        };
    Sums sum = sums.computeIfAbsent(key, unseen -> new Sums());
    sum.lag += Math.max(0, log.get().highWatermark() - stored.offset());
    sum.offset += stored.offset();
  }
}
