package kaka.kafka;

import java.util.List;
import kaka.connection.ConnectionServices;
import kaka.log.LogConfig;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;

/** What of the broker's own settings Kafka has a name for, as tools ask for them. */
final class BrokerConfigs {
  record BrokerConfig(String name, String value, ConfigType type) {}

  private BrokerConfigs() {}

  /** In the order of their names. */
  static List<BrokerConfig> of(Call call) {
    ConnectionServices services = call.services();
    LogConfig log = services.brokerLog();
    return List.of(
        new BrokerConfig("broker.id", Integer.toString(Node.ID), ConfigType.INT),
        new BrokerConfig("default.replication.factor", "1", ConfigType.INT),
        new BrokerConfig("fetch.max.bytes", Integer.toString(services.config().maxFetchBytes()), ConfigType.INT),
        new BrokerConfig("log.dirs", call.side().dataDirectory(), ConfigType.STRING),
        new BrokerConfig("log.retention.bytes", Long.toString(log.retentionBytes()), ConfigType.LONG),
        new BrokerConfig(
            "log.retention.ms",
            Long.toString(log.retentionTime().isZero() ? -1 : log.retentionTime().toMillis()),
            ConfigType.LONG),
        new BrokerConfig("log.segment.bytes", Long.toString(log.segmentBytes()), ConfigType.INT),
        new BrokerConfig("max.connections", Integer.toString(services.config().maxConnections()), ConfigType.INT),
        new BrokerConfig("min.insync.replicas", "1", ConfigType.INT),
        new BrokerConfig("node.id", Integer.toString(Node.ID), ConfigType.INT),
        new BrokerConfig("socket.request.max.bytes", Integer.toString(services.config().maxFrameBytes()), ConfigType.INT));
  }
}
