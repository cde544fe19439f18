package kaka.kafka;

import java.util.Optional;
import java.util.UUID;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/** The topics there are, as requests name them: by name, or, in newer versions, by id. */
record Topics(RoutingTable table) {
  static UUID id(Uuid id) {
    return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  static Uuid id(UUID id) {
    return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  /** @param id counts, unless it is zero */
  Optional<TopicRoute> find(String name, Uuid id) {
    return isById(id) ? table.find(id(id)) : table.find(name);
  }

  static boolean isById(Uuid id) {
    return !id.equals(Uuid.ZERO_UUID);
  }

  /** The error for a topic that {@link #find} does not find. */
  static Errors unknown(Uuid id) {
    return isById(id) ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
  }
}
