package kaka.protocol;

/**
 * GROUP_OFFSETS, type 0x14: everything a group has committed. Body: {@code group name}. Answered by {@link GroupOffsetsReply}.
 *
 * @param group at most 255 bytes
 */
public record GroupOffsets(String group) implements Request {
  public GroupOffsets {
    Limits.checkString(group, Limits.NAME_BYTES, "group");
  }

  static GroupOffsets decode(WireReader in) throws ProtocolException {
    String group = in.string(Limits.NAME_BYTES, "group");
    in.end();
    return new GroupOffsets(group);
  }

  @Override
  public int type() {
    return MessageType.GROUP_OFFSETS;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(group);
  }
}
