package kaka.record;

/**
 * Names one partition.
 *
 * @param topic its topic's name; which names are legal is the registry's rule
 * @param partition counts from 0
 */
public record TopicPartition(String topic, int partition) {
  public TopicPartition {
    if (partition < 0) {
      throw new IllegalArgumentException("partition " + partition);
    }
  }

  /** {@code topic-partition}, which is also the name of the partition's directory. */
  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
