package kaka.topic;

import java.util.function.Consumer;

/** The routing table in force: written by the registry, read wait-free by every connection, no message per request. */
public final class Routes {
  private volatile RoutingTable table = RoutingTable.EMPTY;
  private volatile String notice = "";
  private Consumer<RoutingTable> listener = table -> {};

  public RoutingTable table() {
    return table;
  }

  /** What everybody should know who asks about topics; empty while all is well. */
  public String notice() {
    return notice;
  }

  void publishNotice(String next) {
    notice = next;
  }

  synchronized void publish(RoutingTable next) {
    listener.accept(next);
    table = next;
  }

  /**
   * From now on {@code listener} is given every table, before anybody can see it; the one in force at once. There is one at a time.
   *
   * @param listener called by the registry: must not block
   */
  public synchronized void onChange(Consumer<RoutingTable> listener) {
    this.listener = listener;
    listener.accept(table);
  }
}
