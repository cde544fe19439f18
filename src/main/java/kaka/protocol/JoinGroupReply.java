package kaka.protocol;

import java.util.List;

/**
 * JOIN_GROUP, type 0x90: the member is part of a generation, and has these partitions. Body:
 *
 * <pre>member_id string | generation u32 | strategy name | n u32 | n x (topic | m u32 | m x partition u32)</pre>
 *
 * @param strategy the one that was chosen
 */
public record JoinGroupReply(String memberId, int generation, String strategy, List<TopicPartitions> assignment)
    implements Response {
  public JoinGroupReply {
    Limits.checkString(memberId, Limits.STRING_BYTES, "member_id");
    Limits.checkString(strategy, Limits.NAME_BYTES, "strategy");
    assignment = List.copyOf(assignment);
  }

  static JoinGroupReply decode(WireReader in) throws ProtocolException {
    String memberId = in.string(Limits.STRING_BYTES, "member_id");
    int generation = in.int32(0, "generation");
    String strategy = in.string(Limits.NAME_BYTES, "strategy");
    List<TopicPartitions> assignment = TopicPartitions.decodeAll(in);
    in.end();
    return new JoinGroupReply(memberId, generation, strategy, assignment);
  }

  @Override
  public int type() {
    return MessageType.JOIN_GROUP_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(memberId).int32(generation).string(strategy);
    TopicPartitions.encodeAll(assignment, out);
  }
}
