package kaka.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;

/**
 * How a client reaches its broker.
 *
 * @param host a name or an address; all addresses of a name are tried in turn
 * @param port 1 to 65535
 * @param clientId what the broker's log and metrics call this client; at most 255 bytes of UTF-8
 * @param connectTimeout until one address is connected and has answered HELLO; at least 1 ms
 * @param requestTimeout how long a request may stay unanswered before its connection is closed; at least 1 ms. A fetch that
 *     waits at the broker gets its waiting time on top.
 * @param retryBackoff wait before the first retry; doubled with every further one up to {@code maxRetryBackoff}
 * @param maxRetryBackoff at least {@code retryBackoff}
 * @param metadataRefresh how often producers, and consumers that are told to, ask whether a topic has got more partitions; at
 *     least 1 ms
 */
public record ClientConfig(
    String host,
    int port,
    String clientId,
    Duration connectTimeout,
    Duration requestTimeout,
    Duration retryBackoff,
    Duration maxRetryBackoff,
    Duration metadataRefresh) {
  public static final int DEFAULT_PORT = 9092;
  private static final int MAX_CLIENT_ID_BYTES = 255;

  public ClientConfig {
    Objects.requireNonNull(host, "host");
    if (host.isBlank()) {
      throw new IllegalArgumentException("host is empty");
    }
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port " + port + ": 1 to 65535");
    }
    int clientIdBytes = clientId.getBytes(StandardCharsets.UTF_8).length;
    if (clientIdBytes > MAX_CLIENT_ID_BYTES) {
      throw new IllegalArgumentException("clientId of " + clientIdBytes + " bytes: at most " + MAX_CLIENT_ID_BYTES);
    }
    atLeastOneMs("connectTimeout", connectTimeout);
    atLeastOneMs("requestTimeout", requestTimeout);
    atLeastOneMs("retryBackoff", retryBackoff);
    atLeastOneMs("metadataRefresh", metadataRefresh);
    if (maxRetryBackoff.compareTo(retryBackoff) < 0) {
      throw new IllegalArgumentException("maxRetryBackoff " + maxRetryBackoff + " below retryBackoff " + retryBackoff);
    }
  }

  static void atLeastOneMs(String name, Duration duration) {
    if (duration.toMillis() < 1 || duration.toMillis() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(name + " " + duration + ": at least 1 ms, at most 24 days");
    }
  }

  /** That broker, with the defaults: connect 10 s, request 30 s, back-off 50 ms to 1 s, new partitions looked for every 30 s. */
  public static ClientConfig of(String host, int port) {
    return new ClientConfig(
        host,
        port,
        "kaka-java",
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofMillis(50),
        Duration.ofSeconds(1),
        Duration.ofSeconds(30));
  }

  /**
   * The broker at {@code HOST}, {@code HOST:PORT} or {@code [IPV6]:PORT}, with the defaults.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  public static ClientConfig of(String hostAndPort) {
    String host = hostAndPort;
    int port = DEFAULT_PORT;
    int colon = hostAndPort.lastIndexOf(':');
    boolean bareIpv6 = hostAndPort.indexOf(':') != colon && !hostAndPort.startsWith("[");
    if (colon > hostAndPort.lastIndexOf(']') && !bareIpv6) {
      host = hostAndPort.substring(0, colon);
      String digits = hostAndPort.substring(colon + 1);
      if (!digits.matches("[0-9]{1,5}")) {
        throw new IllegalArgumentException("\"" + hostAndPort + "\": expected HOST:PORT");
      }
      port = Integer.parseInt(digits);
    }
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    return of(host, port);
  }

  public ClientConfig withClientId(String clientId) {
    return new ClientConfig(
        host, port, clientId, connectTimeout, requestTimeout, retryBackoff, maxRetryBackoff, metadataRefresh);
  }

  public ClientConfig withConnectTimeout(Duration connectTimeout) {
    return new ClientConfig(
        host, port, clientId, connectTimeout, requestTimeout, retryBackoff, maxRetryBackoff, metadataRefresh);
  }

  public ClientConfig withRequestTimeout(Duration requestTimeout) {
    return new ClientConfig(
        host, port, clientId, connectTimeout, requestTimeout, retryBackoff, maxRetryBackoff, metadataRefresh);
  }

  public ClientConfig withRetryBackoff(Duration retryBackoff, Duration maxRetryBackoff) {
    return new ClientConfig(
        host, port, clientId, connectTimeout, requestTimeout, retryBackoff, maxRetryBackoff, metadataRefresh);
  }

  public ClientConfig withMetadataRefresh(Duration metadataRefresh) {
    return new ClientConfig(
        host, port, clientId, connectTimeout, requestTimeout, retryBackoff, maxRetryBackoff, metadataRefresh);
  }

  /** {@code HOST:PORT}, as messages name the broker. */
  public String address() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }

  /** The wait before attempt number {@code attempt}, counted from 1 for the first retry. */
  Duration backoff(int attempt) {
    Duration wait = retryBackoff;
    for (int i = 1; i < attempt && wait.compareTo(maxRetryBackoff) < 0; i++) {
      wait = wait.multipliedBy(2);
    }
    return wait.compareTo(maxRetryBackoff) < 0 ? wait : maxRetryBackoff;
  }
}
