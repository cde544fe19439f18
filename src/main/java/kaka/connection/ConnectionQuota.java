package kaka.connection;

import java.net.InetSocketAddress;
import java.time.Duration;
import kaka.quota.Quotas;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection's part in the quotas: who its client is, and whether it has to wait. While it has, the connection takes no request
 * and its socket is not read; what was taken before is answered at once, so no answer ever waits for a quota. On the connection's
 * stage alone, but for {@link #fetched}.
 */
public final class ConnectionQuota {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionQuota.class);

  private final Quotas quotas;
  private final Connection connection;
  private final String address;
  private final OpenConnection shown;
  private String client;
  private boolean isMuted;
  private long mutedUntilNs;

  /**
   * @param remote the client's
   * @param shown where others see who it is
   */
  ConnectionQuota(Quotas quotas, Connection connection, InetSocketAddress remote, OpenConnection shown) {
    this.shown = shown;
    this.quotas = quotas;
    this.connection = connection;
    this.address = remote.getAddress() == null ? remote.getHostString() : remote.getAddress().getHostAddress();
    this.client = quotas.nameOf("", address);
  }

  /** The client has said how it is called; until then it is called nothing. */
  public void introduced(String clientId) {
    client = quotas.nameOf(clientId, address);
    shown.introduced(clientId);
  }

  /** Who pays for what is asked now: to be kept with a request that is answered later. */
  public String client() {
    return client;
  }

  /** A produce of so many bytes has come: how long the connection is not read for it. */
  public Duration produced(long bytes) {
    Duration throttle = quotas.produced(client, bytes);
    mute(throttle);
    return throttle;
  }

  /** How much of {@code maxBytes} the answer to a fetch should have, at least 1. */
  public int fetchRoom(String client, int maxBytes) {
    return quotas.fetchRoom(client, maxBytes);
  }

  /** From any thread: an answer of so many bytes goes out. Returns how long the connection is to be {@link #mute muted} for it. */
  public Duration fetched(String client, long bytes) {
    return quotas.fetched(client, bytes);
  }

  /** Takes no request for so long, or for as long as another has asked for already. */
  public void mute(Duration throttle) {
    if (throttle.isZero()) {
      return;
    }
    long untilNs = System.nanoTime() + throttle.toNanos();
    if (!isMuted || untilNs - mutedUntilNs > 0) {
      isMuted = true;
      mutedUntilNs = untilNs;
      LOG.debug("connection throttled peer={} ms={}", connection.peer(), millisOf(throttle));
      connection.startTimer(this, throttle, () -> isMuted = false);
    }
  }

  /** Whether the client has to wait. */
  boolean isMuted() {
    return isMuted;
  }

  /** As Kafka's protocol has it: not 0 unless it is zero. */
  public static int millisOf(Duration throttle) {
    return (int) Math.min(Integer.MAX_VALUE, throttle.plusNanos(999_999).toMillis());
  }
}
