package kaka.protocol;

/** LEAVE_GROUP, type 0x92: it is no member any more. Its body is empty. */
public record LeaveGroupReply() implements Response {
  static LeaveGroupReply decode(WireReader in) throws ProtocolException {
    in.end();
    return new LeaveGroupReply();
  }

  @Override
  public int type() {
    return MessageType.LEAVE_GROUP_REPLY;
  }

  @Override
  public void encode(WireWriter out) {}
}
