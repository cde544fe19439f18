package kaka.console;

import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kaka.connection.OpenConnection;
import kaka.metrics.Protocol;

/** The connections of clients, with what they have in flight; and the settings that are in force. */
final class ConnectionsApi {
  private final BrokerFacts facts;

  ConnectionsApi(BrokerFacts facts) {
    this.facts = facts;
  }

  private static Map<String, Comparator<OpenConnection>> sorts() {
    Map<String, Comparator<OpenConnection>> sorts = new LinkedHashMap<>();
    sorts.put("id", Comparator.comparingLong(OpenConnection::id));
    sorts.put("age", Comparator.comparingLong(OpenConnection::openedMs).reversed());
    sorts.put("in_flight", Comparator.comparingInt(OpenConnection::requestsInFlight));
    sorts.put("bytes", Comparator.comparingLong(OpenConnection::bytesInFlight));
    return sorts;
  }

  ApiAnswer connections(ApiCall call) {
    Paging paging = Paging.of(call, sorts().keySet().toArray(String[]::new));
    List<OpenConnection> all =
        facts.connections().all().stream()
            .filter(each -> paging.takes(addressOf(each)) || paging.takes(each.clientId()))
            .toList();
    long nowMs = System.currentTimeMillis();
    return ApiAnswer.ok(paging.write(new JsonWriter(), all, sorts(), (out, each) -> write(out, each, nowMs)));
  }

  private void write(JsonWriter out, OpenConnection connection, long nowMs) {
    out.put("id", connection.id())
        .put("address", addressOf(connection))
        .put("client_id", connection.clientId())
        .put("protocol", connection.protocol().map(Protocol::label).orElse("unknown"))
        .put("opened", connection.openedMs())
        .put("age_seconds", Math.max(0, (nowMs - connection.openedMs()) / 1000))
        .put("requests_in_flight", connection.requestsInFlight())
        .put("window_requests", facts.windowRequests())
        .put("bytes_in_flight", connection.bytesInFlight())
        .put("window_bytes", facts.windowBytes())
        .put("waiting_for_credit", connection.isWaitingForCredit());
  }

  private static String addressOf(OpenConnection connection) {
    InetSocketAddress address = connection.address();
    String host = address.getAddress() == null ? address.getHostString() : address.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  ApiAnswer settings(ApiCall call) {
    String filter = call.text("filter").orElse("");
    List<SettingInForce> shown = facts.settings().stream().filter(each -> each.name().contains(filter)).toList();
    JsonWriter out = new JsonWriter().put("total", shown.size()).array("items");
    shown.forEach(
        each -> out.object().put("name", each.name()).put("value", each.value()).put("source", each.source()).end());
    return ApiAnswer.ok(out.endArray());
  }
}
