package kaka.protocol;

/** DELETE_GROUP, type 0x97: the group and its offsets are gone, on disk. Its body is empty. */
public record DeleteGroupReply() implements Response {
  static DeleteGroupReply decode(WireReader in) throws ProtocolException {
    in.end();
    return new DeleteGroupReply();
  }

  @Override
  public int type() {
    return MessageType.DELETE_GROUP_REPLY;
  }

  @Override
  public void encode(WireWriter out) {}
}
