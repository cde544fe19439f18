package kaka.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * METADATA, type 0x85: answers METADATA. Body:
 *
 * <pre>n u32 | n x (error u16 | topic_len u16 | topic | topic_id 16 bytes | partitions u32)</pre>
 *
 * @param topics in the order asked for, or all
 */
public record MetadataReply(List<Topic> topics) implements Response {
  private static final UUID NO_ID = new UUID(0, 0);

  /**
   * One topic.
   *
   * @param error 0, or the number of an {@link ErrorCode}: then id and partitions are zero
   * @param id the topic's, different for one that was deleted and created again
   * @param partitions how many, numbered from 0
   */
  public record Topic(int error, String name, UUID id, int partitions) {
    public Topic {
      Limits.checkUint16(error, "error");
      Limits.checkTopic(name);
      if (partitions < 0) {
        throw new IllegalArgumentException("partitions " + partitions);
      }
    }

    public static Topic of(String name, UUID id, int partitions) {
      return new Topic(0, name, id, partitions);
    }

    public static Topic failed(String name, ErrorCode error) {
      return new Topic(error.code(), name, NO_ID, 0);
    }
  }

  public MetadataReply {
    topics = List.copyOf(topics);
  }

  static MetadataReply decode(WireReader in) throws ProtocolException {
    int n = in.count32(0, 24, "n");
    List<Topic> topics = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      int error = in.uint16("error");
      String name = in.topic();
      UUID id = in.uuid("topic_id");
      topics.add(new Topic(error, name, id, in.int32(0, "partitions")));
    }
    in.end();
    return new MetadataReply(topics);
  }

  @Override
  public int type() {
    return MessageType.METADATA_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.int32(topics.size());
    for (Topic topic : topics) {
      out.int16(topic.error).string(topic.name).uuid(topic.id).int32(topic.partitions);
    }
  }
}
