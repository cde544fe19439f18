package kaka.topic;

/** The routing table in force: written by the registry, read wait-free by every connection, no message per request. */
public final class Routes {
  private volatile RoutingTable table = RoutingTable.EMPTY;
  private volatile String notice = "";

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

  void publish(RoutingTable next) {
    table = next;
  }
}
