package kaka.client;

import java.util.List;
import java.util.UUID;

/**
 * A topic's settings, and its partitions as they were a moment ago.
 *
 * @param settings what is in force
 * @param partitions by number
 */
public record TopicDescription(String name, UUID id, List<Setting> settings, List<Partition> partitions) {
  /**
   * One setting.
   *
   * @param isOwn whether it is the topic's own; false: the broker's default
   */
  public record Setting(String name, String value, boolean isOwn) {}

  /**
   * One partition.
   *
   * @param state {@code opening}, {@code writable} or {@code failed}
   * @param logStartOffset the oldest record kept
   * @param highWatermark one past the newest that can be read
   * @param sizeBytes on disk
   * @param reason why it failed; empty unless it did
   */
  public record Partition(
      int partition, String state, long logStartOffset, long highWatermark, long sizeBytes, String reason) {}

  public TopicDescription {
    settings = List.copyOf(settings);
    partitions = List.copyOf(partitions);
  }
}
