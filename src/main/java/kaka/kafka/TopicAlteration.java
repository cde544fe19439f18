package kaka.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import kaka.connection.Exchange;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicReply;
import kaka.topic.TopicRoute;
import kaka.topic.TopicSettings;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * One resource whose settings are to be changed; only a topic's can be.
 *
 * @param changes name to new value, or to nothing for the broker's, given the topic's own; {@link IllegalArgumentException} if
 *     they make no sense
 * @param onError called if they are not changed
 */
record TopicAlteration(
    byte resourceType,
    String name,
    UnaryOperator<Map<String, String>> changes,
    BiConsumer<Errors, String> onError) {

  /** The exchange that makes the alterations, each for itself, and then gives {@code response}. */
  static Exchange answer(Call call, List<TopicAlteration> alterations, boolean isValidateOnly, ApiMessage response) {
    return call.side()
        .blockOn(
            new Answer(
                call,
                answer -> {
                  Questions questions = new Questions(call);
                  alterations.forEach(each -> each.make(call, questions, isValidateOnly));
                  questions.whenAnswered(() -> answer.complete(response));
                }));
  }

  private void make(Call call, Questions questions, boolean isValidateOnly) {
    if (ConfigResource.Type.forId(resourceType) != ConfigResource.Type.TOPIC) {
      onError.accept(Errors.INVALID_REQUEST, "only settings of topics can be changed; the broker's are in its configuration file");
      return;
    }
    Optional<TopicRoute> route = call.topics().table().find(name);
    if (route.isEmpty()) {
      onError.accept(Errors.UNKNOWN_TOPIC_OR_PARTITION, "no topic '" + name + "'");
      return;
    }
    Map<String, String> wanted;
    try {
      Map<String, String> own = route.get().topic().settings().values();
      wanted = changes.apply(own);
      Map<String, String> result = new HashMap<>(own);
      result.putAll(wanted);
      result.values().removeIf(String::isEmpty);
      new TopicSettings(result).over(call.services().brokerLog());
    } catch (IllegalArgumentException e) {
      onError.accept(Errors.INVALID_CONFIG, e.getMessage());
      return;
    }
    if (!isValidateOnly) {
      questions.askRegistry(
          id -> new TopicRegistry.AlterTopic(name, wanted, id, call.connection().topicReplies()), this::settle);
    }
  }

  private void settle(Optional<TopicReply> reply) {
    if (reply.isEmpty()) {
      onError.accept(Errors.NOT_CONTROLLER, "topics cannot be changed now");
    } else if (reply.get() instanceof TopicReply.TopicRefused refused) {
      onError.accept(KafkaErrors.of(refused.reason(), Errors.INVALID_CONFIG), refused.message());
    }
  }
}
