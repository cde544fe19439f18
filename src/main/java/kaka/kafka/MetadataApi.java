package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.BatchCheck;
import kaka.connection.Exchange;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.record.Allowance;
import kaka.topic.TopicName;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopicCollection;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** METADATA: where to connect to, and which topics there are; a topic that is named and does not exist is created, if that is allowed. */
final class MetadataApi implements Api {
  /** Version 0 has no other way of asking for all topics than naming none. */
  private static final int FIRST_WITH_NO_TOPICS = 1;

  private static final int FIRST_WITH_AUTO_CREATION_FLAG = 4;

  /** What a topic and a partition take as objects, roughly. */
  private static final int TOPIC_BYTES = 256;

  private static final int PARTITION_BYTES = 160;

  /** A response that takes more is not made on the connection's thread. */
  private static final int FEW_BYTES = 256 << 10;

  @Override
  public Exchange handle(Call call) {
    MetadataRequestData request = call.request(MetadataRequestData.class);
    List<String> missing = request.topics() == null ? List.of() : missing(call, request);
    return missing.isEmpty()
        ? new Answer(call, answer -> answer(call, request, answer))
        : call.side().blockOn(new Answer(call, answer -> create(call, missing, () -> answer(call, request, answer))));
  }

  private static List<String> missing(Call call, MetadataRequestData request) {
    if (call.version() >= FIRST_WITH_AUTO_CREATION_FLAG && !request.allowAutoTopicCreation()) {
      return List.of();
    }
    List<String> missing = new ArrayList<>();
    for (MetadataRequestTopic topic : request.topics()) {
      boolean isNew = topic.name() != null && !Topics.isById(topic.topicId()) && TopicName.problemOf(topic.name()).isEmpty();
      if (isNew && call.topics().table().find(topic.name()).isEmpty()) {
        missing.add(topic.name());
      }
    }
    return missing;
  }

  /** The registry creates them, or says why it does not; what became of each is then seen in the table. */
  private static void create(Call call, List<String> names, Runnable then) {
    Questions questions = new Questions(call);
    for (String name : names) {
      questions.askRegistry(id -> new TopicRegistry.EnsureTopic(name, 0, id, call.connection().topicReplies()), reply -> {});
    }
    questions.whenAnswered(then);
  }

  private static void answer(Call call, MetadataRequestData request, Answer answer) {
    List<Found> found = new ArrayList<>();
    boolean isAll =
        request.topics() == null || call.version() < FIRST_WITH_NO_TOPICS && request.topics().isEmpty();
    Topics topics = call.topics();
    if (isAll) {
      topics.table().all().forEach(route -> found.add(new Found(route.topic().name(), Uuid.ZERO_UUID, Optional.of(route))));
    } else {
      for (MetadataRequestTopic topic : request.topics()) {
        found.add(new Found(topic.name(), topic.topicId(), topics.find(topic.name() == null ? "" : topic.name(), topic.topicId())));
      }
    }
    long cost = found.stream().mapToLong(Found::costBytes).sum();
    Making making = new Making(call, found);
    if (cost > FEW_BYTES) {
      answer.make(cost, making);
    } else if (answer.reserve(cost)) {
      found.forEach(making::add);
      answer.complete(making.response);
    }
  }

  private record Found(String name, Uuid id, Optional<TopicRoute> route) {
    long costBytes() {
      return TOPIC_BYTES + route.map(found -> found.partitions().size()).orElse(0) * (long) PARTITION_BYTES;
    }
  }

  /** The response, a topic a step. */
  private static final class Making implements BatchCheck<ApiMessage> {
    private final Call call;
    private final List<Found> topics;
    private final MetadataResponseData response = new MetadataResponseData();
    private MetadataResponseTopicCollection added; // made with the first, for then there is memory for it

    Making(Call call, List<Found> topics) {
      this.call = call;
      this.topics = topics;
      response.setClusterId(Node.clusterId(call)).setControllerId(Node.ID);
      response.brokers().add(new MetadataResponseBroker().setNodeId(Node.ID).setHost(call.host()).setPort(call.port()));
    }

    void add(Found found) {
      if (added == null) {
        added = new MetadataResponseTopicCollection(Places.room(topics.size()));
        response.setTopics(added);
      }
      MetadataResponseTopic topic = found.route().map(MetadataApi::topic).orElseGet(() -> unknown(call, found));
      Places.add(added, topic, MetadataResponseTopic::setName, topic.name());
    }

    @Override
    public boolean next(Allowance allowance) {
      Found found = topics.get(response.topics().size());
      allowance.worked(found.costBytes()); // first: what it throws ends this step before it has done anything
      add(found);
      return response.topics().size() < topics.size();
    }

    @Override
    public ApiMessage result(Allowance allowance) {
      return response;
    }
  }

  private static MetadataResponseTopic topic(TopicRoute route) {
    List<MetadataResponsePartition> partitions = new ArrayList<>(route.partitions().size());
    for (PartitionHandle handle : route.partitions()) {
      partitions.add(partition(handle));
    }
    return new MetadataResponseTopic()
        .setName(route.topic().name())
        .setTopicId(Topics.id(route.topic().id()))
        .setPartitions(partitions);
  }

  private static MetadataResponsePartition partition(PartitionHandle handle) {
    boolean isOpening = handle.view().state() == PartitionState.OPENING;
    return new MetadataResponsePartition()
        .setPartitionIndex(handle.id().partition())
        .setErrorCode((isOpening ? Errors.LEADER_NOT_AVAILABLE : Errors.NONE).code())
        .setLeaderId(isOpening ? -1 : Node.ID)
        .setLeaderEpoch(isOpening ? -1 : Node.LEADER_EPOCH)
        .setReplicaNodes(List.of(Node.ID))
        .setIsrNodes(List.of(Node.ID));
  }

  private static MetadataResponseTopic unknown(Call call, Found topic) {
    boolean isById = Topics.isById(topic.id()); // then the name is null, or empty, and not looked at
    Errors error =
        !isById && topic.name() != null && TopicName.problemOf(topic.name()).isPresent()
            ? Errors.INVALID_TOPIC_EXCEPTION
            : Topics.unknown(topic.id());
    boolean isNullable = call.version() >= 12; // where a topic that was asked for by id may stay without a name
    return new MetadataResponseTopic()
        .setErrorCode(error.code())
        .setName(isNullable && isById ? null : topic.name() == null ? "" : topic.name())
        .setTopicId(topic.id());
  }
}
