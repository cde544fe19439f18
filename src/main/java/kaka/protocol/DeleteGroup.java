package kaka.protocol;

/**
 * DELETE_GROUP, type 0x17: deletes a group that has no members, with its offsets. Body: {@code group name}. Answered by {@link DeleteGroupReply}.
 *
 * @param group at most 255 bytes
 */
public record DeleteGroup(String group) implements Request {
  public DeleteGroup {
    Limits.checkString(group, Limits.NAME_BYTES, "group");
  }

  static DeleteGroup decode(WireReader in) throws ProtocolException {
    String group = in.string(Limits.NAME_BYTES, "group");
    in.end();
    return new DeleteGroup(group);
  }

  @Override
  public int type() {
    return MessageType.DELETE_GROUP;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(group);
  }
}
