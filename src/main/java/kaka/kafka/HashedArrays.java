package kaka.kafka;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Which arrays of requests Kafka's classes keep in collections that look for a place by a hash of some fields, and go on to the next
 * place while it is taken. The hashes are no secret, so a client can choose elements that all want one place: the time that takes
 * grows with the third power of their number. The names are those of Kafka's schemas.
 */
final class HashedArrays {
  private static final Map<ApiKeys, Map<String, List<String>>> KEYS = new EnumMap<>(ApiKeys.class);

  static {
    KEYS.put(ApiKeys.PRODUCE, Map.of("topic_data", List.of("name", "topic_id")));
    KEYS.put(
        ApiKeys.CREATE_TOPICS,
        Map.of("topics", List.of("name"), "assignments", List.of("partition_index"), "configs", List.of("name")));
    KEYS.put(ApiKeys.CREATE_PARTITIONS, Map.of("topics", List.of("name")));
    KEYS.put(ApiKeys.ALTER_CONFIGS, Map.of("resources", List.of("resource_type", "resource_name"), "configs", List.of("name")));
    KEYS.put(
        ApiKeys.INCREMENTAL_ALTER_CONFIGS,
        Map.of("resources", List.of("resource_type", "resource_name"), "configs", List.of("name", "config_operation")));
    KEYS.put(ApiKeys.ADD_PARTITIONS_TO_TXN, Map.of("v3_and_below_topics", List.of("name")));
    KEYS.put(ApiKeys.OFFSET_DELETE, Map.of("topics", List.of("name")));
    KEYS.put(ApiKeys.OFFSET_FOR_LEADER_EPOCH, Map.of("topics", List.of("topic")));
    KEYS.put(ApiKeys.JOIN_GROUP, Map.of("protocols", List.of("name")));
    KEYS.put(ApiKeys.DESCRIBE_LOG_DIRS, Map.of("topics", List.of("topic")));
    KEYS.put(ApiKeys.DESCRIBE_PRODUCERS, Map.of("topics", List.of("name")));
  }

  private HashedArrays() {}

  /** By the array's name, the fields of its elements that are hashed; in the order in which the elements have them. */
  static Map<String, List<String>> of(ApiKeys key) {
    return KEYS.getOrDefault(key, Map.of());
  }
}
