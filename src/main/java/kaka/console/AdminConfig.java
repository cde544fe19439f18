package kaka.console;

import java.time.Duration;
import java.util.Set;

/**
 * Settings of the admin server, {@code kaka.admin.*}, {@code kaka.console.*} and {@code kaka.metrics.*}. What is wrong is refused with
 * {@link IllegalArgumentException}, whose message starts with the component's name in kebab case.
 *
 * @param host address or name to listen on
 * @param port 0 to 65535; 0 lets the system choose; {@link #OFF}: there is no such server
 * @param isRequired whether the port was asked for: a broker that cannot have it does not start then; else it does without
 * @param connectionTime how long one connection is served, 100 ms to 1 hour
 * @param maxSeries of one metric that has partitions or groups as labels, 1 to 100,000
 * @param canWrite whether the HTTP API changes anything
 * @param hosts names, in small letters, under which browsers may reach the API, besides those that mean this machine
 */
public record AdminConfig(
    String host, int port, boolean isRequired, Duration connectionTime, int maxSeries, boolean canWrite, Set<String> hosts) {
  public static final int OFF = -1;

  public AdminConfig {
    hosts = Set.copyOf(hosts);
    check(!host.isBlank(), "host", "\"" + host + "\"", "a host name or address, 0.0.0.0 for all of this machine's");
    check(port >= OFF && port <= 65535, "port", port, "0 to 65535, or off");
    boolean isTime = connectionTime.toMillis() >= 100 && connectionTime.compareTo(Duration.ofHours(1)) <= 0;
    check(isTime, "connection-time", connectionTime, "100 ms to 1 hour");
    check(maxSeries >= 1 && maxSeries <= 100_000, "max-series", maxSeries, "1 to 100000");
    boolean areNames = hosts.stream().allMatch(name -> name.matches("[a-z0-9._-]{1,253}"));
    check(areNames, "hosts", hosts, "host names without ports, separated by commas");
  }

  public boolean isOff() {
    return port == OFF;
  }

  private static void check(boolean valid, String name, Object value, String expected) {
    if (!valid) {
      throw new IllegalArgumentException(name + " " + value + ": " + expected);
    }
  }
}
