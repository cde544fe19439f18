package kaka.protocol;

import kaka.record.TopicPartition;

/**
 * OFFSETS, type 0x04: how far a group has read. Body:
 *
 * <pre>group_len u16 | group | topic_len u16 | topic | partition u32</pre>
 *
 * Answered by {@link CommittedOffset}.
 *
 * @param group at most 255 bytes
 */
public record Offsets(String group, TopicPartition partition) implements Request {
  public Offsets {
    Limits.checkString(group, Limits.NAME_BYTES, "group");
    Limits.checkTopic(partition.topic());
  }

  static Offsets decode(WireReader in) throws ProtocolException {
    String group = in.string(Limits.NAME_BYTES, "group");
    TopicPartition partition = in.topicPartition();
    in.end();
    return new Offsets(group, partition);
  }

  @Override
  public int type() {
    return MessageType.OFFSETS;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(group).topicPartition(partition);
  }
}
