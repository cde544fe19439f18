package kaka.server;

import akka.actor.typed.ActorRef;
import java.util.Optional;
import java.util.function.Consumer;
import kaka.connection.Connection;
import kaka.connection.ConnectionInput;
import kaka.connection.Exchange;
import kaka.connection.ExchangeQueue;
import kaka.connection.FrameExchange;
import kaka.connection.Intake;
import kaka.connection.ReplyTarget;
import kaka.log.CleanUp;
import kaka.metrics.Protocol;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.protocol.AddPartitions;
import kaka.protocol.AlterTopic;
import kaka.protocol.CreateTopic;
import kaka.protocol.DeleteRecords;
import kaka.protocol.DeleteTopic;
import kaka.protocol.DescribeTopic;
import kaka.protocol.ErrorCode;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.FrameCutter;
import kaka.protocol.Hello;
import kaka.protocol.MessageType;
import kaka.protocol.Metadata;
import kaka.protocol.OffsetForTime;
import kaka.protocol.ProtocolException;
import kaka.protocol.Request;
import kaka.protocol.Requests;
import kaka.record.TopicPartition;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicReply;
import kaka.topic.TopicRoute;

/**
 * Makes an {@link Exchange} of every request of a connection. One that changes which topics there are is blocked on: what
 * comes behind it is not even cut from the stream before it is done, so requests take effect in their order.
 */
final class RequestIntake implements Intake {
  /**
   * A request that is no produce may take so much for nothing, if none stands before it, so that every connection can at least
   * ask; all others are charged.
   */
  private static final int FREE_BYTES = 4 << 10;

  /** Such a request is decoded to objects, and its answer has more per topic than the request: about this much in all. */
  private static final int COST_PER_BYTE = 4;

  /** What the objects of the smallest request and its answer take, about. */
  private static final int REQUEST_COST = 512;

  private final Connection connection;
  private final ExchangeQueue exchanges;
  private final Producing producing;
  private final TopicRequests topicRequests;
  private final GroupRequests groupRequests;
  private boolean blocked;

  /** Charged for the produce that waits for the registry. */
  private long blockedBytes;

  /** Charged for the request that was taken and is no exchange yet. */
  private long takenBytes;

  RequestIntake(Connection connection, ConnectionInput input, ExchangeQueue exchanges) {
    this.connection = connection;
    this.exchanges = exchanges;
    this.producing = new Producing(connection, input);
    this.topicRequests = new TopicRequests(connection);
    this.groupRequests = new GroupRequests(connection);
  }

  /** Whether no more may be taken until the registry has answered. */
  @Override
  public boolean isBlocked() {
    return blocked;
  }

  @Override
  public void take(FrameCutter frame) {
    take(frame.type(), frame.array(), frame.bodyFrom(), frame.bodyTo());
  }

  /** Sends the produces that were gathered to their partitions. */
  @Override
  public void dispatch() {
    producing.dispatch();
  }

  @Override
  public Optional<byte[]> framingLost(ProtocolException reason) {
    return Optional.of(RefusalCount.count(connection, Answers.error(reason)));
  }

  @Override
  public Optional<byte[]> noMemory() {
    return Optional.of(RefusalCount.count(connection, Answers.noMemory()));
  }

  @Override
  public void end() {
    CleanUp cleanUp = new CleanUp();
    cleanUp.step(this::unblock);
    cleanUp.step(this::giveBackTaken);
    cleanUp.step(producing::end);
    cleanUp.end();
  }

  private void giveBackTaken() {
    long bytes = takenBytes;
    takenBytes = 0;
    connection.services().memory().release(bytes);
  }

  private void take(int type, byte[] array, int from, int to) {
    int bodyBytes = to - from;
    exchanges.taking(connection.services().metrics().requests().kind(Protocol.NATIVE, type, MessageType::nameOf));
    try {
      if (connection.isDraining()) {
        refuse(bodyBytes, ErrorCode.SHUTTING_DOWN, "the broker is stopping");
      } else if (type == MessageType.PRODUCE || type == MessageType.PRODUCE_BATCH) {
        takeProduce(type, array, from, to);
      } else {
        takeOther(type, array, from, to);
      }
    } catch (ProtocolException e) {
      add(refusal(bodyBytes, Answers.error(e)));
    }
  }

  private Exchange refusal(int bodyBytes, byte[] frame) {
    return FrameExchange.of(bodyBytes, RefusalCount.count(connection, frame));
  }

  private void takeProduce(int type, byte[] array, int from, int to) throws ProtocolException {
    producing.start(type, array, from, to);
    try {
      Optional<TopicRoute> route = producing.route();
      int number = producing.partition();
      if (isUsable(route, number)) {
        add(producing.accept(route.get().partitions().get(number), to - from));
      } else {
        resolveProduce(route, new NamedPartition(producing.topic(), number), type, array, from, to);
      }
    } finally {
      producing.taken();
    }
  }

  private void resolveProduce(Optional<TopicRoute> route, NamedPartition named, int type, byte[] array, int from, int to) {
    int bodyBytes = to - from;
    if (!connection.services().memory().tryReserve(bodyBytes)) {
      add(refusal(bodyBytes, Answers.noMemory()));
      return;
    }
    blockedBytes = bodyBytes;
    resolve(route, named, bodyBytes, () -> take(type, array, from, to));
  }

  private void takeOther(int type, byte[] array, int from, int to) throws ProtocolException {
    int bodyBytes = to - from;
    boolean isFree = exchanges.isEmpty() && bodyBytes <= FREE_BYTES;
    long cost = isFree ? 0 : costOf(bodyBytes);
    if (connection.services().memory().tryReserve(cost)) {
      takenBytes = cost;
      takeOther(decode(type, array, from, to), bodyBytes, this::add);
    } else {
      add(refusal(bodyBytes, Answers.noMemory()));
    }
  }

  /** What is charged for a request that is not free, until its answer is written. */
  static long costOf(int bodyBytes) {
    return REQUEST_COST + (long) bodyBytes * COST_PER_BYTE;
  }

  /** Every exchange, once its request is decoded and its partition found, or why not; it takes the request's charge over. */
  private void add(Exchange exchange) {
    if (takenBytes > 0) {
      exchange.charge(connection.services().memory(), takenBytes);
      takenBytes = 0;
    }
    exchanges.add(exchange);
  }

  private Request decode(int type, byte[] array, int from, int to) throws ProtocolException {
    return Requests.decode(type, array, from, to, connection.services().clock().millis());
  }

  private void takeOther(Request request, int bodyBytes, Consumer<Exchange> add) {
    if (request instanceof Fetch fetch) {
      takeFetch(fetch, FetchExchange.Form.RECORDS, bodyBytes);
    } else if (request instanceof FetchBatches batches) {
      takeFetch(batches.fetch(), FetchExchange.Form.BATCHES, bodyBytes);
    } else if (request instanceof OffsetForTime offset) {
      withPartition(
          offset.partition(), bodyBytes, partition -> add.accept(topicRequests.offsetForTime(partition, offset, bodyBytes)));
    } else if (request instanceof Hello hello) {
      add.accept(topicRequests.hello(hello, bodyBytes));
    } else if (request instanceof Metadata metadata) {
      add.accept(topicRequests.metadata(metadata, bodyBytes));
    } else if (request instanceof DescribeTopic describe) {
      add.accept(topicRequests.describe(describe, bodyBytes));
    } else if (request instanceof CreateTopic create) {
      blocked = true;
      add.accept(topicRequests.create(create, bodyBytes, this::unblock));
    } else if (request instanceof DeleteTopic delete) {
      blocked = true;
      add.accept(topicRequests.delete(delete, bodyBytes, this::unblock));
    } else if (request instanceof AddPartitions addPartitions) {
      blocked = true;
      add.accept(topicRequests.addPartitions(addPartitions, bodyBytes, this::unblock));
    } else if (request instanceof AlterTopic alter) {
      blocked = true;
      add.accept(topicRequests.alter(alter, bodyBytes, this::unblock));
    } else if (request instanceof DeleteRecords delete) {
      takeDeletion(delete, bodyBytes, add);
    } else {
      add.accept(groupRequests.take(request, bodyBytes));
    }
  }

  private void takeFetch(Fetch fetch, FetchExchange.Form form, int bodyBytes) {
    withPartition(
        fetch.partition(),
        bodyBytes,
        partition -> add(new FetchExchange(connection, partition, fetch, form, bodyBytes)));
  }

  /** Creates no topic. What comes behind it on the connection must not be among what it deletes. */
  private void takeDeletion(DeleteRecords delete, int bodyBytes, Consumer<Exchange> add) {
    if (connection.services().routes().table().find(delete.partition().topic()).isEmpty()) {
      add.accept(FrameExchange.of(bodyBytes, TopicRequests.unknown(delete.partition().topic())));
      return;
    }
    withPartition(
        delete.partition(),
        bodyBytes,
        partition -> {
          blocked = true;
          add.accept(RecordsDeleting.exchange(connection, partition, delete, bodyBytes, this::unblock));
        });
  }

  private void withPartition(TopicPartition id, int bodyBytes, Consumer<PartitionHandle> then) {
    Optional<TopicRoute> route = connection.services().routes().table().find(id.topic());
    if (isUsable(route, id.partition())) {
      then.accept(route.get().partitions().get(id.partition()));
    } else {
      resolve(
          route, new NamedPartition(id.topic(), id.partition()), bodyBytes, () -> withPartition(id, bodyBytes, then));
    }
  }

  private record NamedPartition(String topic, int number) {}

  private static boolean isUsable(Optional<TopicRoute> route, int number) {
    return route.isPresent()
        && number < route.get().partitions().size()
        && route.get().partitions().get(number).view().state() != PartitionState.OPENING;
  }

  /** The rare case: there is no such topic, or not yet. Blocks until the registry has said what is so, then {@code again}. */
  private void resolve(Optional<TopicRoute> route, NamedPartition named, int bodyBytes, Runnable again) {
    if (route.isPresent() && named.number() >= route.get().partitions().size()) {
      String what = "topic '" + named.topic() + "' has " + route.get().partitions().size() + " partitions, no " + named.number();
      unblock();
      refuse(bodyBytes, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, what);
      return;
    }
    blocked = true;
    long id = connection.expect(new Resolving(bodyBytes, again));
    registry().tell(new TopicRegistry.EnsureTopic(named.topic(), named.number(), id, connection.topicReplies()));
  }

  private void unblock() {
    blocked = false;
    long bytes = blockedBytes;
    blockedBytes = 0;
    connection.services().memory().release(bytes);
  }

  private ActorRef<TopicRegistry.Command> registry() {
    return connection.services().registry();
  }

  private void refuse(int bodyBytes, ErrorCode code, String message) {
    add(refusal(bodyBytes, Answers.error(code, message)));
  }

  private final class Resolving implements ReplyTarget {
    private final int bodyBytes;
    private final Runnable again;

    Resolving(int bodyBytes, Runnable again) {
      this.bodyBytes = bodyBytes;
      this.again = again;
    }

    @Override
    public ActorRef<?> asked() {
      return registry();
    }

    @Override
    public void onTopicReply(TopicReply reply) {
      unblock();
      if (reply instanceof TopicReply.TopicRefused refused) {
        refuse(bodyBytes, Answers.codeOf(refused.reason()), refused.message());
      } else {
        again.run();
      }
    }

    @Override
    public void onStopped() {
      unblock();
      add(FrameExchange.of(bodyBytes, Answers.noRegistry()));
    }
  }
}
