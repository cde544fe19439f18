package kaka.console;

import akka.http.javadsl.model.HttpEntities;
import akka.http.javadsl.model.HttpEntity;
import akka.http.javadsl.model.HttpRequest;
import akka.http.javadsl.model.HttpResponse;
import akka.http.javadsl.model.headers.RawHeader;
import akka.http.scaladsl.model.EntityStreamSizeException;
import akka.http.scaladsl.model.IllegalUriException;
import akka.stream.Materializer;
import akka.stream.javadsl.Source;
import akka.util.ByteString;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongConsumer;
import kaka.partition.MemoryBudget;
import kaka.partition.MemoryCharge;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP API: finds a request's route, lets nobody in who is not to come in, reads its body, and turns what the route answers, or
 * the reason why not, into a response. A body, and an answer that is not small, are charged to the memory budget while they are there.
 */
final class Api {
  /** Requests are no larger. */
  static final int MAX_BODY_BYTES = 4 << 20;

  /** What waits for an actor, or for the disk, is answered by then. */
  static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final Logger LOG = LoggerFactory.getLogger(Api.class);

  /** Up to here an answer is not charged: as many as there are connections, they are little. */
  private static final int SMALL_BYTES = 64 << 10;

  private static final int SLICE_BYTES = 64 << 10;
  private static final Duration BODY_TIME = Duration.ofSeconds(10);

  private final List<ApiRoute> routes;
  private final ApiGuard guard;
  private final MemoryBudget memory;
  private final Executor pages;
  private final Materializer materializer;

  /** @param pages where handlers run */
  Api(List<ApiRoute> routes, ApiGuard guard, MemoryBudget memory, Executor pages, Materializer materializer) {
    this.routes = List.copyOf(routes);
    this.guard = guard;
    this.memory = memory;
    this.pages = pages;
    this.materializer = materializer;
  }

  /**
   * @param quota of who asks
   * @param held where the charge for the answer goes, until it is out
   */
  CompletionStage<HttpResponse> answer(HttpRequest request, HttpQuota quota, HeldCharges held) {
    return CompletableFuture.completedFuture(request)
        .thenComposeAsync(asked -> handle(asked, quota), pages)
        .handleAsync((answer, failure) -> failure == null ? answer : failed(failure).answer(), pages)
        .thenApply(answer -> response(answer, held));
  }

  private CompletionStage<ApiAnswer> handle(HttpRequest request, HttpQuota quota) {
    boolean isBodyTaken = false;
    try {
      guard.check(request);
      List<String> segments = new ArrayList<>();
      request.getUri().pathSegments().forEach(segments::add);
      ApiRoute route = find(request.method().value(), segments);
      Map<String, String> query = new HashMap<>();
      request.getUri().query().toList().forEach(pair -> query.putIfAbsent(pair.first(), pair.second()));
      route.requireKnown(query.keySet());
      if (route.does() != ApiRoute.Effect.READS) {
        guard.checkWrite(request, route.does().takesBody());
      }
      if (route.does().isWrite()) {
        guard.requireWritable();
      }
      quota.admit(route.moves());
      Map<String, String> path = route.match(segments).orElseThrow();
      if (!route.does().takesBody()) {
        return within(route.handler().answer(new ApiCall(path, query, new JsonFields("", Map.of()))))
            .whenComplete((answer, failure) -> quota.sent(route.moves(), failure == null ? answer.body().length : 0));
      }
      isBodyTaken = true;
      return withBody(
          request,
          sizeBytes -> quota.received(route.moves(), sizeBytes),
          body -> within(route.handler().answer(new ApiCall(path, query, body))));
    } catch (IllegalUriException e) {
      throw ApiError.badRequest("no URI: " + e.getMessage());
    } finally {
      if (!isBodyTaken) {
        request.discardEntityBytes(materializer);
      }
    }
  }

  private ApiRoute find(String method, List<String> segments) {
    TreeSet<String> methods = new TreeSet<>();
    for (ApiRoute route : routes) {
      if (route.match(segments).isPresent()) {
        if (route.method().equals(method)) {
          return route;
        }
        methods.add(route.method());
      }
    }
    throw methods.isEmpty()
        ? ApiError.of(404, "not_found", "no such path").advising("/api/openapi.json lists them")
        : ApiError.of(405, "method_not_allowed", "only " + String.join(", ", methods));
  }

  /** An answer that comes later than that is nobody's: what it was charged is given back. */
  private static CompletionStage<ApiAnswer> within(CompletionStage<ApiAnswer> answer) {
    CompletableFuture<ApiAnswer> timed = new CompletableFuture<ApiAnswer>().orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    answer.whenComplete(
        (made, failure) -> {
          boolean isInTime = failure == null ? timed.complete(made) : timed.completeExceptionally(failure);
          if (!isInTime && failure == null) {
            made.charge().ifPresent(MemoryCharge::release);
          }
        });
    return timed;
  }

  // ---------------------------------------------------------------- the body

  private CompletionStage<ApiAnswer> withBody(
      HttpRequest request, LongConsumer received, Function<JsonFields, CompletionStage<ApiAnswer>> then) {
    long sizeBytes = request.entity().getContentLengthOption().orElse(MAX_BODY_BYTES);
    Optional<MemoryCharge> charge =
        sizeBytes > MAX_BODY_BYTES ? Optional.empty() : MemoryCharge.tryReserve(memory, JsonBody.costOf(sizeBytes));
    if (charge.isEmpty()) {
      request.discardEntityBytes(materializer);
      throw sizeBytes > MAX_BODY_BYTES ? tooLarge() : ApiError.noMemory();
    }
    return request
        .entity()
        .withSizeLimit(MAX_BODY_BYTES)
        .toStrict(BODY_TIME.toMillis(), MAX_BODY_BYTES, materializer)
        .exceptionally(
            failure -> {
              throw bodyFailed(failure);
            })
        .thenApplyAsync(
            body -> {
              received.accept(body.getData().size());
              return JsonBody.parse(body.getData().toArray());
            },
            pages)
        .thenCompose(then)
        .whenComplete((answer, failure) -> charge.get().release());
  }

  /** The client's doing, whatever it is: no matter for the log. */
  private static ApiError bodyFailed(Throwable failure) {
    return causeOf(failure) instanceof EntityStreamSizeException ? tooLarge() : ApiError.badRequest("the body did not come");
  }

  private static ApiError tooLarge() {
    return ApiError.of(413, "too_large", "the body may have " + MAX_BODY_BYTES + " bytes");
  }

  // ---------------------------------------------------------------- the answer

  private static ApiError failed(Throwable failure) {
    Throwable cause = causeOf(failure);
    if (cause instanceof ApiError error) {
      return error;
    }
    if (cause instanceof TimeoutException) {
      return ApiError.of(503, "timeout", "no answer within " + PATIENCE.toSeconds() + " s; what was asked for may still be done");
    }
    LOG.error("request to the API failed", cause);
    return ApiError.of(500, "internal", "internal error; the broker's log has it");
  }

  private static Throwable causeOf(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private HttpResponse response(ApiAnswer answer, HeldCharges held) {
    Optional<MemoryCharge> charge = answer.charge();
    if (charge.isEmpty() && answer.body().length > SMALL_BYTES) {
      charge = MemoryCharge.tryReserve(memory, answer.body().length, MemoryBudget.Use.FETCH);
      if (charge.isEmpty()) {
        return response(ApiError.noMemory().answer(), held);
      }
    }
    HttpResponse response =
        HttpResponse.create()
            .withStatus(answer.status())
            .withEntity(charge.isEmpty() ? HttpEntities.create(answer.type(), answer.body()) : charged(answer, charge.get(), held))
            .addHeader(RawHeader.create("Cache-Control", "no-store"))
            .addHeader(RawHeader.create("X-Content-Type-Options", "nosniff"));
    if (answer.fileName().isPresent()) {
      String disposition = "attachment; filename=\"" + answer.fileName().get() + "\"";
      response = response.addHeader(RawHeader.create("Content-Disposition", disposition));
    }
    return answer.retryAfterSeconds() == 0
        ? response : response.addHeader(RawHeader.create("Retry-After", String.valueOf(answer.retryAfterSeconds())));
  }

  private static HttpEntity.Default charged(ApiAnswer answer, MemoryCharge charge, HeldCharges held) {
    held.add(charge);
    ByteString body = ByteString.fromArrayUnsafe(answer.body());
    List<ByteString> slices = new ArrayList<>();
    for (int from = 0; from < body.size(); from += SLICE_BYTES) {
      slices.add(body.slice(from, Math.min(body.size(), from + SLICE_BYTES)));
    }
    Source<ByteString, Object> source =
        Source.from(slices)
            .watchTermination((none, ended) -> ended.whenComplete((done, failure) -> held.release(charge)));
    return HttpEntities.create(answer.type(), body.size(), source);
  }
}
