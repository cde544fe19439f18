package kaka.topic;

/** The routing table in force: written by the registry, read wait-free by every connection, no message per request. */
public final class Routes {
  private volatile RoutingTable table = RoutingTable.EMPTY;

  public RoutingTable table() {
    return table;
  }

  void publish(RoutingTable next) {
    table = next;
  }
}
