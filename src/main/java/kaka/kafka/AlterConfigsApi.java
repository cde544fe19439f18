package kaka.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kaka.connection.Exchange;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;

/** ALTER_CONFIGS, which clients no longer send: a topic's settings are what is named, all others go back to the broker's. */
final class AlterConfigsApi implements Api {
  @Override
  public Exchange handle(Call call) {
    AlterConfigsRequestData request = call.request(AlterConfigsRequestData.class);
    AlterConfigsResponseData response = new AlterConfigsResponseData();
    List<TopicAlteration> alterations = new ArrayList<>();
    for (AlterConfigsResource resource : request.resources()) {
      AlterConfigsResourceResponse result =
          new AlterConfigsResourceResponse()
              .setResourceType(resource.resourceType())
              .setResourceName(resource.resourceName())
              .setErrorMessage(null);
      response.responses().add(result);
      alterations.add(
          new TopicAlteration(
              resource.resourceType(),
              resource.resourceName(),
              own -> changes(own, resource),
              (error, message) -> result.setErrorCode(error.code()).setErrorMessage(message)));
    }
    return TopicAlteration.answer(call, alterations, request.validateOnly(), response);
  }

  private static Map<String, String> changes(Map<String, String> own, AlterConfigsResource resource) {
    Map<String, String> changes = new HashMap<>();
    own.keySet().forEach(name -> changes.put(name, ""));
    resource.configs().forEach(config -> changes.put(config.name(), config.value() == null ? "" : config.value()));
    return changes;
  }
}
