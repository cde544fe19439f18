package kaka.protocol;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * CREATE_TOPIC, type 0x07. Body:
 *
 * <pre>topic_len u16 | topic | partitions u32 | n u16 | n x (name_len u16 | name | value_len u16 | value)</pre>
 *
 * Answered by {@link CreateTopicReply}.
 *
 * @param topic which names are legal is the broker's rule
 * @param partitions how many, or 0 for the broker's default
 * @param settings the topic's own, where they differ from the broker's; in the order given, at most 65535
 */
public record CreateTopic(String topic, int partitions, Map<String, String> settings) implements Request {
  public CreateTopic {
    Limits.checkTopic(topic);
    if (partitions < 0) {
      throw new IllegalArgumentException("partitions " + partitions);
    }
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    checkSettings(settings);
  }

  static void checkSettings(Map<String, String> settings) {
    Limits.checkCount16(settings.size(), "settings");
    settings.forEach(
        (name, value) -> {
          Limits.checkString(name, Limits.NAME_BYTES, "name");
          Limits.checkString(value, Limits.STRING_BYTES, "value");
        });
  }

  static CreateTopic decode(WireReader in) throws ProtocolException {
    String topic = in.topic();
    int partitions = in.int32(0, "partitions");
    Map<String, String> settings = settings(in);
    in.end();
    return new CreateTopic(topic, partitions, settings);
  }

  static Map<String, String> settings(WireReader in) throws ProtocolException {
    int n = in.count16(4, "n");
    Map<String, String> settings = new LinkedHashMap<>();
    for (int i = 0; i < n; i++) {
      String name = in.string(Limits.NAME_BYTES, "name");
      String value = in.string(Limits.STRING_BYTES, "value");
      if (settings.put(name, value) != null) {
        throw in.bad("name", "setting " + name + " twice");
      }
    }
    return settings;
  }

  @Override
  public int type() {
    return MessageType.CREATE_TOPIC;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(topic).int32(partitions).int16(settings.size());
    settings.forEach((name, value) -> out.string(name).string(value));
  }
}
