package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import kaka.connection.ConnectionServices;
import kaka.topic.TopicSettings;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;

/** A topic's settings as Kafka's clients are shown them. */
final class TopicConfigs {
  /**
   * @param brokerDefault what it would be without a value of the topic's own
   * @param source whether it is the topic's own
   */
  record TopicConfig(String name, String value, String brokerDefault, ConfigSource source) {
    ConfigType type() {
      return switch (name) {
        case TopicSettings.CLEANUP_POLICY -> ConfigType.LIST;
        case TopicSettings.MIN_CLEANABLE_DIRTY_RATIO -> ConfigType.DOUBLE;
        case TopicSettings.SEGMENT_BYTES, TopicSettings.MAX_MESSAGE_BYTES -> ConfigType.INT;
        case TopicSettings.SEGMENT_MS,
            TopicSettings.RETENTION_BYTES,
            TopicSettings.RETENTION_MS,
            TopicSettings.DELETE_RETENTION_MS -> ConfigType.LONG;
        default -> ConfigType.STRING;
      };
    }
  }

  private TopicConfigs() {}

  /** All, in the order of their names. */
  static List<TopicConfig> of(TopicSettings settings, ConnectionServices services) {
    Map<String, String> defaults = effective(TopicSettings.NONE, services);
    List<TopicConfig> configs = new ArrayList<>();
    effective(settings, services)
        .forEach(
            (name, value) ->
                configs.add(
                    new TopicConfig(
                        name,
                        value,
                        defaults.getOrDefault(name, value),
                        settings.values().containsKey(name) ? ConfigSource.TOPIC_CONFIG : ConfigSource.DEFAULT_CONFIG)));
    return configs;
  }

  private static Map<String, String> effective(TopicSettings settings, ConnectionServices services) {
    Map<String, String> all = new TreeMap<>(settings.effective(services.brokerLog()));
    all.putIfAbsent(TopicSettings.MAX_MESSAGE_BYTES, Integer.toString(services.config().maxFrameBytes()));
    return all;
  }
}
