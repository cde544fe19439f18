package kaka.protocol;

/**
 * ADD_PARTITIONS, type 0x8e: the partitions are there now, and will be after a restart. Body: {@code partitions u32}.
 *
 * @param partitions how many the topic has in all, at least 1
 */
public record AddPartitionsReply(int partitions) implements Response {
  public AddPartitionsReply {
    if (partitions < 1) {
      throw new IllegalArgumentException("partitions " + partitions);
    }
  }

  static AddPartitionsReply decode(WireReader in) throws ProtocolException {
    int partitions = in.int32(1, "partitions");
    in.end();
    return new AddPartitionsReply(partitions);
  }

  @Override
  public int type() {
    return MessageType.ADD_PARTITIONS_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.int32(partitions);
  }
}
