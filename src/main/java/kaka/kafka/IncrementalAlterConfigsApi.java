package kaka.kafka;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import kaka.connection.Exchange;
import kaka.topic.TopicSettings;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;

/** INCREMENTAL_ALTER_CONFIGS: settings of a topic are set, go back to the broker's, or, if they are lists, gain or lose entries. */
final class IncrementalAlterConfigsApi implements Api {
  @Override
  public Exchange handle(Call call) {
    IncrementalAlterConfigsRequestData request = call.request(IncrementalAlterConfigsRequestData.class);
    IncrementalAlterConfigsResponseData response = new IncrementalAlterConfigsResponseData();
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
    for (AlterableConfig config : resource.configs()) {
      String value = config.value() == null ? "" : config.value();
      OpType operation = OpType.forId(config.configOperation());
      if (operation == null) {
        throw new IllegalArgumentException("operation " + config.configOperation() + " on " + config.name());
      }
      boolean isTwice = changes.put(config.name(), changed(own, config.name(), value, operation)) != null;
      if (isTwice) {
        throw new IllegalArgumentException(config.name() + " is changed twice");
      }
    }
    return changes;
  }

  private static String changed(Map<String, String> own, String name, String value, OpType operation) {
    return switch (operation) {
      case SET -> value;
      case DELETE -> "";
      case APPEND, SUBTRACT -> {
        if (!name.equals(TopicSettings.CLEANUP_POLICY)) {
          throw new IllegalArgumentException(name + " is no list, nothing can be added or taken away");
        }
        Set<String> entries = new LinkedHashSet<>(Arrays.asList(own.getOrDefault(name, "delete").split(",")));
        List<String> named = Arrays.asList(value.split(","));
        if (operation == OpType.APPEND) {
          entries.addAll(named);
        } else {
          named.forEach(entries::remove);
        }
        yield String.join(",", entries);
      }
    };
  }
}
