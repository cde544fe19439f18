package kaka.kafka;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.topic.Topic;
import kaka.topic.TopicName;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicReply;
import kaka.topic.TopicSettings;
import kaka.topic.TopicsConfig;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResultCollection;
import org.apache.kafka.common.protocol.Errors;

/** CREATE_TOPICS: each by the registry, and answered when its partitions have opened. */
final class CreateTopicsApi implements Api {
  private static final int DEFAULT = -1;

  /** Before, nobody is told of a topic's settings. */
  private static final int FIRST_WITH_SETTINGS = 5;

  /** What a topic's settings take in an answer, as objects: some thirty. */
  private static final int SETTINGS_BYTES = 4 << 10;

  @Override
  public Exchange handle(Call call) {
    return call.side().blockOn(new Answer(call, answer -> create(call, answer)));
  }

  private static void create(Call call, Answer answer) {
    CreateTopicsRequestData request = call.request(CreateTopicsRequestData.class);
    CreateTopicsResponseData response =
        new CreateTopicsResponseData().setTopics(new CreatableTopicResultCollection(Places.room(request.topics().size())));
    Map<String, Integer> counts = new HashMap<>();
    request.topics().forEach(topic -> counts.merge(topic.name(), 1, Integer::sum));
    Questions questions = new Questions(call);
    Turns.each(
        call.connection(),
        request.topics(),
        topic -> {
          if (hasSettings(call) && !answer.reserve(SETTINGS_BYTES)) {
            return; // its connection ends
          }
          CreatableTopicResult result = new CreatableTopicResult().setNumPartitions(DEFAULT).setReplicationFactor((short) DEFAULT);
          Places.add(response.topics(), result, CreatableTopicResult::setName, topic.name());
          if (counts.get(topic.name()) > 1) {
            fail(result, Errors.INVALID_REQUEST, "the topic is in the request more than once");
          } else if (isFit(topic, result) && isFitForUs(call, topic, result, request.validateOnly())) {
            create(call, topic, result, questions);
          }
        },
        () -> questions.whenAnswered(() -> answer.complete(response)));
  }

  private static void create(Call call, CreatableTopic topic, CreatableTopicResult result, Questions questions) {
    questions.askRegistry(
        id ->
            new TopicRegistry.CreateTopic(topic.name(), partitionCount(topic), settings(topic), id, call.connection().topicReplies()),
        reply -> settle(call, topic, result, reply));
  }

  private static void fail(CreatableTopicResult result, Errors error, String message) {
    result.setErrorCode(error.code()).setErrorMessage(message);
  }

  /** What is a matter of replicas, which there are none of, and of counts. */
  private static boolean isFit(CreatableTopic topic, CreatableTopicResult result) {
    boolean isAssigned = !topic.assignments().isEmpty();
    if (isAssigned && (topic.numPartitions() != DEFAULT || topic.replicationFactor() != DEFAULT)) {
      fail(result, Errors.INVALID_REQUEST, "both a replica assignment and a number of partitions or replicas");
    } else if (isAssigned && !isOurs(topic)) {
      fail(result, Errors.INVALID_REPLICA_ASSIGNMENT, "partitions 0 and up, each on broker " + Node.ID + " alone");
    } else if (topic.replicationFactor() != DEFAULT && topic.replicationFactor() != 1) {
      fail(result, Errors.INVALID_REPLICATION_FACTOR, "replication factor " + topic.replicationFactor() + ": there is one broker");
    } else if (topic.numPartitions() != DEFAULT && topic.numPartitions() < 1
        || topic.numPartitions() > TopicsConfig.MAX_PARTITIONS
        || topic.assignments().size() > TopicsConfig.MAX_PARTITIONS) {
      fail(result, Errors.INVALID_PARTITIONS, "1 to " + TopicsConfig.MAX_PARTITIONS + " partitions");
    } else {
      return true;
    }
    return false;
  }

  private static boolean isOurs(CreatableTopic topic) {
    int count = topic.assignments().size();
    BitSet assigned = new BitSet(count);
    for (CreatableReplicaAssignment assignment : topic.assignments()) {
      int index = assignment.partitionIndex();
      if (index < 0 || index >= count || !assignment.brokerIds().equals(List.of(Node.ID))) {
        return false;
      }
      assigned.set(index);
    }
    return assigned.cardinality() == count;
  }

  private static boolean isFitForUs(
      Call call, CreatableTopic topic, CreatableTopicResult result, boolean isValidateOnly) {
    Optional<String> problem = TopicName.problemOf(topic.name());
    if (problem.isPresent()) {
      fail(result, Errors.INVALID_TOPIC_EXCEPTION, problem.get());
      return false;
    }
    TopicSettings settings;
    try {
      settings = new TopicSettings(settings(topic));
      settings.over(call.services().brokerLog());
    } catch (IllegalArgumentException e) {
      fail(result, Errors.INVALID_CONFIG, e.getMessage());
      return false;
    }
    if (isValidateOnly) {
      if (call.topics().table().find(topic.name()).isPresent()) {
        fail(result, Errors.TOPIC_ALREADY_EXISTS, "topic '" + topic.name() + "' exists");
      } else {
        describe(call, result, settings);
      }
    }
    return !isValidateOnly;
  }

  /** 0 is the broker's default for the registry. */
  private static int partitionCount(CreatableTopic topic) {
    return topic.assignments().isEmpty() ? Math.max(0, topic.numPartitions()) : topic.assignments().size();
  }

  private static Map<String, String> settings(CreatableTopic topic) {
    Map<String, String> settings = new HashMap<>();
    topic.configs().forEach(config -> settings.put(config.name(), config.value() == null ? "" : config.value()));
    return settings;
  }

  private static void settle(Call call, CreatableTopic asked, CreatableTopicResult result, Optional<TopicReply> reply) {
    if (reply.isPresent() && reply.get() instanceof TopicReply.Ready ready) {
      Topic topic = ready.route().topic();
      result.setTopicId(Topics.id(topic.id())).setNumPartitions(topic.partitionCount()).setReplicationFactor((short) 1);
      describe(call, result, topic.settings());
    } else if (reply.isPresent() && reply.get() instanceof TopicReply.TopicRefused refused) {
      fail(result, KafkaErrors.of(refused.reason(), Errors.INVALID_REQUEST), refused.message());
    } else {
      fail(result, Errors.NOT_CONTROLLER, "topics cannot be created now");
    }
  }

  private static boolean hasSettings(Call call) {
    return call.version() >= FIRST_WITH_SETTINGS;
  }

  private static void describe(Call call, CreatableTopicResult result, TopicSettings settings) {
    if (!hasSettings(call)) {
      return;
    }
    TopicConfigs.of(settings, call.services())
        .forEach(
            config ->
                result
                    .configs()
                    .add(
                        new CreatableTopicConfigs()
                            .setName(config.name())
                            .setValue(config.value())
                            .setConfigSource(config.source().id())));
  }
}
