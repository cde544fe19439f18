package kaka.connection;

import java.net.InetSocketAddress;
import java.util.Optional;
import kaka.metrics.Protocol;

/** What a connection shows to others: written by its stage after its events, read by anybody. */
public final class OpenConnection {
  /** Of what a client calls itself, so much is kept. */
  private static final int MAX_NAME = 255;

  private final long id;
  private final InetSocketAddress address;
  private final long openedMs;
  private volatile String clientId = "";
  private volatile Protocol protocol;
  private volatile int requestsInFlight;
  private volatile long bytesInFlight;
  private volatile boolean isWaiting;

  OpenConnection(long id, InetSocketAddress address, long openedMs) {
    this.id = id;
    this.address = address;
    this.openedMs = openedMs;
  }

  void introduced(String name) {
    String kept = name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME);
    if (!kept.equals(clientId)) {
      clientId = kept;
    }
  }

  void speaks(Protocol spoken) {
    protocol = spoken;
  }

  void inFlight(int requests, long bytes) {
    requestsInFlight = requests;
    bytesInFlight = bytes;
  }

  void waitsForCredit(boolean waits) {
    isWaiting = waits;
  }

  /** Counted from 1 since the broker's start. */
  public long id() {
    return id;
  }

  /** The client's. */
  public InetSocketAddress address() {
    return address;
  }

  /** When it was accepted, in milliseconds since 1970. */
  public long openedMs() {
    return openedMs;
  }

  /** What its client calls itself, at most 255 characters of it; empty until it has. */
  public String clientId() {
    return clientId;
  }

  /** Empty before its first frame. */
  public Optional<Protocol> protocol() {
    return Optional.ofNullable(protocol);
  }

  /** Requests of its window that are not answered. */
  public int requestsInFlight() {
    return requestsInFlight;
  }

  public long bytesInFlight() {
    return bytesInFlight;
  }

  /** Whether its window is full, so that its socket is not read. */
  public boolean isWaitingForCredit() {
    return isWaiting;
  }
}
