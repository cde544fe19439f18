package kaka.kafka;

import java.util.Set;

/**
 * Settings {@code kaka.kafka.*}. What is wrong is refused with {@link IllegalArgumentException}, whose message starts with the
 * component's name in kebab case.
 *
 * @param advertisedHost where clients are told to connect to; empty: the address that they have connected to already
 * @param advertisedPort 0 to 65535; 0: the port that they have connected to already
 */
public record KafkaConfig(String advertisedHost, int advertisedPort) {
  private static final Set<String> NOWHERE = Set.of("0.0.0.0", "::", "[::]", "0:0:0:0:0:0:0:0", "*");

  public KafkaConfig {
    if (NOWHERE.contains(advertisedHost.trim())) {
      throw new IllegalArgumentException(
          "advertised-host " + advertisedHost + ": a name or an address that clients can connect to; it means all of a machine's own");
    }
    if (!advertisedHost.isEmpty() && advertisedHost.isBlank() || advertisedHost.length() > 255) {
      throw new IllegalArgumentException("advertised-host \"" + advertisedHost + "\": a host name or an address, or \"\"");
    }
    if (advertisedPort < 0 || advertisedPort > 65535) {
      throw new IllegalArgumentException("advertised-port " + advertisedPort + ": 0 to 65535");
    }
  }
}
