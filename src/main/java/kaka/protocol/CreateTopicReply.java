package kaka.protocol;

import java.util.UUID;

/**
 * CREATE_TOPIC, type 0x87: the topic exists now, and will after a restart. Body: {@code topic_id 16 bytes | partitions u32}.
 *
 * @param partitions how many it has, at least 1
 */
public record CreateTopicReply(UUID topicId, int partitions) implements Response {
  public CreateTopicReply {
    if (partitions < 1) {
      throw new IllegalArgumentException("partitions " + partitions);
    }
  }

  static CreateTopicReply decode(WireReader in) throws ProtocolException {
    UUID topicId = in.uuid("topic_id");
    int partitions = in.int32(1, "partitions");
    in.end();
    return new CreateTopicReply(topicId, partitions);
  }

  @Override
  public int type() {
    return MessageType.CREATE_TOPIC_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.uuid(topicId).int32(partitions);
  }
}
