package kaka.connection;

import java.time.Duration;
import kaka.record.RecordCursor;

/**
 * Settings of the native front door: {@code kaka.listen.*}, {@code kaka.connections.*}, {@code kaka.fetch.*}. What is wrong
 * is refused with {@link IllegalArgumentException}, whose message starts with the component's name in kebab case.
 *
 * @param host address or name to listen on
 * @param port 0 to 65535; 0 lets the system choose
 * @param backlog connections the kernel holds before they are accepted, at least 1
 * @param maxConnections connections served at a time, at least 1
 * @param maxPerAddress connections of one client address at a time; 0: as many as there are
 * @param windowRequests requests one connection may have in flight, 1 to 65536
 * @param windowBytes bytes one connection may have in flight, at least 64 KiB; one request is always let in
 * @param maxFrameBytes largest request accepted, 1 KiB to 1 GiB
 * @param maxUnpackedBytes what a compressed batch of a produce may be once decompressed, 1 MiB to what anybody reads of one
 * @param timeouts how long a connection may hold things for nothing
 * @param maxFetchBytes largest answer to a fetch, whatever the client asked for, 1 KiB to 1 GiB
 * @param maxFetchWait longest a fetch may wait for new records, 0 to 1 hour
 */
public record ServerConfig(
    String host,
    int port,
    int backlog,
    int maxConnections,
    int maxPerAddress,
    int windowRequests,
    long windowBytes,
    int maxFrameBytes,
    int maxUnpackedBytes,
    ConnectionTimeouts timeouts,
    int maxFetchBytes,
    Duration maxFetchWait) {

  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final int GIB = 1 << 30;

  public ServerConfig {
    check(!host.isBlank(), "host", "\"" + host + "\"", "a host name or address, 0.0.0.0 for all of this machine's");
    check(port >= 0 && port <= 65535, "port", port, "0 to 65535");
    check(backlog >= 1, "backlog", backlog, "at least 1");
    check(maxConnections >= 1, "max-connections", maxConnections, "at least 1");
    check(maxPerAddress >= 0, "max-per-address", maxPerAddress, "0 for no such limit, or at least 1");
    check(windowRequests >= 1 && windowRequests <= 65536, "window-requests", windowRequests, "1 to 65536");
    check(windowBytes >= 64 * KIB, "window-bytes", windowBytes, "at least 64 KiB");
    check(maxFrameBytes >= KIB && maxFrameBytes <= GIB, "max-frame-bytes", maxFrameBytes, "1 KiB to 1 GiB");
    check(maxUnpackedBytes >= MIB && maxUnpackedBytes <= RecordCursor.MAX_UNPACKED_BYTES,
        "max-unpacked-bytes", maxUnpackedBytes, "1 MiB to 256 MiB");
    check(maxFetchBytes >= KIB && maxFetchBytes <= GIB, "max-fetch-bytes", maxFetchBytes, "1 KiB to 1 GiB");
    check(!maxFetchWait.isNegative() && maxFetchWait.compareTo(Duration.ofHours(1)) <= 0,
        "max-fetch-wait", maxFetchWait, "0 to 1 hour");
  }

  /** The same with another limit of connections. */
  public ServerConfig withMaxConnections(int maxConnections) {
    return new ServerConfig(
        host,
        port,
        backlog,
        maxConnections,
        maxPerAddress,
        windowRequests,
        windowBytes,
        maxFrameBytes,
        maxUnpackedBytes,
        timeouts,
        maxFetchBytes,
        maxFetchWait);
  }

  private static void check(boolean valid, String name, Object value, String expected) {
    if (!valid) {
      throw new IllegalArgumentException(name + " " + value + ": " + expected);
    }
  }
}
