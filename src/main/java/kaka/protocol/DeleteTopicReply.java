package kaka.protocol;

/** DELETE_TOPIC, type 0x88: the topic is gone, and will be after a restart. Its body is empty. */
public record DeleteTopicReply() implements Response {
  static DeleteTopicReply decode(WireReader in) throws ProtocolException {
    in.end();
    return new DeleteTopicReply();
  }

  @Override
  public int type() {
    return MessageType.DELETE_TOPIC_REPLY;
  }

  @Override
  public void encode(WireWriter out) {}
}
