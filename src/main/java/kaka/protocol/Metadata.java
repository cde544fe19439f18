package kaka.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * METADATA, type 0x05: which topics there are. Body:
 *
 * <pre>n u16 | n x (topic_len u16 | topic)</pre>
 *
 * Answered by {@link MetadataReply}.
 *
 * @param topics those asked about, at most 65535; none: all there are
 */
public record Metadata(List<String> topics) implements Request {
  public Metadata {
    topics = List.copyOf(topics);
    topics.forEach(Limits::checkTopic);
    Limits.checkCount16(topics.size(), "topics");
  }

  static Metadata decode(WireReader in) throws ProtocolException {
    int n = in.count16(2, "n");
    List<String> topics = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      topics.add(in.topic());
    }
    in.end();
    return new Metadata(topics);
  }

  @Override
  public int type() {
    return MessageType.METADATA;
  }

  @Override
  public void encode(WireWriter out) {
    out.int16(topics.size());
    topics.forEach(out::string);
  }
}
