package kaka.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * DESCRIBE_GROUP, type 0x96. Body:
 *
 * <pre>state u8 | generation u32 | protocol_type name | strategy name
 * | n u32 | n x (member_id string | instance_id name | client_id name | host name | m u32 | m x (topic | k u32 | k x partition u32))</pre>
 *
 * @param phase DEAD if there is no such group
 * @param strategy empty before one is chosen
 */
public record DescribeGroupReply(
    GroupPhase phase, int generation, String protocolType, String strategy, List<Member> members) implements Response {
  /** @param instanceId empty if it is not static */
  public record Member(
      String memberId, String instanceId, String clientId, String host, List<TopicPartitions> assignment) {
    public Member {
      Limits.checkString(memberId, Limits.STRING_BYTES, "member_id");
      Limits.checkString(instanceId, Limits.NAME_BYTES, "instance_id");
      Limits.checkString(clientId, Limits.NAME_BYTES, "client_id");
      Limits.checkString(host, Limits.NAME_BYTES, "host");
      assignment = List.copyOf(assignment);
    }
  }

  public DescribeGroupReply {
    Limits.checkString(protocolType, Limits.NAME_BYTES, "protocol_type");
    Limits.checkString(strategy, Limits.NAME_BYTES, "strategy");
    members = List.copyOf(members);
  }

  static DescribeGroupReply decode(WireReader in) throws ProtocolException {
    GroupPhase phase = in.oneOf(GroupPhase.values(), "state");
    int generation = in.int32(0, "generation");
    String protocolType = in.string(Limits.NAME_BYTES, "protocol_type");
    String strategy = in.string(Limits.NAME_BYTES, "strategy");
    int n = in.count32(0, 12, "n");
    List<Member> members = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      String memberId = in.string(Limits.STRING_BYTES, "member_id");
      String instanceId = in.string(Limits.NAME_BYTES, "instance_id");
      String clientId = in.string(Limits.NAME_BYTES, "client_id");
      String host = in.string(Limits.NAME_BYTES, "host");
      members.add(new Member(memberId, instanceId, clientId, host, TopicPartitions.decodeAll(in)));
    }
    in.end();
    return new DescribeGroupReply(phase, generation, protocolType, strategy, members);
  }

  @Override
  public int type() {
    return MessageType.DESCRIBE_GROUP_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.int8(phase.ordinal()).int32(generation).string(protocolType).string(strategy).int32(members.size());
    for (Member member : members) {
      out.string(member.memberId).string(member.instanceId).string(member.clientId).string(member.host);
      TopicPartitions.encodeAll(member.assignment, out);
    }
  }
}
