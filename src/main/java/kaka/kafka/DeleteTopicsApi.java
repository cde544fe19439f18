package kaka.kafka;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import kaka.connection.Exchange;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicReply;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResultCollection;
import org.apache.kafka.common.protocol.Errors;

/** DELETE_TOPICS: by name, or, from version 6 on, by id; answered when the files are gone. */
final class DeleteTopicsApi implements Api {
  private static final int FIRST_WITH_IDS = 6;

  @Override
  public Exchange handle(Call call) {
    return call.side().blockOn(new Answer(call, answer -> delete(call, answer)));
  }

  private static void delete(Call call, Answer answer) {
    List<DeleteTopicState> asked = asked(call);
    DeleteTopicsResponseData response =
        new DeleteTopicsResponseData().setResponses(new DeletableTopicResultCollection(Places.room(asked.size())));
    Questions questions = new Questions(call);
    Topics topics = call.topics();
    Set<String> named = new HashSet<>();
    Turns.each(
        call.connection(),
        asked,
        topic -> {
          Optional<TopicRoute> route = topics.find(topic.name() == null ? "" : topic.name(), topic.topicId());
          DeletableTopicResult result = new DeletableTopicResult().setTopicId(topic.topicId());
          Places.add(response.responses(), result, DeletableTopicResult::setName, topic.name());
          if (topic.name() != null && Topics.isById(topic.topicId())) {
            fail(result, Errors.INVALID_REQUEST, "either a name or an id");
          } else if (route.isEmpty()) {
            fail(result, Topics.unknown(topic.topicId()), "no such topic");
          } else if (!named.add(route.get().topic().name())) {
            fail(result, Errors.INVALID_REQUEST, "the topic is in the request more than once");
          } else {
            String name = route.get().topic().name();
            result.setName(name).setTopicId(Topics.id(route.get().topic().id()));
            questions.askRegistry(
                id -> new TopicRegistry.DeleteTopic(name, id, call.connection().topicReplies()),
                reply -> settle(result, reply));
          }
        },
        () -> questions.whenAnswered(() -> answer.complete(response)));
  }

  private static List<DeleteTopicState> asked(Call call) {
    DeleteTopicsRequestData request = call.request(DeleteTopicsRequestData.class);
    if (call.version() >= FIRST_WITH_IDS) {
      return request.topics();
    }
    List<DeleteTopicState> topics = new ArrayList<>();
    request.topicNames().forEach(name -> topics.add(new DeleteTopicState().setName(name).setTopicId(Uuid.ZERO_UUID)));
    return topics;
  }

  private static void settle(DeletableTopicResult result, Optional<TopicReply> reply) {
    if (reply.isEmpty()) {
      fail(result, Errors.NOT_CONTROLLER, "topics cannot be deleted now");
    } else if (reply.get() instanceof TopicReply.TopicRefused refused) {
      fail(result, KafkaErrors.of(refused.reason(), Errors.INVALID_TOPIC_EXCEPTION), refused.message());
    }
  }

  private static void fail(DeletableTopicResult result, Errors error, String message) {
    result.setErrorCode(error.code()).setErrorMessage(message);
  }
}
