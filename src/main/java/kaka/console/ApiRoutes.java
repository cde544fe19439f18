package kaka.console;

import static kaka.console.ApiRoute.Moves.RECORDS_IN;
import static kaka.console.ApiRoute.Moves.RECORDS_OUT;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.http.javadsl.model.ContentTypes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import kaka.topic.TopicRegistry;

/** Everything that the API does. {@code openapi.json} describes each of these, for people and for tools. */
final class ApiRoutes {
  private static final String V1 = "/api/v1";
  private static final String TOPIC = V1 + "/topics/{topic}";
  private static final String PARTITION = TOPIC + "/partitions/{partition}";
  private static final String GROUP = V1 + "/groups/{group}";
  private static final String DOCUMENT = "/kaka/openapi.json";

  private ApiRoutes() {}

  static List<ApiRoute> of(
      BrokerFacts facts,
      AdminConfig config,
      ApiGuard guard,
      Health health,
      GroupLags lags,
      LogReads reads,
      ActorRef<TopicRegistry.Command> registry,
      ActorSystem<Void> system) {
    Questions ofPartitions = new Questions(system, "partitions");
    OverviewApi overview = new OverviewApi(facts, health, lags, config.canWrite());
    TopicsApi topics = new TopicsApi(facts, registry, new Questions(system, "topics"));
    SegmentsApi segments = new SegmentsApi(facts, reads);
    GroupsApi groups = new GroupsApi(facts, lags, new Questions(system, "groups"));
    GroupChangesApi changes = new GroupChangesApi(facts, groups, reads, guard);
    BrowseApi browse = new BrowseApi(facts, reads);
    ConsumeApi consume = new ConsumeApi(facts, reads, ofPartitions);
    ProduceApi produce = new ProduceApi(facts, ofPartitions);
    RecordsDeletionApi deletion = new RecordsDeletionApi(facts, ofPartitions);
    ConnectionsApi connections = new ConnectionsApi(facts);
    FaultsApi faults = new FaultsApi(facts, health);
    return List.of(
        ApiRoute.get("/api/openapi.json", now(call -> document())),
        ApiRoute.get(V1 + "/overview", now(overview::get)),
        ApiRoute.get(V1 + "/topics", now(topics::list), "filter", "sort", "order", "limit", "offset"),
        ApiRoute.post(V1 + "/topics", topics::create),
        ApiRoute.get(TOPIC, now(topics::one)),
        ApiRoute.patch(TOPIC, topics::alter),
        ApiRoute.delete(TOPIC, topics::delete),
        ApiRoute.get(TOPIC + "/partitions", now(topics::partitions), "state", "sort", "order", "limit", "offset"),
        ApiRoute.post(TOPIC + "/partitions", topics::addPartitions),
        ApiRoute.get(V1 + "/partitions", now(topics::partitions), "filter", "state", "sort", "order", "limit", "offset"),
        ApiRoute.get(PARTITION + "/segments", segments::list, "order", "limit", "offset"),
        ApiRoute.post(PARTITION + "/delete-records", deletion::delete),
        ApiRoute.get(
                TOPIC + "/records", browse::browse, "partition", "last", "offset", "time", "cursor", "limit", "max_value", "key", "text")
            .moving(RECORDS_OUT),
        ApiRoute.post(TOPIC + "/records", produce::produce).moving(RECORDS_IN),
        ApiRoute.get(PARTITION + "/records", consume::consume, "offset", "max_records", "max_bytes", "wait_ms").moving(RECORDS_OUT),
        ApiRoute.get(PARTITION + "/records/{offset}", consume::one, "max_value").moving(RECORDS_OUT),
        ApiRoute.get(PARTITION + "/records/{offset}/value", consume::value).moving(RECORDS_OUT),
        ApiRoute.get(PARTITION + "/records/{offset}/key", consume::key).moving(RECORDS_OUT),
        ApiRoute.get(V1 + "/groups", groups::list, "filter", "state", "type", "sort", "order", "limit", "offset"),
        ApiRoute.get(GROUP, groups::one, "order", "limit", "offset"),
        ApiRoute.delete(GROUP, changes::delete),
        ApiRoute.get(GROUP + "/offsets", now(groups::offsets), "topic", "partition", "order", "limit", "offset"),
        ApiRoute.post(GROUP + "/offsets", changes::commit),
        new ApiRoute(
            "POST",
            GROUP + "/reset",
            Set.of(),
            ApiRoute.Effect.MAY_WRITE_BY_BODY,
            ApiRoute.Moves.NO_RECORDS,
            changes::reset),
        ApiRoute.get(V1 + "/connections", now(connections::connections), "filter", "sort", "order", "limit", "offset"),
        ApiRoute.get(V1 + "/faults", now(faults::get)),
        ApiRoute.get(V1 + "/settings", now(connections::settings), "filter"));
  }

  /** One that asks nobody. */
  private static ApiRoute.Handler now(Function<ApiCall, ApiAnswer> answer) {
    return call -> CompletableFuture.completedFuture(answer.apply(call));
  }

  private static ApiAnswer document() {
    try (InputStream in = ApiRoutes.class.getResourceAsStream(DOCUMENT)) {
      return new ApiAnswer(
          200, ContentTypes.APPLICATION_JSON, in.readAllBytes(), Optional.empty(), Optional.empty(), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
