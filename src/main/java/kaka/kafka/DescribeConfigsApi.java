package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.Exchange;
import kaka.topic.TopicName;
import kaka.topic.TopicRoute;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;

/** DESCRIBE_CONFIGS: a topic's settings, and the few of the broker's that Kafka has a name for, which can only be read. */
final class DescribeConfigsApi implements Api {
  /** What a topic's settings take as objects, roughly. */
  private static final int RESOURCE_BYTES = 4 << 10;

  @Override
  public Exchange handle(Call call) {
    return new Answer(
        call,
        answer -> {
          DescribeConfigsRequestData request = call.request(DescribeConfigsRequestData.class);
          if (answer.reserve((long) request.resources().size() * RESOURCE_BYTES)) {
            DescribeConfigsResponseData response = new DescribeConfigsResponseData();
            request.resources().forEach(resource -> response.results().add(describe(call, request, resource)));
            answer.complete(response);
          }
        });
  }

  private static DescribeConfigsResult describe(
      Call call, DescribeConfigsRequestData request, DescribeConfigsResource resource) {
    DescribeConfigsResult result =
        new DescribeConfigsResult()
            .setResourceType(resource.resourceType())
            .setResourceName(resource.resourceName())
            .setErrorMessage(null);
    ConfigResource.Type type = ConfigResource.Type.forId(resource.resourceType());
    if (type == ConfigResource.Type.TOPIC) {
      return describeTopic(call, request, resource, result);
    }
    boolean isBroker = resource.resourceName().isEmpty() || resource.resourceName().equals(Integer.toString(Node.ID));
    if (type != ConfigResource.Type.BROKER || !isBroker) {
      return fail(result, Errors.INVALID_REQUEST, "settings of topics, and of broker " + Node.ID);
    }
    for (BrokerConfigs.BrokerConfig config : BrokerConfigs.of(call)) {
      if (isWanted(resource, config.name())) {
        result
            .configs()
            .add(
                new DescribeConfigsResourceResult()
                    .setName(config.name())
                    .setValue(config.value())
                    .setReadOnly(true)
                    .setConfigType(config.type().id())
                    .setConfigSource(ConfigSource.STATIC_BROKER_CONFIG.id()));
      }
    }
    return result;
  }

  private static DescribeConfigsResult describeTopic(
      Call call, DescribeConfigsRequestData request, DescribeConfigsResource resource, DescribeConfigsResult result) {
    Optional<TopicRoute> route = call.topics().table().find(resource.resourceName());
    if (route.isEmpty()) {
      return TopicName.problemOf(resource.resourceName())
          .map(problem -> fail(result, Errors.INVALID_TOPIC_EXCEPTION, problem))
          .orElseGet(() -> fail(result, Errors.UNKNOWN_TOPIC_OR_PARTITION, "no topic '" + resource.resourceName() + "'"));
    }
    for (TopicConfigs.TopicConfig config : TopicConfigs.of(route.get().topic().settings(), call.services())) {
      if (isWanted(resource, config.name())) {
        result
            .configs()
            .add(
                new DescribeConfigsResourceResult()
                    .setName(config.name())
                    .setValue(config.value())
                    .setConfigType(config.type().id())
                    .setConfigSource(config.source().id())
                    .setSynonyms(request.includeSynonyms() ? synonyms(config) : List.of()));
      }
    }
    return result;
  }

  private static boolean isWanted(DescribeConfigsResource resource, String name) {
    return resource.configurationKeys() == null
        || resource.configurationKeys().isEmpty()
        || resource.configurationKeys().contains(name);
  }

  /** Where a value comes from: the topic's own, if there is one, then the default. */
  private static List<DescribeConfigsSynonym> synonyms(TopicConfigs.TopicConfig config) {
    List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
    if (config.source() == ConfigSource.TOPIC_CONFIG) {
      synonyms.add(synonym(config.name(), config.value(), ConfigSource.TOPIC_CONFIG));
    }
    synonyms.add(synonym(config.name(), config.brokerDefault(), ConfigSource.DEFAULT_CONFIG));
    return synonyms;
  }

  private static DescribeConfigsSynonym synonym(String name, String value, ConfigSource source) {
    return new DescribeConfigsSynonym().setName(name).setValue(value).setSource(source.id());
  }

  private static DescribeConfigsResult fail(DescribeConfigsResult result, Errors error, String message) {
    return result.setErrorCode(error.code()).setErrorMessage(message);
  }
}
