package kaka.protocol;

/** DELETE_TOPIC, type 0x08: the topic and all its records. Body: {@code topic_len u16 | topic}. */
public record DeleteTopic(String topic) implements Request {
  public DeleteTopic {
    Limits.checkTopic(topic);
  }

  static DeleteTopic decode(WireReader in) throws ProtocolException {
    String topic = in.topic();
    in.end();
    return new DeleteTopic(topic);
  }

  @Override
  public int type() {
    return MessageType.DELETE_TOPIC;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(topic);
  }
}
