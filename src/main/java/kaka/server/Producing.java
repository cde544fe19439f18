package kaka.server;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import kaka.connection.Appends;
import kaka.connection.Checks;
import kaka.connection.Connection;
import kaka.connection.ConnectionInput;
import kaka.connection.Exchange;
import kaka.connection.FrameExchange;
import kaka.partition.PartitionHandle;
import kaka.protocol.ErrorCode;
import kaka.protocol.ProduceDecoder;
import kaka.protocol.ProtocolException;
import kaka.record.Allowance;
import kaka.record.NoAllowanceException;
import kaka.record.RecordBatch;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRoute;

/**
 * A connection's produces: decoded one by one as they are cut, those that take long by {@link Checks}, and handed to {@link Appends}.
 */
final class Producing {
  private final Connection connection;
  private final ConnectionInput input;
  private final ProduceDecoder decoder = new ProduceDecoder();
  private final Appends appends;

  /** The topic of the last produce: most connections name the same one again and again. */
  private byte[] lastTopic = {};

  private TopicRoute lastRoute;
  private RoutingTable lastTable;

  Producing(Connection connection, ConnectionInput input) {
    this.connection = connection;
    this.input = input;
    this.appends = new Appends(connection);
  }

  /** Points this at a PRODUCE or PRODUCE_BATCH, until {@link #taken}. */
  void start(int type, byte[] array, int from, int to) throws ProtocolException {
    decoder.start(type, array, from, to);
  }

  /** The produce was accepted, or not: its bytes are kept here no longer, for nobody charges for what an idle connection holds. */
  void taken() {
    decoder.end();
  }

  /** The topic's route, as the table has it now. */
  Optional<TopicRoute> route() throws ProtocolException {
    RoutingTable table = connection.services().routes().table();
    if (table == lastTable && decoder.isTopic(lastTopic)) {
      return Optional.of(lastRoute);
    }
    String topic = decoder.topic();
    Optional<TopicRoute> route = table.find(topic);
    if (route.isPresent()) {
      lastTable = table;
      lastTopic = topic.getBytes(StandardCharsets.UTF_8);
      lastRoute = route.get();
    }
    return route;
  }

  String topic() throws ProtocolException {
    return decoder.topic();
  }

  int partition() {
    return decoder.partition();
  }

  /** Takes the produce that {@link #start} pointed at to those that go to {@code partition}. */
  Exchange accept(PartitionHandle partition, int bodyBytes) throws ProtocolException {
    connection.quota().produced(bodyBytes);
    if (!decoder.isLight(Checks.LIGHT_BYTES)) {
      return check(partition, bodyBytes);
    }
    RecordBatch batch;
    try {
      boolean needsKeys = lastRoute.topic().settings().compacts();
      batch = decoder.batch(connection.services().clock().millis(), needsKeys, connection.services().memory(), Allowance.UNLIMITED);
    } catch (NoAllowanceException e) {
      return FrameExchange.of(bodyBytes, RefusalCount.count(connection, Answers.noMemory()));
    }
    Optional<String> tooLarge = lastRoute.topic().settings().problemOfSize(batch.sizeBytes());
    if (tooLarge.isPresent()) {
      return FrameExchange.of(bodyBytes, Answers.error(ErrorCode.TOO_LARGE, tooLarge.get()));
    }
    if (!input.handOver(batch.sizeBytes())) {
      return FrameExchange.of(bodyBytes, RefusalCount.count(connection, Answers.noMemory()));
    }
    ProduceExchange exchange = new ProduceExchange(connection, bodyBytes);
    appends.add(partition, batch, exchange);
    return exchange;
  }

  /** The same, not on this thread; its charge in the meantime is that of its frame, and of what is made of it. */
  private Exchange check(PartitionHandle partition, int bodyBytes) {
    if (!input.handOver(bodyBytes)) {
      return FrameExchange.of(bodyBytes, RefusalCount.count(connection, Answers.noMemory()));
    }
    ProduceExchange exchange = new ProduceExchange(connection, bodyBytes);
    ProduceCheck check = new ProduceCheck(decoder.copy(), lastRoute.topic().settings(), connection.services().clock().millis());
    connection.checks().start(check, bodyBytes, (checked, chargedBytes) -> take(checked, chargedBytes, partition, exchange));
    return exchange;
  }

  private void take(ProduceCheck.Result checked, long chargedBytes, PartitionHandle partition, ProduceExchange exchange) {
    if (checked instanceof ProduceCheck.Good good) {
      connection.services().memory().release(chargedBytes - good.batch().sizeBytes());
      appends.add(partition, good.batch(), exchange);
    } else if (checked instanceof ProduceCheck.Bad bad) {
      connection.services().memory().release(chargedBytes);
      exchange.refuse(bad.answer());
    }
  }

  /** Sends what was gathered. */
  void dispatch() {
    appends.dispatch();
  }

  /** The connection has ended: what was gathered and not sent is let go. */
  void end() {
    appends.end();
  }
}
