package kaka.protocol;

/**
 * GROUP_HEARTBEAT, type 0x11: the member is alive. Body:
 *
 * <pre>group name | generation u32 | member_id string | instance_id name</pre>
 *
 * Answered by {@link GroupHeartbeatReply}, or by REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER and others if it has to join again.
 *
 * @param instanceId as it joined
 */
public record GroupHeartbeat(String group, int generation, String memberId, String instanceId) implements Request {
  public GroupHeartbeat {
    Limits.checkString(group, Limits.NAME_BYTES, "group");
    Limits.checkString(memberId, Limits.STRING_BYTES, "member_id");
    Limits.checkString(instanceId, Limits.NAME_BYTES, "instance_id");
  }

  static GroupHeartbeat decode(WireReader in) throws ProtocolException {
    String group = in.string(Limits.NAME_BYTES, "group");
    int generation = in.int32(0, "generation");
    String memberId = in.string(Limits.STRING_BYTES, "member_id");
    String instanceId = in.string(Limits.NAME_BYTES, "instance_id");
    in.end();
    return new GroupHeartbeat(group, generation, memberId, instanceId);
  }

  @Override
  public int type() {
    return MessageType.GROUP_HEARTBEAT;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(group).int32(generation).string(memberId).string(instanceId);
  }
}
