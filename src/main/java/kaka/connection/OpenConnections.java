package kaka.connection;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** The connections there are, so many as may be open at a time. Safe from any thread. */
public final class OpenConnections {
  private final AtomicLong lastId = new AtomicLong();
  private final ConcurrentSkipListMap<Long, OpenConnection> byId = new ConcurrentSkipListMap<>();

  /** One more, that is to be {@link #add}ed. */
  OpenConnection create(InetSocketAddress address, long nowMs) {
    return new OpenConnection(lastId.incrementAndGet(), address, nowMs);
  }

  /** The caller {@link #remove}s it when it ends. */
  void add(OpenConnection connection) {
    byId.put(connection.id(), connection);
  }

  void remove(OpenConnection connection) {
    byId.remove(connection.id());
  }

  /** Those that are open now, the oldest first. */
  public List<OpenConnection> all() {
    return List.copyOf(byId.values());
  }
}
