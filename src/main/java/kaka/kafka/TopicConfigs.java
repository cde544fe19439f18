package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kaka.log.LogConfig;
import kaka.topic.TopicSettings;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;

/** A topic's settings as Kafka's clients are shown them. */
final class TopicConfigs {
  /**
   * @param brokerDefault what it would be without a value of the topic's own
   * @param source whether it is the topic's own
   */
  record TopicConfig(String name, String value, String brokerDefault, ConfigSource source) {}

  private TopicConfigs() {}

  /** All, in the order of their names. */
  static List<TopicConfig> of(TopicSettings settings, LogConfig broker) {
    Map<String, String> defaults = TopicSettings.NONE.effective(broker);
    List<TopicConfig> configs = new ArrayList<>();
    settings
        .effective(broker)
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
}
