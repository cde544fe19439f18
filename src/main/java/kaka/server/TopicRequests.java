package kaka.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import kaka.connection.AwaitedExchange;
import kaka.connection.ClientText;
import kaka.connection.Connection;
import kaka.connection.ConnectionServices;
import kaka.connection.Exchange;
import kaka.connection.FrameExchange;
import kaka.connection.ServerConfig;
import kaka.log.LogSnapshot;
import kaka.log.StaleSnapshotException;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.partition.PartitionView;
import kaka.protocol.AddPartitions;
import kaka.protocol.AlterTopic;
import kaka.protocol.AlterTopicReply;
import kaka.protocol.CreateTopic;
import kaka.protocol.DeleteTopic;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.Hello;
import kaka.protocol.HelloReply;
import kaka.protocol.Metadata;
import kaka.protocol.MetadataReply;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicRoute;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The requests that are no data: who is there, which topics, their state, and what changes them. */
final class TopicRequests {
  private static final Logger LOG = LoggerFactory.getLogger(TopicRequests.class);

  /** What an entry of METADATA or DESCRIBE_TOPIC takes without its text. */
  private static final int ENTRY_BYTES = 48;

  private final Connection connection;

  TopicRequests(Connection connection) {
    this.connection = connection;
  }

  Exchange hello(Hello hello, int bodyBytes) {
    connection.quota().introduced(hello.clientId());
    if (LOG.isDebugEnabled()) {
      String software = ClientText.inLog(hello.software());
      LOG.debug("hello peer={} client_id={} software={}", connection.peer(), ClientText.inLog(hello.clientId()), software);
    }
    if (!hello.isVersionSupported()) {
      String versions = "versions " + hello.minVersion() + " to " + hello.maxVersion() + ", this broker speaks " + Hello.VERSION;
      return FrameExchange.of(bodyBytes, Answers.error(ErrorCode.UNSUPPORTED, versions));
    }
    ConnectionServices services = connection.services();
    ServerConfig config = services.config();
    HelloReply reply =
        new HelloReply(
            Hello.VERSION,
            config.windowRequests(),
            config.windowBytes(),
            config.maxFrameBytes(),
            config.maxFetchBytes(),
            services.brokerId(),
            services.brokerVersion());
    return hello.wantsProducerId()
        ? new ProducerIdExchange(connection, reply, bodyBytes)
        : FrameExchange.of(bodyBytes, reply.toFrame());
  }

  Exchange metadata(Metadata metadata, int bodyBytes) {
    return new ChargedExchange(
        bodyBytes,
        connection,
        () -> costOf(metadata),
        () -> {
          RoutingTable table = connection.services().routes().table();
          List<MetadataReply.Topic> topics = new ArrayList<>();
          if (metadata.topics().isEmpty()) {
            table.all().forEach(route -> topics.add(found(route)));
          }
          for (String name : metadata.topics()) {
            topics.add(
                table
                    .find(name)
                    .map(TopicRequests::found)
                    .orElseGet(() -> MetadataReply.Topic.failed(name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)));
          }
          return new MetadataReply(topics).toFrame();
        });
  }

  private long costOf(Metadata metadata) {
    long cost = 0;
    if (metadata.topics().isEmpty()) {
      for (TopicRoute route : connection.services().routes().table().all()) {
        cost += costOf(route.topic().name().length());
      }
    }
    for (String name : metadata.topics()) {
      cost += costOf(name.length());
    }
    return cost;
  }

  /** What an entry of an answer with such a text in it takes: as an object, in the frame, and in the frame while it grows. */
  private static long costOf(int textLength) {
    return 4L * (ENTRY_BYTES + textLength);
  }

  private static MetadataReply.Topic found(TopicRoute route) {
    return MetadataReply.Topic.of(route.topic().name(), route.topic().id(), route.topic().partitionCount());
  }

  Exchange describe(DescribeTopic describe, int bodyBytes) {
    return new ChargedExchange(
        bodyBytes,
        connection,
        () -> costOf(describe),
        () ->
            connection
                .services()
                .routes()
                .table()
                .find(describe.topic())
                .map(route -> description(route).toFrame())
                .orElseGet(() -> unknown(describe.topic())));
  }

  private long costOf(DescribeTopic describe) {
    RoutingTable table = connection.services().routes().table();
    int noticeLength = connection.services().routes().notice().length();
    long cost = 0;
    for (PartitionHandle partition : table.find(describe.topic()).map(TopicRoute::partitions).orElse(List.of())) {
      cost += costOf(Math.max(noticeLength, partition.view().reason().length()));
    }
    return cost;
  }

  private DescribeTopicReply description(TopicRoute route) {
    Map<String, String> own = route.topic().settings().values();
    List<DescribeTopicReply.Setting> settings = new ArrayList<>();
    route
        .topic()
        .settings()
        .effective(connection.services().brokerLog())
        .forEach(
            (name, value) ->
                settings.add(
                    new DescribeTopicReply.Setting(
                        name,
                        value,
                        own.containsKey(name)
                            ? DescribeTopicReply.Source.TOPIC
                            : DescribeTopicReply.Source.BROKER_DEFAULT)));
    List<DescribeTopicReply.Partition> partitions = new ArrayList<>();
    String notice = connection.services().routes().notice();
    route.partitions().forEach(handle -> partitions.add(partition(handle, notice)));
    return new DescribeTopicReply(route.topic().id(), settings, partitions);
  }

  private static DescribeTopicReply.Partition partition(PartitionHandle handle, String notice) {
    PartitionView view = handle.view();
    Optional<LogSnapshot> snapshot = view.snapshot();
    return new DescribeTopicReply.Partition(
        handle.id().partition(),
        stateOf(view.state()),
        snapshot.map(LogSnapshot::logStartOffset).orElse(0L),
        snapshot.map(LogSnapshot::lastStableOffset).orElse(0L),
        snapshot.map(LogSnapshot::sizeBytes).orElse(0L),
        view.reason().isEmpty() ? notice : view.reason());
  }

  private static DescribeTopicReply.State stateOf(PartitionState state) {
    return switch (state) {
      case OPENING -> DescribeTopicReply.State.OPENING;
      case WRITABLE -> DescribeTopicReply.State.WRITABLE;
      case FAILED -> DescribeTopicReply.State.FAILED;
    };
  }

  /** @param onDone called when the registry has answered, which is asked when the request's turn comes */
  Exchange create(CreateTopic create, int bodyBytes, Runnable onDone) {
    return RegistryAsking.exchange(
        connection,
        bodyBytes,
        (id, replyTo) ->
            new TopicRegistry.CreateTopic(create.topic(), create.partitions(), create.settings(), id, replyTo),
        RegistryAsking::created,
        onDone);
  }

  /** As {@link #create}. */
  Exchange addPartitions(AddPartitions add, int bodyBytes, Runnable onDone) {
    return RegistryAsking.exchange(
        connection,
        bodyBytes,
        (id, replyTo) -> new TopicRegistry.AddPartitions(add.topic(), add.partitions(), id, replyTo),
        RegistryAsking::grown,
        onDone);
  }

  /** As {@link #create}. */
  Exchange alter(AlterTopic alter, int bodyBytes, Runnable onDone) {
    return RegistryAsking.exchange(
        connection,
        bodyBytes,
        (id, replyTo) -> new TopicRegistry.AlterTopic(alter.topic(), alter.changes(), id, replyTo),
        route -> new AlterTopicReply().toFrame(),
        onDone);
  }

  /** As {@link #create}. */
  Exchange delete(DeleteTopic delete, int bodyBytes, Runnable onDone) {
    return RegistryAsking.exchange(
        connection,
        bodyBytes,
        (id, replyTo) -> new TopicRegistry.DeleteTopic(delete.topic(), id, replyTo),
        route -> {
          throw new IllegalStateException("a deletion leaves no topic");
        },
        onDone);
  }

  /** Reads the disk, and so is looked up off the connection's thread; not before its turn, so that it sees the produces before it. */
  Exchange offsetForTime(PartitionHandle partition, OffsetForTime request, int bodyBytes) {
    return new AwaitedExchange(bodyBytes, exchange -> lookUp(partition, request.timestampMs(), exchange));
  }

  private void lookUp(PartitionHandle partition, long timestampMs, AwaitedExchange exchange) {
    Optional<LogSnapshot> view = partition.view().snapshot();
    if (view.isEmpty()) {
      exchange.complete(Answers.unusable(connection.services().routes().table(), partition));
      return;
    }
    LogSnapshot snapshot = view.get();
    if (timestampMs == OffsetForTime.EARLIEST) {
      exchange.complete(new OffsetForTimeReply(snapshot.logStartOffset()).toFrame());
    } else if (timestampMs == OffsetForTime.LATEST) {
      exchange.complete(new OffsetForTimeReply(snapshot.lastStableOffset()).toFrame());
    } else {
      connection.read(
          () -> exchange.hasEnded() ? OptionalLong.empty() : snapshot.committed().offsetForTime(timestampMs),
          (OptionalLong found) ->
              exchange.complete(new OffsetForTimeReply(found.orElse(snapshot.lastStableOffset())).toFrame()),
          failure -> onLookUpFailed(partition, timestampMs, exchange, snapshot, failure));
    }
  }

  private void onLookUpFailed(
      PartitionHandle partition, long timestampMs, AwaitedExchange exchange, LogSnapshot snapshot, Throwable failure) {
    boolean isStale = failure instanceof StaleSnapshotException;
    if (isStale && !partition.view().snapshot().equals(Optional.of(snapshot))) {
      lookUp(partition, timestampMs, exchange); // retention took a segment meanwhile: there is a newer snapshot
    } else {
      exchange.complete(Answers.error(ErrorCode.STORAGE, partition.id() + ": " + failure.getMessage()));
    }
  }

  static byte[] unknown(String topic) {
    return Answers.error(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no topic '" + topic + "'");
  }
}
