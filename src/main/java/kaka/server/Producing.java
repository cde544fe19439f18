package kaka.server;

import akka.actor.typed.ActorRef;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import kaka.connection.Connection;
import kaka.connection.ConnectionInput;
import kaka.connection.Exchange;
import kaka.connection.FrameExchange;
import kaka.connection.ReplyTarget;
import kaka.partition.MemoryCharge;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.Refusal;
import kaka.protocol.ErrorCode;
import kaka.protocol.ProduceDecoder;
import kaka.protocol.ProtocolException;
import kaka.record.NoAllowanceException;
import kaka.record.RecordBatch;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRoute;

/**
 * A connection's produces: decoded one by one as they are cut, gathered by partition until the socket read is used up, then
 * sent as one message per partition; its reply completes them all.
 */
final class Producing {
  private final Connection connection;
  private final ConnectionInput input;
  private final ProduceDecoder decoder = new ProduceDecoder();
  private final Map<PartitionHandle, AppendGroup> groups = new LinkedHashMap<>();

  /** The topic of the last produce: most connections name the same one again and again. */
  private byte[] lastTopic = {};

  private TopicRoute lastRoute;
  private RoutingTable lastTable;

  Producing(Connection connection, ConnectionInput input) {
    this.connection = connection;
    this.input = input;
  }

  /** Points this at a PRODUCE or PRODUCE_BATCH. */
  void start(int type, byte[] array, int from, int to) throws ProtocolException {
    decoder.start(type, array, from, to);
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

  /** Takes the produce that {@link #start} pointed at into the group for {@code partition}. */
  Exchange accept(PartitionHandle partition, int bodyBytes) throws ProtocolException {
    RecordBatch batch;
    try {
      boolean needsKeys = lastRoute.topic().settings().compacts();
      batch = decoder.batch(connection.services().clock().millis(), needsKeys, connection.services().memory());
    } catch (NoAllowanceException e) {
      return FrameExchange.of(bodyBytes, Answers.noMemory());
    }
    Optional<String> tooLarge = lastRoute.topic().settings().problemOfSize(batch.sizeBytes());
    if (tooLarge.isPresent()) {
      return FrameExchange.of(bodyBytes, Answers.error(ErrorCode.TOO_LARGE, tooLarge.get()));
    }
    if (!input.handOver(batch.sizeBytes())) {
      return FrameExchange.of(bodyBytes, Answers.noMemory());
    }
    ProduceExchange exchange = new ProduceExchange(bodyBytes);
    groups.computeIfAbsent(partition, AppendGroup::new).add(batch, exchange);
    return exchange;
  }

  /** Sends what was gathered. */
  void dispatch() {
    if (groups.isEmpty()) {
      return;
    }
    for (AppendGroup group : groups.values()) {
      long id = connection.expect(new InFlight(group.partition(), group.exchanges()));
      MemoryCharge charge = MemoryCharge.ofReserved(connection.services().memory(), group.sizeBytes());
      group.partition().actor().tell(new PartitionActor.Append(group.batches(), charge, id, connection.partitionReplies()));
    }
    groups.clear();
  }

  /** The connection has ended: what was gathered and not sent is let go. */
  void end() {
    groups.values().forEach(group -> connection.services().memory().release(group.sizeBytes()));
    groups.clear();
  }

  /** Keeps no batch: they, and their charge, are the partition's now. */
  private final class InFlight implements ReplyTarget {
    private final PartitionHandle partition;
    private final List<ProduceExchange> exchanges;

    InFlight(PartitionHandle partition, List<ProduceExchange> exchanges) {
      this.partition = partition;
      this.exchanges = exchanges;
    }

    @Override
    public void onPartitionReply(PartitionReply reply) {
      if (reply instanceof PartitionReply.Appended appended) {
        for (int i = 0; i < exchanges.size(); i++) {
          exchanges.get(i).acknowledge(appended.baseOffsets().get(i));
        }
      } else if (reply instanceof PartitionReply.PartlyAppended partly) {
        for (int i = 0; i < exchanges.size(); i++) {
          settle(exchanges.get(i), partly.outcomes().get(i));
        }
      } else if (reply instanceof PartitionReply.Refused refused) {
        refuseAll(
            refused.reason() == Refusal.CLOSED
                ? Answers.unusable(connection.services().routes().table(), partition)
                : Answers.error(refused.reason()));
      } else {
        throw new IllegalStateException("not an answer to an append: " + reply);
      }
    }

    private static void settle(ProduceExchange exchange, PartitionReply.BatchOutcome outcome) {
      if (outcome instanceof PartitionReply.Stored stored) {
        exchange.acknowledge(stored.baseOffset());
      } else if (outcome instanceof PartitionReply.NotStored refused) {
        exchange.refuse(Answers.error(refused));
      }
    }

    @Override
    public ActorRef<?> asked() {
      return partition.actor();
    }

    @Override
    public void onStopped() {
      refuseAll(Answers.unusable(connection.services().routes().table(), partition));
    }

    private void refuseAll(byte[] error) {
      exchanges.forEach(exchange -> exchange.refuse(error));
    }
  }
}
