package kaka.topic;

/**
 * Settings {@code kaka.topics.*}.
 *
 * @param autoCreate whether a request that names an unknown topic creates it
 * @param defaultPartitions partitions of a topic created without a number, 1 to 10,000
 */
public record TopicsConfig(boolean autoCreate, int defaultPartitions) {
  /** More partitions than this in one topic is a typing error. */
  public static final int MAX_PARTITIONS = 10_000;

  public TopicsConfig {
    if (defaultPartitions < 1 || defaultPartitions > MAX_PARTITIONS) {
      throw new IllegalArgumentException("default-partitions " + defaultPartitions + ": 1 to " + MAX_PARTITIONS);
    }
  }
}
