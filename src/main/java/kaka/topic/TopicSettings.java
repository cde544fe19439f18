package kaka.topic;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import kaka.log.LogConfig;

/**
 * One topic's own settings over the broker's: Kafka's names, plain numbers in bytes and milliseconds.
 *
 * <pre>
 * segment.bytes     kaka.log.segment-bytes
 * segment.ms        kaka.log.segment-age
 * retention.bytes   kaka.log.retention-bytes    -1: keep everything
 * retention.ms      kaka.log.retention-time     -1: keep everything
 * </pre>
 *
 * @param values name to value, each known and good
 */
public record TopicSettings(Map<String, String> values) {
  public static final String SEGMENT_BYTES = "segment.bytes";
  public static final String SEGMENT_MS = "segment.ms";
  public static final String RETENTION_BYTES = "retention.bytes";
  public static final String RETENTION_MS = "retention.ms";

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
      default ->
          throw new IllegalArgumentException(
              "unknown setting '" + name + "': one of "
                  + String.join(", ", SEGMENT_BYTES, SEGMENT_MS, RETENTION_BYTES, RETENTION_MS));
    }
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
        broker.minFreeBytes());
  }

  private long longOr(String name, long otherwise) {
    String value = values.get(name);
    return value == null ? otherwise : Long.parseLong(value);
  }

  /** Every setting as it is in force for this topic, in the order of the names. */
  public Map<String, String> effective(LogConfig broker) {
    LogConfig config = over(broker);
    Map<String, String> all = new TreeMap<>();
    all.put(SEGMENT_BYTES, Long.toString(config.segmentBytes()));
    all.put(SEGMENT_MS, Long.toString(config.segmentAge().toMillis()));
    all.put(RETENTION_BYTES, Long.toString(config.retentionBytes()));
    all.put(RETENTION_MS, Long.toString(config.retentionTime().isZero() ? -1 : config.retentionTime().toMillis()));
    return all;
  }
}
