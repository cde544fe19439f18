package kaka.connection;

import com.typesafe.config.Config;
import java.util.concurrent.ForkJoinPool;
import kaka.config.ConfigException;
import kaka.config.KakaConfig;

/** The dispatchers as a broker has them, for listeners and connections without one. */
final class BrokerThreads {
  private BrokerThreads() {}

  /** For tests where the JVM's own will do. */
  static CheckThreads checks() {
    return new CheckThreads(ForkJoinPool.commonPool(), ForkJoinPool.commonPool());
  }

  static Config config() {
    try {
      return KakaConfig.parse("").akka();
    } catch (ConfigException e) {
      throw new IllegalStateException(e);
    }
  }
}
