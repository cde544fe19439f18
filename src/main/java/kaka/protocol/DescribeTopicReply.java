package kaka.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * DESCRIBE_TOPIC, type 0x89: answers DESCRIBE_TOPIC. Body:
 *
 * <pre>topic_id 16 bytes | n u16 | n x (name_len u16 | name | value_len u16 | value | source u8)
 * | partitions u32 | partitions x (partition u32 | state u8 | log_start_offset u64 | high_watermark u64 | size_bytes u64
 * | reason_len u16 | reason)</pre>
 *
 * @param settings what is in force, at most 65535
 * @param partitions each once
 */
public record DescribeTopicReply(UUID topicId, List<Setting> settings, List<Partition> partitions) implements Response {
  /** Where a setting's value comes from. The order is the wire's. */
  public enum Source {
    BROKER_DEFAULT,
    TOPIC
  }

  /** What a partition can do. The order is the wire's. */
  public enum State {
    /** Its log is being recovered: neither reads nor writes. */
    OPENING,
    /** Reads and writes. */
    WRITABLE,
    /** Its disk failed: writes are refused, what was acknowledged can be read unless it did not open at all. */
    FAILED
  }

  public record Setting(String name, String value, Source source) {
    public Setting {
      Limits.checkString(name, Limits.NAME_BYTES, "name");
      Limits.checkString(value, Limits.STRING_BYTES, "value");
    }
  }

  /**
   * One partition, as it was a moment ago.
   *
   * @param logStartOffset the oldest record kept
   * @param highWatermark one past the newest that may be read
   * @param sizeBytes on disk
   * @param reason why it failed, or what else is wrong with it or its topic, for people; empty if nothing is
   */
  public record Partition(
      int partition, State state, long logStartOffset, long highWatermark, long sizeBytes, String reason) {
    public Partition {
      if (partition < 0 || sizeBytes < 0) {
        throw new IllegalArgumentException("partition " + partition + ", sizeBytes " + sizeBytes);
      }
      if (logStartOffset < 0 || logStartOffset > highWatermark) {
        throw new IllegalArgumentException("logStartOffset " + logStartOffset + ", highWatermark " + highWatermark);
      }
      reason = Limits.shorten(reason);
    }
  }

  public DescribeTopicReply {
    settings = List.copyOf(settings);
    partitions = List.copyOf(partitions);
    Limits.checkCount16(settings.size(), "settings");
  }

  static DescribeTopicReply decode(WireReader in) throws ProtocolException {
    UUID topicId = in.uuid("topic_id");
    int settingCount = in.count16(5, "n");
    List<Setting> settings = new ArrayList<>(settingCount);
    for (int i = 0; i < settingCount; i++) {
      String name = in.string(Limits.NAME_BYTES, "name");
      String value = in.string(Limits.STRING_BYTES, "value");
      settings.add(new Setting(name, value, in.oneOf(Source.values(), "source")));
    }
    int partitionCount = in.count32(0, 31, "partitions");
    List<Partition> partitions = new ArrayList<>(partitionCount);
    for (int i = 0; i < partitionCount; i++) {
      int partition = in.int32(0, "partition");
      State state = in.oneOf(State.values(), "state");
      long logStartOffset = in.uint63("log_start_offset");
      long highWatermark = in.int64(logStartOffset, "high_watermark");
      long sizeBytes = in.uint63("size_bytes");
      String reason = in.string(Limits.STRING_BYTES, "reason");
      partitions.add(new Partition(partition, state, logStartOffset, highWatermark, sizeBytes, reason));
    }
    in.end();
    return new DescribeTopicReply(topicId, settings, partitions);
  }

  @Override
  public int type() {
    return MessageType.DESCRIBE_TOPIC_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.uuid(topicId).int16(settings.size());
    for (Setting setting : settings) {
      out.string(setting.name).string(setting.value).int8(setting.source.ordinal());
    }
    out.int32(partitions.size());
    for (Partition partition : partitions) {
      out.int32(partition.partition).int8(partition.state.ordinal());
      out.int64(partition.logStartOffset).int64(partition.highWatermark).int64(partition.sizeBytes);
      out.string(partition.reason);
    }
  }
}
