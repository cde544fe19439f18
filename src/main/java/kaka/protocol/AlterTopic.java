package kaka.protocol;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * ALTER_TOPIC, type 0x0f: changes settings of a topic that exists. Body:
 *
 * <pre>topic_len u16 | topic | n u16 | n x (name_len u16 | name | value_len u16 | value)</pre>
 *
 * Answered by {@link AlterTopicReply}.
 *
 * @param changes name to value, in the order given, at most 65535; an empty value takes the topic's own setting away, so that
 *     the broker's is in force again
 */
public record AlterTopic(String topic, Map<String, String> changes) implements Request {
  public AlterTopic {
    Limits.checkTopic(topic);
    changes = Collections.unmodifiableMap(new LinkedHashMap<>(changes));
    CreateTopic.checkSettings(changes);
  }

  static AlterTopic decode(WireReader in) throws ProtocolException {
    String topic = in.topic();
    Map<String, String> changes = CreateTopic.settings(in);
    in.end();
    return new AlterTopic(topic, changes);
  }

  @Override
  public int type() {
    return MessageType.ALTER_TOPIC;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(topic).int16(changes.size());
    changes.forEach((name, value) -> out.string(name).string(value));
  }
}
