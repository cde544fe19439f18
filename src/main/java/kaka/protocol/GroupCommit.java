package kaka.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import kaka.record.TopicPartition;

/**
 * GROUP_COMMIT, type 0x13: remembers how far a group has read, in several partitions, for one of its members. Body:
 *
 * <pre>group name | generation u32, 0xffffffff: from outside | member_id string | instance_id name
 * | n u32 | n x (topic | partition u32 | offset u64 | metadata string)</pre>
 *
 * Answered by {@link GroupCommitReply}.
 *
 * @param generation empty, with an empty member id: from outside of the group, which must have no members
 */
public record GroupCommit(
    String group, OptionalInt generation, String memberId, String instanceId, List<Entry> offsets) implements Request {
  private static final int OUTSIDE = -1;

  /** @param offset of the next record the group wants, at least 0 */
  public record Entry(TopicPartition partition, long offset, String metadata) {
    public Entry {
      Limits.checkTopic(partition.topic());
      Limits.checkString(metadata, Limits.STRING_BYTES, "metadata");
      if (offset < 0) {
        throw new IllegalArgumentException("offset " + offset);
      }
    }
  }

  public GroupCommit {
    Limits.checkString(group, Limits.NAME_BYTES, "group");
    Limits.checkString(memberId, Limits.STRING_BYTES, "member_id");
    Limits.checkString(instanceId, Limits.NAME_BYTES, "instance_id");
    offsets = List.copyOf(offsets);
  }

  static GroupCommit decode(WireReader in) throws ProtocolException {
    String group = in.string(Limits.NAME_BYTES, "group");
    OptionalInt generation = generation(in);
    String memberId = in.string(Limits.STRING_BYTES, "member_id");
    String instanceId = in.string(Limits.NAME_BYTES, "instance_id");
    int n = in.count32(0, 16, "n");
    List<Entry> offsets = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      TopicPartition partition = in.topicPartition();
      long offset = in.uint63("offset");
      offsets.add(new Entry(partition, offset, in.string(Limits.STRING_BYTES, "metadata")));
    }
    in.end();
    return new GroupCommit(group, generation, memberId, instanceId, offsets);
  }

  private static OptionalInt generation(WireReader in) throws ProtocolException {
    if (in.isNextInt32(OUTSIDE)) {
      in.uint32("generation");
      return OptionalInt.empty();
    }
    return OptionalInt.of(in.int32(0, "generation"));
  }

  @Override
  public int type() {
    return MessageType.GROUP_COMMIT;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(group).int32(generation.orElse(OUTSIDE)).string(memberId).string(instanceId).int32(offsets.size());
    for (Entry entry : offsets) {
      out.topicPartition(entry.partition).int64(entry.offset).string(entry.metadata);
    }
  }
}
