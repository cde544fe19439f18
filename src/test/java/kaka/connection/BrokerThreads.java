package kaka.connection;

import com.typesafe.config.Config;
import kaka.config.ConfigException;
import kaka.config.KakaConfig;

/** The dispatchers as a broker has them, for listeners and connections without one. */
final class BrokerThreads {
  private BrokerThreads() {}

  static Config config() {
    try {
      return KakaConfig.parse("").akka();
    } catch (ConfigException e) {
      throw new IllegalStateException(e);
    }
  }
}
