package kaka.console;

import akka.actor.typed.ActorRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import kaka.partition.PartitionHandle;
import kaka.partition.PartitionState;
import kaka.record.TopicPartition;
import kaka.topic.RoutingTable;
import kaka.topic.TopicRefusal;
import kaka.topic.TopicRegistry;
import kaka.topic.TopicReply;
import kaka.topic.TopicRoute;

/** Topics and their partitions: lists out of the routing table, and changes that the registry is asked for. */
final class TopicsApi {
  private static final int MAX_PARTITION_COUNT = 1_000_000; // the registry's own bound is lower, and says so

  private final BrokerFacts facts;
  private final ActorRef<TopicRegistry.Command> registry;
  private final Questions questions;

  TopicsApi(BrokerFacts facts, ActorRef<TopicRegistry.Command> registry, Questions questions) {
    this.facts = facts;
    this.registry = registry;
    this.questions = questions;
  }

  // ---------------------------------------------------------------- what there is

  ApiAnswer list(ApiCall call) {
    Paging paging = Paging.of(call, TopicRow.sorts().keySet().toArray(String[]::new));
    List<TopicRow> rows = new ArrayList<>();
    for (TopicRoute route : facts.routes().table().all()) {
      if (paging.takes(route.topic().name())) {
        rows.add(TopicRow.of(route));
      }
    }
    return ApiAnswer.ok(paging.write(new JsonWriter(), rows, TopicRow.sorts(), (out, row) -> row.writeTo(out)));
  }

  ApiAnswer one(ApiCall call) {
    return ApiAnswer.ok(described(find(facts.routes().table(), call.topic())));
  }

  private JsonWriter described(TopicRoute route) {
    JsonWriter out = new JsonWriter();
    TopicRow.of(route).writeTo(out);
    out.put("notice", facts.routes().notice()).array("settings");
    Map<String, String> own = route.topic().settings().values();
    route.topic().settings().effective(facts.brokerLog()).forEach(
        (name, value) ->
            out.object().put("name", name).put("value", value).put("source", own.containsKey(name) ? "topic" : "default").end());
    return out.endArray();
  }

  /** Of one topic, or of all whose names the filter lets through. */
  ApiAnswer partitions(ApiCall call) {
    Optional<String> topic = Optional.ofNullable(call.topic());
    Paging paging = Paging.of(call, topic.isPresent() ? new String[] {"partition", "size", "records", "produced"}
        : new String[] {"name", "size", "records", "produced"});
    Optional<String> state = call.word("state", "opening", "writable", "failed");
    RoutingTable table = facts.routes().table();
    List<PartitionHandle> handles = topic.map(name -> find(table, name).partitions()).orElseGet(table::partitions);
    List<PartitionRow> rows = new ArrayList<>();
    for (PartitionHandle handle : handles) {
      PartitionRow row = PartitionRow.of(handle);
      boolean isWanted = state.isEmpty() || state.get().equals(row.state());
      if (isWanted && (topic.isPresent() || paging.takes(handle.id().topic()))) {
        rows.add(row);
      }
    }
    return ApiAnswer.ok(paging.write(new JsonWriter(), rows, PartitionRow.sorts(), (out, row) -> row.writeTo(out)));
  }

  static TopicRoute find(RoutingTable table, String topic) {
    return table.find(topic).orElseThrow(() -> ApiError.unknownTopic(topic));
  }

  static PartitionHandle find(RoutingTable table, TopicPartition partition) {
    return find(table, partition.topic())
        .partition(partition.partition())
        .orElseThrow(() -> ApiError.unknownPartition(partition.topic(), partition.partition()));
  }

  // ---------------------------------------------------------------- what changes it

  CompletionStage<ApiAnswer> create(ApiCall call) {
    JsonFields body = call.body().only("name", "partitions", "settings");
    String name = body.needText("name");
    int count = (int) body.number("partitions", 1, MAX_PARTITION_COUNT).orElse(0);
    Map<String, String> settings = body.has("settings") ? settings(body.object("settings"), false) : Map.of();
    return ask(replyTo -> new TopicRegistry.CreateTopic(name, count, settings, 0, replyTo), route -> made(201, route));
  }

  CompletionStage<ApiAnswer> addPartitions(ApiCall call) {
    int count = (int) call.body().only("count").needNumber("count", 1, MAX_PARTITION_COUNT);
    find(facts.routes().table(), call.topic());
    return ask(replyTo -> new TopicRegistry.AddPartitions(call.topic(), count, 0, replyTo), route -> made(200, route));
  }

  CompletionStage<ApiAnswer> alter(ApiCall call) {
    Map<String, String> changes = settings(call.body().only("settings").object("settings"), true);
    find(facts.routes().table(), call.topic());
    return ask(
        replyTo -> new TopicRegistry.AlterTopic(call.topic(), changes, 0, replyTo), route -> ApiAnswer.ok(described(route)));
  }

  CompletionStage<ApiAnswer> delete(ApiCall call) {
    find(facts.routes().table(), call.topic());
    return questions
        .ask(registry, TopicReply.class, (ActorRef<TopicReply> replyTo) -> new TopicRegistry.DeleteTopic(call.topic(), 0, replyTo))
        .thenApply(
            reply -> {
              if (reply.isPresent() && reply.get() instanceof TopicReply.Gone) {
                return ApiAnswer.ok(new JsonWriter().put("deleted", call.topic()));
              }
              throw refused(reply);
            });
  }

  private CompletionStage<ApiAnswer> ask(
      Function<ActorRef<TopicReply>, TopicRegistry.Command> command, Function<TopicRoute, ApiAnswer> answer) {
    return questions
        .ask(registry, TopicReply.class, command)
        .thenApply(
            reply -> {
              if (reply.isPresent() && reply.get() instanceof TopicReply.Ready ready) {
                return answer.apply(ready.route());
              }
              throw refused(reply);
            });
  }

  private static ApiError refused(Optional<TopicReply> reply) {
    if (reply.isPresent() && reply.get() instanceof TopicReply.TopicRefused refused) {
      return of(refused.reason(), refused.message());
    }
    return ApiError.unavailable("topics cannot be created, changed or deleted");
  }

  private static ApiError of(TopicRefusal reason, String message) {
    return switch (reason) {
      case EXISTS -> ApiError.of(409, "topic_exists", message);
      case INVALID -> ApiError.badRequest(message);
      case UNKNOWN_TOPIC_OR_PARTITION -> ApiError.of(404, "unknown_topic", message);
      case STORAGE_FAILED -> ApiError.storage(message);
      case SHUTTING_DOWN -> ApiError.of(503, "shutting_down", message);
    };
  }

  private ApiAnswer made(int status, TopicRoute route) {
    for (PartitionHandle each : route.partitions()) {
      if (each.view().state() == PartitionState.FAILED) {
        throw ApiError.storage("done, but " + each.id() + " failed: " + each.view().reason());
      }
    }
    return ApiAnswer.json(status, described(route));
  }

  /** @param mayEnd whether null takes a setting back, which the registry knows as an empty value */
  private static Map<String, String> settings(JsonFields fields, boolean mayEnd) {
    Map<String, String> settings = new HashMap<>();
    for (String name : fields.names()) {
      String value = fields.text(name).orElse("");
      if (value.isEmpty() && !(mayEnd && !fields.has(name))) {
        throw fields.expected(name, mayEnd ? "a string, or null for the default" : "a string");
      }
      settings.put(name, value);
    }
    return settings;
  }
}
