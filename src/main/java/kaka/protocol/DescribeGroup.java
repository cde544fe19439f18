package kaka.protocol;

/**
 * DESCRIBE_GROUP, type 0x16: who is in a group. Body: {@code group name}. Answered by {@link DescribeGroupReply}.
 *
 * @param group at most 255 bytes
 */
public record DescribeGroup(String group) implements Request {
  public DescribeGroup {
    Limits.checkString(group, Limits.NAME_BYTES, "group");
  }

  static DescribeGroup decode(WireReader in) throws ProtocolException {
    String group = in.string(Limits.NAME_BYTES, "group");
    in.end();
    return new DescribeGroup(group);
  }

  @Override
  public int type() {
    return MessageType.DESCRIBE_GROUP;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(group);
  }
}
