package kaka.broker;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import kaka.config.ConfigException;
import kaka.config.KakaConfig;

/**
 * A broker inside another program, as for its tests: on a free port of this machine, of which several can run in one JVM.
 *
 * <p>No file, system property or environment variable configures it, only what it is started with.
 */
public final class KakaBroker implements AutoCloseable {
  private static final String FREE_PORT = "kaka.listen.port = 0\nkaka.admin.port = off\n";

  private final Broker broker;

  private KakaBroker(Broker broker) {
    this.broker = broker;
  }

  /** Keeps its records in memory, at most half of the heap; they go with it. */
  public static KakaBroker inMemory() throws BrokerStartException {
    return start("kaka.log.dir = \"\"");
  }

  /** Keeps its records in {@code directory}, which is made if it is missing; the next one there goes on with them. */
  public static KakaBroker in(Path directory) throws BrokerStartException {
    return start("kaka.log.dir = \"" + directory.toAbsolutePath().toString().replace("\\", "\\\\").replace("\"", "\\\"") + "\"");
  }

  /**
   * Starts one and returns when it listens.
   *
   * @param hocon settings over the defaults, as in application.conf; the port is a free one, and there is no admin server,
   *     unless they say otherwise
   * @throws BrokerStartException in one line why it cannot
   */
  public static KakaBroker start(String hocon) throws BrokerStartException {
    try {
      return new KakaBroker(Broker.start(KakaConfig.parse(FREE_PORT + hocon)));
    } catch (ConfigException e) {
      throw new BrokerStartException(e.getMessage(), e);
    }
  }

  public InetSocketAddress address() {
    return broker.address();
  }

  /** {@code host:port}: what Kafka's clients take as {@code bootstrap.servers}, and kaka's as its address. */
  public String bootstrapServers() {
    InetSocketAddress address = broker.address();
    String host = address.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /** Answers what is in flight, syncs, and returns when everything is closed; a second call does nothing. */
  @Override
  public void close() {
    broker.stop().toCompletableFuture().join();
  }
}
