package kaka.protocol;

/** ALTER_TOPIC, type 0x8f: the settings are in force, and will be after a restart. Its body is empty. */
public record AlterTopicReply() implements Response {
  static AlterTopicReply decode(WireReader in) throws ProtocolException {
    in.end();
    return new AlterTopicReply();
  }

  @Override
  public int type() {
    return MessageType.ALTER_TOPIC_REPLY;
  }

  @Override
  public void encode(WireWriter out) {}
}
