package kaka.kafka;

import java.util.List;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicReply;
import kaka.topic.TopicRoute;
import kaka.topic.TopicsConfig;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** CREATE_PARTITIONS: a topic grows; answered when the new partitions have opened. */
final class CreatePartitionsApi implements Api {
  @Override
  public Exchange handle(Call call) {
    return call.side().blockOn(new Answer(call, answer -> create(call, answer)));
  }

  private static void create(Call call, Answer answer) {
    CreatePartitionsRequestData request = call.request(CreatePartitionsRequestData.class);
    CreatePartitionsResponseData response = new CreatePartitionsResponseData();
    Questions questions = new Questions(call);
    Topics topics = call.topics();
    for (CreatePartitionsTopic topic : request.topics()) {
      CreatePartitionsTopicResult result = new CreatePartitionsTopicResult().setName(topic.name()).setErrorMessage(null);
      response.results().add(result);
      if (isFit(topic, topics.table().find(topic.name()), result) && !request.validateOnly()) {
        questions.askRegistry(
            id -> new TopicRegistry.AddPartitions(topic.name(), topic.count(), id, call.connection().topicReplies()),
            reply -> settle(result, reply));
      }
    }
    questions.whenAnswered(() -> answer.complete(response));
  }

  private static boolean isFit(CreatePartitionsTopic topic, Optional<TopicRoute> route, CreatePartitionsTopicResult result) {
    if (route.isEmpty()) {
      return fail(result, Errors.UNKNOWN_TOPIC_OR_PARTITION, "no topic '" + topic.name() + "'");
    }
    int present = route.get().partitions().size();
    if (topic.count() <= present || topic.count() > TopicsConfig.MAX_PARTITIONS) {
      String what = topic.count() + " partitions: more than the " + present + " there are, at most " + TopicsConfig.MAX_PARTITIONS;
      return fail(result, Errors.INVALID_PARTITIONS, what);
    }
    boolean isOurs =
        topic.assignments() == null
            || topic.assignments().size() == topic.count() - present
                && topic.assignments().stream().allMatch(each -> each.brokerIds().equals(List.of(Node.ID)));
    return isOurs
        || fail(result, Errors.INVALID_REPLICA_ASSIGNMENT, "each new partition on broker " + Node.ID + " alone");
  }

  private static boolean fail(CreatePartitionsTopicResult result, Errors error, String message) {
    result.setErrorCode(error.code()).setErrorMessage(message);
    return false;
  }

  private static void settle(CreatePartitionsTopicResult result, Optional<TopicReply> reply) {
    if (reply.isEmpty()) {
      fail(result, Errors.NOT_CONTROLLER, "topics cannot be changed now");
    } else if (reply.get() instanceof TopicReply.TopicRefused refused) {
      fail(result, KafkaErrors.of(refused.reason(), Errors.INVALID_PARTITIONS), refused.message());
    }
  }
}
