package kaka.quota;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Settings {@code kaka.quotas.*}. What is wrong is refused with {@link IllegalArgumentException}, whose message starts with the
 * component's name in kebab case.
 *
 * @param per what tells clients apart
 * @param produceBytesPerSecond of each client that has no rates of its own; 0: any
 * @param fetchBytesPerSecond the same for what it reads
 * @param maxThrottle longest that one request has a client wait, 1 ms to 10 minutes
 * @param maxClients clients that are told apart at a time, 1 to 1,000,000
 * @param overrides clients with rates of their own, each once
 */
public record QuotaConfig(
    Per per,
    long produceBytesPerSecond,
    long fetchBytesPerSecond,
    Duration maxThrottle,
    int maxClients,
    List<Override> overrides) {

  /** What tells clients apart. */
  public enum Per {
    CLIENT_ID,
    ADDRESS;

    /** As in the configuration: {@code client-id} or {@code address}. */
    public static Per of(String text) {
      for (Per each : values()) {
        if (each.name().replace('_', '-').equals(text.toUpperCase(Locale.ROOT))) {
          return each;
        }
      }
      throw new IllegalArgumentException("per \"" + text + "\": client-id or address");
    }
  }

  /**
   * The rates of one client.
   *
   * @param client its client id, or its address
   */
  public record Override(String client, long produceBytesPerSecond, long fetchBytesPerSecond) {
    public Override {
      check(client.length() <= Quotas.MAX_NAME_LENGTH, "overrides", "a client of " + client.length() + " characters", "at most " + Quotas.MAX_NAME_LENGTH);
      check(produceBytesPerSecond >= 0 && fetchBytesPerSecond >= 0, "overrides", "a rate below 0", "bytes a second, 0 for any");
    }
  }

  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** An address in figures: nobody is asked for a name. */
  private static final Pattern ADDRESS = Pattern.compile("\\d+(\\.\\d+){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%\\w+)?");

  /** Any client may do as much as it can. */
  public static final QuotaConfig OFF = new QuotaConfig(Per.CLIENT_ID, 0, 0, Duration.ofSeconds(10), 10_000, List.of());

  public QuotaConfig {
    check(produceBytesPerSecond >= 0, "produce-bytes-per-second", produceBytesPerSecond, "0 for any, or at least 1");
    check(fetchBytesPerSecond >= 0, "fetch-bytes-per-second", fetchBytesPerSecond, "0 for any, or at least 1");
    boolean isThrottle = maxThrottle.compareTo(Duration.ofMillis(1)) >= 0 && maxThrottle.compareTo(LONGEST) <= 0;
    check(isThrottle, "max-throttle", maxThrottle, "1 ms to 10 minutes");
    check(maxClients >= 1 && maxClients <= 1_000_000, "max-clients", maxClients, "1 to 1000000");
    overrides = per == Per.ADDRESS ? overrides.stream().map(QuotaConfig::inOneForm).toList() : List.copyOf(overrides);
    Set<String> clients = new HashSet<>();
    for (Override each : overrides) {
      check(clients.add(each.client()), "overrides", "\"" + each.client() + "\" twice", "each client once");
    }
  }

  /** An address has several, of IPv6; connections' are compared in Java's. */
  private static Override inOneForm(Override override) {
    check(ADDRESS.matcher(override.client()).matches(), "overrides", "\"" + override.client() + "\"", "IP addresses, as kaka.quotas.per says");
    try {
      String address = InetAddress.getByName(override.client()).getHostAddress();
      return new Override(address, override.produceBytesPerSecond(), override.fetchBytesPerSecond());
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("overrides \"" + override.client() + "\": IP addresses, as kaka.quotas.per says", e);
    }
  }

  private static void check(boolean valid, String name, Object value, String expected) {
    if (!valid) {
      throw new IllegalArgumentException(name + " " + value + ": " + expected);
    }
  }
}
