package kaka.protocol;

/** LIST_TYPED_GROUPS, type 0x18: which groups there are, and of which type. Its body is empty. Answered by {@link ListTypedGroupsReply}. */
public record ListTypedGroups() implements Request {
  static ListTypedGroups decode(WireReader in) throws ProtocolException {
    in.end();
    return new ListTypedGroups();
  }

  @Override
  public int type() {
    return MessageType.LIST_TYPED_GROUPS;
  }

  @Override
  public void encode(WireWriter out) {}
}
