package kaka.protocol;

/** DESCRIBE_TOPIC, type 0x09: its settings and the state of its partitions. Body: {@code topic_len u16 | topic}. */
public record DescribeTopic(String topic) implements Request {
  public DescribeTopic {
    Limits.checkTopic(topic);
  }

  static DescribeTopic decode(WireReader in) throws ProtocolException {
    String topic = in.topic();
    in.end();
    return new DescribeTopic(topic);
  }

  @Override
  public int type() {
    return MessageType.DESCRIBE_TOPIC;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(topic);
  }
}
