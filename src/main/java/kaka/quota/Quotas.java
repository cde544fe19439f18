package kaka.quota;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * What clients have produced and fetched, against what they may. A client is who {@link QuotaConfig.Per} says, so all its
 * connections share one rate in each direction. Nothing is refused: who asks is told how long the client is to wait.
 *
 * <p>The table of clients has a bound, for a client can make names up. One of which nothing is owed and a second's worth is there
 * says no more than a new one would, so those go when the table is full; whoever finds no place even then shares one rate with
 * all others of that kind, as do all with a name of more than {@value #MAX_NAME_LENGTH} characters. Clients with rates of their own
 * in the configuration have their place always.
 *
 * <p>Safe from any thread.
 */
public final class Quotas {
  static final int MAX_NAME_LENGTH = 255;

  /** Both directions of one client. */
  private record Client(Rate produced, Rate fetched) {
    boolean isOwing(long nowNs) {
      return produced.isOwing(nowNs) || fetched.isOwing(nowNs);
    }

    boolean isAtRest(long nowNs) {
      return produced.isAtRest(nowNs) && fetched.isAtRest(nowNs);
    }
  }

  private final QuotaConfig config;
  private final LongSupplier clockNs;
  private final long startNs;
  private final long maxThrottleNs;
  private final boolean isOff;
  private final Map<String, Client> configured = new HashMap<>(); // never changed once this is made
  private final ConcurrentHashMap<String, Client> others = new ConcurrentHashMap<>();
  private final Client crowd;
  private final Throttles producing = new Throttles();
  private final Throttles fetching = new Throttles();
  private final AtomicLong nextSweepNs = new AtomicLong(Long.MIN_VALUE);

  /** @param clockNs monotonic, as {@link System#nanoTime} */
  public Quotas(QuotaConfig config, LongSupplier clockNs) {
    this.config = config;
    this.clockNs = clockNs;
    this.startNs = clockNs.getAsLong();
    this.maxThrottleNs = config.maxThrottle().toNanos();
    this.isOff = config.produceBytesPerSecond() == 0 && config.fetchBytesPerSecond() == 0 && config.overrides().isEmpty();
    this.crowd = newClient(config.produceBytesPerSecond(), config.fetchBytesPerSecond());
    config
        .overrides()
        .forEach(each -> configured.put(each.client(), newClient(each.produceBytesPerSecond(), each.fetchBytesPerSecond())));
  }

  private Client newClient(long produceBytesPerSecond, long fetchBytesPerSecond) {
    return new Client(new Rate(produceBytesPerSecond, maxThrottleNs), new Rate(fetchBytesPerSecond, maxThrottleNs));
  }

  /** Whether nobody ever has to wait. */
  public boolean isOff() {
    return isOff;
  }

  /** Who a connection's client is to the other methods. */
  public String nameOf(String clientId, String address) {
    return config.per() == QuotaConfig.Per.CLIENT_ID ? clientId : address;
  }

  /** The client has sent a produce of so many bytes: how long it must not send anything. */
  public Duration produced(String client, long bytes) {
    long nowNs = nowNs();
    return isOff ? Duration.ZERO : producing.noted(clientOf(client, nowNs).produced().take(bytes, nowNs));
  }

  /** The client is sent a fetch's answer of so many bytes: how long it must not ask for anything. */
  public Duration fetched(String client, long bytes) {
    long nowNs = nowNs();
    return isOff ? Duration.ZERO : fetching.noted(clientOf(client, nowNs).fetched().take(bytes, nowNs));
  }

  /** How long the client still must not send anything, of what it has sent before: for a front door that cannot stop reading. */
  public Duration produceOwed(String client) {
    long nowNs = nowNs();
    return isOff ? Duration.ZERO : Duration.ofNanos(clientOf(client, nowNs).produced().owedNs(nowNs));
  }

  /** The same for what it was sent. */
  public Duration fetchOwed(String client) {
    long nowNs = nowNs();
    return isOff ? Duration.ZERO : Duration.ofNanos(clientOf(client, nowNs).fetched().owedNs(nowNs));
  }

  /**
   * How much of {@code maxBytes} a fetch's answer should have, so that the client need not wait long afterwards: what is left of
   * a second's worth, at least 1.
   */
  public int fetchRoom(String client, int maxBytes) {
    if (isOff || maxBytes < 1) {
      return maxBytes;
    }
    long nowNs = nowNs();
    return (int) Math.max(1, Math.min(maxBytes, clientOf(client, nowNs).fetched().room(nowNs)));
  }

  /** What producing clients had to wait. */
  public Throttles producing() {
    return producing;
  }

  /** What fetching clients had to wait. */
  public Throttles fetching() {
    return fetching;
  }

  /** How many clients have to wait now; all that share a rate count as one. */
  public long throttledCount() {
    long nowNs = nowNs();
    return Stream.of(configured.values(), others.values(), List.of(crowd))
        .flatMap(Collection::stream)
        .filter(client -> client.isOwing(nowNs))
        .count();
  }

  /** How many clients are told apart now, without those that the configuration names. */
  int clientCount() {
    return others.size();
  }

  private long nowNs() {
    return isOff ? 0 : clockNs.getAsLong() - startNs;
  }

  private Client clientOf(String name, long nowNs) {
    Client client = configured.get(name);
    if (client == null && name.length() <= MAX_NAME_LENGTH) {
      client = others.get(name);
      if (client == null && hasPlace(nowNs)) { // a few threads at once may each take the last one
        client = others.computeIfAbsent(name, any -> newClient(config.produceBytesPerSecond(), config.fetchBytesPerSecond()));
      }
    }
    return client == null ? crowd : client;
  }

  /** Where all places are taken, looks for free ones, no more often than one can become free. */
  private boolean hasPlace(long nowNs) {
    if (others.size() < config.maxClients()) {
      return true;
    }
    long nextNs = nextSweepNs.get();
    if (nowNs < nextNs || !nextSweepNs.compareAndSet(nextNs, nowNs + Rate.BURST_NS)) {
      return false;
    }
    others.values().removeIf(client -> client.isAtRest(nowNs));
    return others.size() < config.maxClients();
  }
}
