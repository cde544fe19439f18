package kaka.protocol;

/** LIST_GROUPS, type 0x15: which groups there are. Its body is empty. Answered by {@link ListGroupsReply}. */
public record ListGroups() implements Request {
  static ListGroups decode(WireReader in) throws ProtocolException {
    in.end();
    return new ListGroups();
  }

  @Override
  public int type() {
    return MessageType.LIST_GROUPS;
  }

  @Override
  public void encode(WireWriter out) {}
}
