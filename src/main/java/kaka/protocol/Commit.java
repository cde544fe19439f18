package kaka.protocol;

import kaka.record.TopicPartition;

/**
 * COMMIT, type 0x03: remembers how far a group has read. Body:
 *
 * <pre>group_len u16 | group | topic_len u16 | topic | partition u32 | offset u64</pre>
 *
 * Answered by {@link CommitAck}.
 *
 * @param group at most 255 bytes
 * @param offset of the next record the group wants, at least 0
 */
public record Commit(String group, TopicPartition partition, long offset) implements Request {
  public Commit {
    Limits.checkString(group, Limits.NAME_BYTES, "group");
    Limits.checkTopic(partition.topic());
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset);
    }
  }

  static Commit decode(WireReader in) throws ProtocolException {
    String group = in.string(Limits.NAME_BYTES, "group");
    TopicPartition partition = in.topicPartition();
    long offset = in.uint63("offset");
    in.end();
    return new Commit(group, partition, offset);
  }

  @Override
  public int type() {
    return MessageType.COMMIT;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(group).topicPartition(partition).int64(offset);
  }
}
