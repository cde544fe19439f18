package kaka.group;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Partitions of topics, by the topics' ids. Immutable. */
public final class PartitionSet {
  public static final PartitionSet NONE = new PartitionSet(new TreeMap<>());

  private static final int TOPIC_BYTES = 150;

  /** Whether a partition is to be kept. */
  @FunctionalInterface
  interface Filter {
    boolean test(UUID topicId, int partition);
  }

  private final TreeMap<UUID, int[]> byTopic; // each ascending, none empty

  private PartitionSet(TreeMap<UUID, int[]> byTopic) {
    this.byTopic = byTopic;
  }

  /** @param partitions in any order; a number that comes twice counts once */
  public static PartitionSet of(Map<UUID, ? extends Collection<Integer>> partitions) {
    TreeMap<UUID, int[]> sorted = new TreeMap<>();
    partitions.forEach(
        (topic, numbers) -> {
          if (!numbers.isEmpty()) {
            sorted.put(topic, numbers.stream().mapToInt(Integer::intValue).sorted().distinct().toArray());
          }
        });
    return sorted.isEmpty() ? NONE : new PartitionSet(sorted);
  }

  public boolean isEmpty() {
    return byTopic.isEmpty();
  }

  public int count() {
    return byTopic.values().stream().mapToInt(partitions -> partitions.length).sum();
  }

  /** Topics there are partitions of. */
  public Collection<UUID> topicIds() {
    return byTopic.keySet();
  }

  /** Of one topic, ascending; a copy. */
  public int[] of(UUID topicId) {
    int[] partitions = byTopic.get(topicId);
    return partitions == null ? new int[0] : partitions.clone();
  }

  public boolean contains(UUID topicId, int partition) {
    int[] partitions = byTopic.get(topicId);
    return partitions != null && Arrays.binarySearch(partitions, partition) >= 0;
  }

  boolean containsAll(PartitionSet others) {
    return others.minus(this).isEmpty();
  }

  boolean intersects(PartitionSet others) {
    return !and(others).isEmpty();
  }

  PartitionSet and(PartitionSet others) {
    return where(others::contains);
  }

  PartitionSet minus(PartitionSet others) {
    return where((topic, partition) -> !others.contains(topic, partition));
  }

  PartitionSet plus(PartitionSet others) {
    if (others.isEmpty()) {
      return this;
    }
    TreeMap<UUID, int[]> sum = new TreeMap<>(byTopic);
    others.byTopic.forEach((topic, partitions) -> sum.merge(topic, partitions, PartitionSet::union));
    return new PartitionSet(sum);
  }

  private static int[] union(int[] some, int[] more) {
    int[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return Arrays.stream(all).sorted().distinct().toArray();
  }

  PartitionSet where(Filter filter) {
    TreeMap<UUID, int[]> kept = new TreeMap<>();
    byTopic.forEach(
        (topic, partitions) -> {
          int[] some = Arrays.stream(partitions).filter(partition -> filter.test(topic, partition)).toArray();
          if (some.length == partitions.length) {
            kept.put(topic, partitions);
          } else if (some.length > 0) {
            kept.put(topic, some);
          }
        });
    return kept.isEmpty() ? NONE : new PartitionSet(kept);
  }

  /** In memory, about. */
  long sizeBytes() {
    return (long) TOPIC_BYTES * byTopic.size() + 4L * count();
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof PartitionSet that) || !byTopic.keySet().equals(that.byTopic.keySet())) {
      return false;
    }
    return byTopic.entrySet().stream().allMatch(topic -> Arrays.equals(topic.getValue(), that.byTopic.get(topic.getKey())));
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (Map.Entry<UUID, int[]> topic : byTopic.entrySet()) {
      hash = 31 * (31 * hash + topic.getKey().hashCode()) + Arrays.hashCode(topic.getValue());
    }
    return hash;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    byTopic.forEach((topic, partitions) -> text.append(text.isEmpty() ? "" : " ").append(topic).append(Arrays.toString(partitions)));
    return text.toString();
  }
}
