package kaka.kafka;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import kaka.connection.Appends;
import kaka.connection.ClientText;
import kaka.connection.Connection;
import kaka.connection.ConnectionCounts;
import kaka.connection.ConnectionInput;
import kaka.connection.Exchange;
import kaka.connection.ExchangeQueue;
import kaka.connection.FrameExchange;
import kaka.connection.Intake;
import kaka.metrics.Protocol;
import kaka.protocol.FrameCutter;
import kaka.protocol.ProtocolException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes an {@link Exchange} of every Kafka request of a connection. A request that changes which topics there are is blocked on:
 * what comes behind it is not even cut from the stream before it is answered, so requests take effect in their order.
 */
final class KafkaIntake implements Intake, Call.Side {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaIntake.class);

  /** {@code api_key i16 | api_version i16 | correlation_id i32}: what every request starts with. */
  private static final int PREFIX_BYTES = 8;

  private static final int VERSION = 2;
  private static final int CORRELATION_ID = 4;

  private final KafkaConfig config;
  private final String dataDirectory;
  private final Connection connection;
  private final ConnectionInput input;
  private final ExchangeQueue exchanges;
  private final Appends appends;

  /** Nothing is taken before it is answered; null while there is none. */
  private Answer blocking;

  private boolean over;
  private final AtomicBoolean readFailureLogged = new AtomicBoolean();

  KafkaIntake(KafkaConfig config, String dataDirectory, Connection connection, ConnectionInput input, ExchangeQueue exchanges) {
    this.config = config;
    this.dataDirectory = dataDirectory;
    this.connection = connection;
    this.input = input;
    this.exchanges = exchanges;
    this.appends = new Appends(connection);
  }

  @Override
  public boolean isBlocked() {
    if (blocking != null && blocking.isComplete()) {
      blocking = null;
    }
    return blocking != null;
  }

  @Override
  public boolean isOver() {
    return over;
  }

  @Override
  public void take(FrameCutter frame) {
    int from = frame.bodyFrom() - 1; // what the cutter takes for the type is the first byte of the api key
    take(ByteBuffer.wrap(frame.array(), from, frame.bodyTo() - from).slice());
  }

  private void take(ByteBuffer request) {
    if (connection.isDraining()) {
      end("the broker is stopping");
      return;
    }
    int sizeBytes = request.remaining();
    if (sizeBytes < PREFIX_BYTES) {
      end("request of " + sizeBytes + " bytes");
      return;
    }
    short number = request.getShort(0);
    short version = request.getShort(VERSION);
    if (!ApiKeys.hasId(number)) {
      end("api key " + number);
      return;
    }
    ApiKeys key = ApiKeys.forId(number);
    Optional<Apis.Entry> entry = Apis.find(key).filter(found -> found.answers(version));
    exchanges.taking(
        connection.services().metrics().requests().kind(Protocol.KAFKA, number, id -> key.name().toLowerCase(Locale.ROOT)));
    if (entry.isPresent()) {
      handle(entry.get().api(), key, version, request);
    } else if (key == ApiKeys.API_VERSIONS) {
      byte[] answer = ApiVersionsApi.unsupportedVersion(request.getInt(CORRELATION_ID)).write();
      exchanges.add(FrameExchange.of(sizeBytes, answer));
    } else {
      end(key.name + " version " + version);
    }
  }

  private void handle(Api api, ApiKeys key, short version, ByteBuffer request) {
    int sizeBytes = request.remaining();
    Decoding decoding = new Decoding(key, version, request, connection.services().memory());
    Optional<Decoding.Outcome> outcome = decoding.onLoop();
    if (outcome.isPresent()) {
      handle(api, key, version, sizeBytes, outcome.get());
    } else if (input.handOver(sizeBytes)) {
      connection
          .checks()
          .start(
              decoding,
              sizeBytes,
              (decoded, chargedBytes) -> {
                input.takeBack(sizeBytes); // the rest is the request's
                handle(api, key, version, sizeBytes, decoded);
              });
    } else {
      end("no memory for a " + key.name + " request of " + sizeBytes + " bytes");
    }
  }

  private void handle(Api api, ApiKeys key, short version, int sizeBytes, Decoding.Outcome outcome) {
    if (outcome instanceof Decoding.Refused refused) {
      end(refused.reason());
      return;
    }
    Decoding.Decoded decoded = (Decoding.Decoded) outcome;
    boolean isAdded = false;
    try {
      Call call = new Call(this, key, version, decoded.header(), decoded.request(), sizeBytes);
      connection.quota().introduced(call.clientId());
      Exchange exchange = api.handle(call);
      exchange.charge(connection.services().memory(), decoded.chargedBytes());
      exchanges.add(exchange);
      isAdded = true;
    } finally {
      if (!isAdded) {
        connection.services().memory().release(decoded.chargedBytes());
      }
    }
  }

  /** Called by an {@link Api} for an answer that what comes behind it has to wait for. */
  @Override
  public Exchange blockOn(Answer answer) {
    blocking = answer;
    return answer;
  }

  /** Sends the batches that were gathered to their partitions. */
  @Override
  public void dispatch() {
    appends.dispatch();
  }

  @Override
  public Optional<byte[]> framingLost(ProtocolException reason) {
    tellClosed(ConnectionCounts.Line.FRAMING_LOST, reason.getMessage());
    return Optional.empty();
  }

  @Override
  public Optional<byte[]> noMemory() {
    tellClosed(ConnectionCounts.Line.NO_MEMORY, "no memory for a request");
    return Optional.empty();
  }

  @Override
  public void end() {
    appends.end();
  }

  @Override
  public KafkaConfig config() {
    return config;
  }

  @Override
  public String dataDirectory() {
    return dataDirectory;
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public ConnectionInput input() {
    return input;
  }

  @Override
  public Appends appends() {
    return appends;
  }

  @Override
  public void end(String reason) {
    if (!over) {
      over = true;
      connection.services().metrics().requests().refused(Protocol.KAFKA, "connection_closed");
      tellClosed(ConnectionCounts.Line.PROTOCOL_BROKEN, ClientText.inLog(reason));
    }
  }

  private void tellClosed(ConnectionCounts.Line line, String reason) {
    connection
        .services()
        .counts()
        .tell(line, untold -> LOG.info("kafka connection closed peer={} reason=\"{}\" others_untold={}", connection.peer(), reason, untold));
  }

  @Override
  public void readFailed(String where, Throwable cause) {
    if (readFailureLogged.compareAndSet(false, true)) {
      connection
          .services()
          .counts()
          .tell(
              ConnectionCounts.Line.READ_FAILED,
              untold ->
                  LOG.warn(
                      "kafka request met a failure of the disk where={} peer={} cause=\"{}\" others_untold={}",
                      where,
                      connection.peer(),
                      cause.toString(),
                      untold));
    }
  }
}
