package kaka.protocol;

/** GROUP_HEARTBEAT, type 0x91: nothing has changed. Its body is empty. */
public record GroupHeartbeatReply() implements Response {
  static GroupHeartbeatReply decode(WireReader in) throws ProtocolException {
    in.end();
    return new GroupHeartbeatReply();
  }

  @Override
  public int type() {
    return MessageType.GROUP_HEARTBEAT_REPLY;
  }

  @Override
  public void encode(WireWriter out) {}
}
