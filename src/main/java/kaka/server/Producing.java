package kaka.server;

import akka.actor.typed.ActorRef;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import kaka.partition.MemoryBudget;
import kaka.partition.PartitionActor;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionReply;
import kaka.partition.Refusal;
import kaka.protocol.ErrorCode;
import kaka.protocol.ProduceDecoder;
import kaka.protocol.ProtocolException;
import kaka.record.RecordBatch;
import kaka.topic.CompactedRecords;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRoute;

/**
 * A connection's produces: decoded one by one as they are cut, gathered by partition until the socket read is used up, then
 * sent as one message per partition; its reply completes them all.
 */
final class Producing {
  private final Connection connection;
  private final ProduceDecoder decoder = new ProduceDecoder();
  private final Map<PartitionHandle, AppendGroup> groups = new LinkedHashMap<>();

  /** The topic of the last produce: most connections name the same one again and again. */
  private byte[] lastTopic = {};

  private TopicRoute lastRoute;
  private RoutingTable lastTable;

  Producing(Connection connection) {
    this.connection = connection;
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
    RecordBatch batch = decoder.batch(connection.services().clock().millis());
    if (lastRoute.topic().settings().compacts()) {
      Optional<String> problem = CompactedRecords.problemOf(batch);
      if (problem.isPresent()) {
        return FrameExchange.of(bodyBytes, Answers.error(ErrorCode.BAD_REQUEST, problem.get()));
      }
    }
    MemoryBudget memory = connection.services().memory();
    if (!memory.tryReserve(batch.sizeBytes())) {
      return FrameExchange.of(bodyBytes, Answers.noMemory());
    }
    ProduceExchange exchange = new ProduceExchange(bodyBytes);
    exchange.charge(memory, batch.sizeBytes());
    groups.computeIfAbsent(partition, AppendGroup::new).add(batch, exchange);
    return exchange;
  }

  /** Sends what was gathered. */
  void dispatch() {
    if (groups.isEmpty()) {
      return;
    }
    for (AppendGroup group : groups.values()) {
      long id = connection.expect(new InFlight(group));
      group.partition().actor().tell(new PartitionActor.Append(group.batches(), id, connection.partitionReplies()));
    }
    groups.clear();
  }

  private final class InFlight implements ReplyTarget {
    private final AppendGroup group;

    InFlight(AppendGroup group) {
      this.group = group;
    }

    @Override
    public void onPartitionReply(PartitionReply reply) {
      if (reply instanceof PartitionReply.Appended appended) {
        for (int i = 0; i < group.exchanges().size(); i++) {
          group.exchanges().get(i).acknowledge(appended.baseOffsets().get(i));
        }
      } else if (reply instanceof PartitionReply.PartlyAppended partly) {
        for (int i = 0; i < group.exchanges().size(); i++) {
          settle(group.exchanges().get(i), partly.outcomes().get(i));
        }
      } else if (reply instanceof PartitionReply.Refused refused) {
        refuseAll(
            refused.reason() == Refusal.CLOSED
                ? Answers.unusable(connection.services().routes().table(), group.partition())
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
      return group.partition().actor();
    }

    @Override
    public void onStopped() {
      refuseAll(Answers.unusable(connection.services().routes().table(), group.partition()));
    }

    private void refuseAll(byte[] error) {
      group.exchanges().forEach(exchange -> exchange.refuse(error));
    }
  }
}
