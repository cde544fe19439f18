package kaka.protocol;

/**
 * ADD_PARTITIONS, type 0x0e: a topic gets more partitions. Body: {@code topic_len u16 | topic | partitions u32}. Answered by
 * {@link AddPartitionsReply}.
 *
 * @param partitions how many it is to have in all, at least 1; whether that is more than it has is the broker's to see
 */
public record AddPartitions(String topic, int partitions) implements Request {
  public AddPartitions {
    Limits.checkTopic(topic);
    if (partitions < 1) {
      throw new IllegalArgumentException("partitions " + partitions);
    }
  }

  static AddPartitions decode(WireReader in) throws ProtocolException {
    String topic = in.topic();
    int partitions = in.int32(1, "partitions");
    in.end();
    return new AddPartitions(topic, partitions);
  }

  @Override
  public int type() {
    return MessageType.ADD_PARTITIONS;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(topic).int32(partitions);
  }
}
