package kaka.topic;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import kaka.log.Cleanup;
import kaka.log.LogConfig;

/**
 * One topic's own settings over the broker's: Kafka's names, plain numbers in bytes and milliseconds.
 *
 * <pre>
 * segment.bytes     kaka.log.segment-bytes
 * segment.ms        kaka.log.segment-age
 * retention.bytes   kaka.log.retention-bytes    -1: keep everything
 * retention.ms      kaka.log.retention-time     -1: keep everything
 *
 * cleanup.policy             delete           compact: the newest value of every key is kept; or compact,delete: both
 * delete.retention.ms        86400000         in a compacted topic, how long a tombstone stays after its first compaction
 * min.cleanable.dirty.ratio  0.5              share of a compacted topic's finished segments that must be new for a compaction
 *
 * max.message.bytes          kaka.connections.max-frame-bytes, less what a request has besides    largest record batch
 * </pre>
 *
 * Settings of Kafka's that change nothing here are kept: {@link KeptSettings}.
 *
 * @param values name to value, each known and good
 */
public record TopicSettings(Map<String, String> values) {
  public static final String SEGMENT_BYTES = "segment.bytes";
  public static final String SEGMENT_MS = "segment.ms";
  public static final String RETENTION_BYTES = "retention.bytes";
  public static final String RETENTION_MS = "retention.ms";

  public static final String CLEANUP_POLICY = "cleanup.policy";
  public static final String DELETE_RETENTION_MS = "delete.retention.ms";
  public static final String MIN_CLEANABLE_DIRTY_RATIO = "min.cleanable.dirty.ratio";

  public static final String MAX_MESSAGE_BYTES = "max.message.bytes";

  private static final List<String> KNOWN =
      List.of(
          SEGMENT_BYTES,
          SEGMENT_MS,
          RETENTION_BYTES,
          RETENTION_MS,
          CLEANUP_POLICY,
          DELETE_RETENTION_MS,
          MIN_CLEANABLE_DIRTY_RATIO,
          MAX_MESSAGE_BYTES);

  private static final String COMPACT = "compact";
  private static final String DELETE = "delete";

  public static final TopicSettings NONE = new TopicSettings(Map.of());

  /** @throws IllegalArgumentException for an unknown name or a bad value, with what was expected */
  public TopicSettings {
    values = Map.copyOf(values);
    values.forEach(TopicSettings::check);
  }

  private static void check(String name, String value) {
    switch (name) {
      case SEGMENT_BYTES, SEGMENT_MS -> number(name, value, 1);
      case RETENTION_BYTES, RETENTION_MS -> number(name, value, -1);
      case DELETE_RETENTION_MS -> number(name, value, 0);
      case CLEANUP_POLICY -> policies(value);
      case MIN_CLEANABLE_DIRTY_RATIO -> ratio(value);
      case MAX_MESSAGE_BYTES -> number(name, value, 0);
      default -> {
        requireKnown(name);
        KeptSettings.problemOf(name, value)
            .ifPresent(
                problem -> {
                  throw new IllegalArgumentException(problem);
                });
      }
    }
  }

  /** @throws IllegalArgumentException for a name that no setting has */
  static void requireKnown(String name) {
    if (!KNOWN.contains(name) && !KeptSettings.contains(name)) {
      throw new IllegalArgumentException("unknown setting '" + name + "': one of " + String.join(", ", KNOWN));
    }
  }

  private static Set<String> policies(String value) {
    Set<String> policies = new HashSet<>();
    for (String policy : value.split(",", -1)) {
      policies.add(policy.trim());
    }
    if (!Set.of(COMPACT, DELETE).containsAll(policies)) {
      throw new IllegalArgumentException(CLEANUP_POLICY + "=" + value + ": delete, compact or compact,delete");
    }
    return policies;
  }

  private static double ratio(String value) {
    try {
      double ratio = Double.parseDouble(value);
      if (ratio >= 0 && ratio <= 1) {
        return ratio;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(MIN_CLEANABLE_DIRTY_RATIO + "=" + value + ": a number from 0 to 1", e);
    }
    throw new IllegalArgumentException(MIN_CLEANABLE_DIRTY_RATIO + "=" + value + ": from 0 to 1");
  }

  /** Whether only the newest value of every key is kept, so that every record must have one. */
  public boolean compacts() {
    String value = values.get(CLEANUP_POLICY);
    return value != null && !value.equals(DELETE) && policies(value).contains(COMPACT);
  }

  /** Why a batch of so many bytes is not taken, for people; empty if it is. */
  public Optional<String> problemOfSize(int batchBytes) {
    String most = values.get(MAX_MESSAGE_BYTES);
    return most == null || batchBytes <= Long.parseLong(most)
        ? Optional.empty()
        : Optional.of("a batch of " + batchBytes + " bytes where " + MAX_MESSAGE_BYTES + " is " + most);
  }

  private Cleanup over(Cleanup broker) {
    Set<String> policies = policies(values.getOrDefault(CLEANUP_POLICY, textOf(broker)));
    return new Cleanup(
        policies.contains(COMPACT),
        policies.contains(DELETE),
        Duration.ofMillis(longOr(DELETE_RETENTION_MS, broker.deleteRetention().toMillis())),
        values.containsKey(MIN_CLEANABLE_DIRTY_RATIO)
            ? ratio(values.get(MIN_CLEANABLE_DIRTY_RATIO))
            : broker.minDirtyRatio());
  }

  private static String textOf(Cleanup cleanup) {
    return cleanup.compacts() && cleanup.deletes() ? COMPACT + "," + DELETE : cleanup.compacts() ? COMPACT : DELETE;
  }

  private static long number(String name, String value, long least) {
    try {
      long number = Long.parseLong(value);
      if (number >= least) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + "=" + value + ": a whole number, at least " + least, e);
    }
    throw new IllegalArgumentException(name + "=" + value + ": at least " + least);
  }

  /** The broker's settings with this topic's put over them. */
  public LogConfig over(LogConfig broker) {
    return new LogConfig(
        longOr(SEGMENT_BYTES, broker.segmentBytes()),
        values.containsKey(SEGMENT_MS) ? Duration.ofMillis(longOr(SEGMENT_MS, 0)) : broker.segmentAge(),
        broker.indexIntervalBytes(),
        broker.fsyncInterval(),
        longOr(RETENTION_BYTES, broker.retentionBytes()),
        values.containsKey(RETENTION_MS)
            ? Duration.ofMillis(Math.max(0, longOr(RETENTION_MS, 0)))
            : broker.retentionTime(),
        broker.minFreeBytes(),
        over(broker.cleanup()),
        broker.preallocation());
  }

  private long longOr(String name, long otherwise) {
    String value = values.get(name);
    return value == null ? otherwise : Long.parseLong(value);
  }

  /** Every setting as it is in force for this topic, in the order of the names; those with no default of the log's if they are set. */
  public Map<String, String> effective(LogConfig broker) {
    LogConfig config = over(broker);
    Map<String, String> all = new TreeMap<>();
    all.put(SEGMENT_BYTES, Long.toString(config.segmentBytes()));
    all.put(SEGMENT_MS, Long.toString(config.segmentAge().toMillis()));
    all.put(RETENTION_BYTES, Long.toString(config.retentionBytes()));
    all.put(RETENTION_MS, Long.toString(config.retentionTime().isZero() ? -1 : config.retentionTime().toMillis()));
    all.put(CLEANUP_POLICY, textOf(config.cleanup()));
    all.put(DELETE_RETENTION_MS, Long.toString(config.cleanup().deleteRetention().toMillis()));
    all.put(MIN_CLEANABLE_DIRTY_RATIO, Double.toString(config.cleanup().minDirtyRatio()));
    values.forEach(all::putIfAbsent);
    return all;
  }
}
