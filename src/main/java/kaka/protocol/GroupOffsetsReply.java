package kaka.protocol;

import java.util.ArrayList;
import java.util.List;
import kaka.record.TopicPartition;

/**
 * GROUP_OFFSETS, type 0x94. Body: {@code n u32 | n x (topic | partition u32 | offset u64 | commit_time u64 | metadata string)}.
 *
 * @param offsets of topics that exist, in no order
 */
public record GroupOffsetsReply(List<Entry> offsets) implements Response {
  /** @param commitMs when it was committed, in milliseconds since 1970 */
  public record Entry(TopicPartition partition, long offset, long commitMs, String metadata) {
    public Entry {
      Limits.checkTopic(partition.topic());
      Limits.checkString(metadata, Limits.STRING_BYTES, "metadata");
    }
  }

  public GroupOffsetsReply {
    offsets = List.copyOf(offsets);
  }

  static GroupOffsetsReply decode(WireReader in) throws ProtocolException {
    int n = in.count32(0, 24, "n");
    List<Entry> offsets = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      TopicPartition partition = in.topicPartition();
      long offset = in.uint63("offset");
      long commitMs = in.uint63("commit_time");
      offsets.add(new Entry(partition, offset, commitMs, in.string(Limits.STRING_BYTES, "metadata")));
    }
    in.end();
    return new GroupOffsetsReply(offsets);
  }

  @Override
  public int type() {
    return MessageType.GROUP_OFFSETS_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.int32(offsets.size());
    for (Entry entry : offsets) {
      out.topicPartition(entry.partition).int64(entry.offset).int64(entry.commitMs).string(entry.metadata);
    }
  }
}
