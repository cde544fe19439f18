package kaka.protocol;

/**
 * LEAVE_GROUP, type 0x12: the member leaves at once. Body:
 *
 * <pre>group name | member_id string | instance_id name</pre>
 *
 * Answered by {@link LeaveGroupReply}.
 *
 * @param memberId empty to remove a static member by its instance
 */
public record LeaveGroup(String group, String memberId, String instanceId) implements Request {
  public LeaveGroup {
    Limits.checkString(group, Limits.NAME_BYTES, "group");
    Limits.checkString(memberId, Limits.STRING_BYTES, "member_id");
    Limits.checkString(instanceId, Limits.NAME_BYTES, "instance_id");
  }

  static LeaveGroup decode(WireReader in) throws ProtocolException {
    String group = in.string(Limits.NAME_BYTES, "group");
    String memberId = in.string(Limits.STRING_BYTES, "member_id");
    String instanceId = in.string(Limits.NAME_BYTES, "instance_id");
    in.end();
    return new LeaveGroup(group, memberId, instanceId);
  }

  @Override
  public int type() {
    return MessageType.LEAVE_GROUP;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(group).string(memberId).string(instanceId);
  }
}
