package kaka.kafka;

import java.net.InetSocketAddress;
import kaka.connection.Appends;
import kaka.connection.Connection;
import kaka.connection.ConnectionInput;
import kaka.connection.ConnectionServices;
import kaka.connection.Exchange;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * One request, and what its {@link Api} can use of the connection that it came by.
 *
 * @param version of the request, and so of its response; one that {@link Apis} lists
 * @param bodyBytes of the whole request: what it counts for in the connection's window
 */
record Call(
    Side side, ApiKeys key, short version, RequestHeaderData header, ApiMessage request, int bodyBytes) {

  /**
   * The Kafka side of a connection.
   *
   * @param input to charge batches against
   * @param appends where batches go
   */
  interface Side {
    KafkaConfig config();

    /** For people: where the records are. */
    String dataDirectory();

    Connection connection();

    ConnectionInput input();

    Appends appends();

    /** Nothing more is taken of the connection before this is answered; returns it. */
    Exchange blockOn(Answer answer);

    /** Takes no more of the client's requests, and closes the connection when what came before is answered. */
    void end(String reason);

    /** The connection's log line about a disk that cannot be read; only the first is written. */
    void readFailed(String where, Throwable cause);
  }

  <T extends ApiMessage> T request(Class<T> type) {
    return type.cast(request);
  }

  Connection connection() {
    return side.connection();
  }

  ConnectionServices services() {
    return side.connection().services();
  }

  Topics topics() {
    return new Topics(services().routes().table());
  }

  /** A response to this call. */
  ResponseFrame frame(ApiMessage response) {
    return new ResponseFrame(key, version, header.correlationId(), response);
  }

  /** The host that clients are to connect to. */
  String host() {
    String configured = side.config().advertisedHost();
    InetSocketAddress local = connection().localAddress();
    return !configured.isEmpty() || local.getAddress() == null ? configured : local.getAddress().getHostAddress();
  }

  int port() {
    int configured = side.config().advertisedPort();
    return configured != 0 ? configured : connection().localAddress().getPort();
  }

  String clientId() {
    return header.clientId() == null ? "" : header.clientId();
  }

  /** The client's address, as Kafka's tools show it. */
  String clientHost() {
    String peer = connection().peer();
    int port = peer.lastIndexOf(':');
    return port < 0 ? peer : peer.substring(0, port);
  }
}
