package kaka.console;

import akka.http.javadsl.model.ContentType;
import akka.http.javadsl.model.ContentTypes;
import akka.http.javadsl.model.HttpMethod;
import akka.http.javadsl.model.HttpMethods;
import akka.http.javadsl.model.HttpRequest;
import akka.http.javadsl.model.HttpResponse;
import akka.http.javadsl.model.StatusCodes;
import akka.http.javadsl.model.headers.Allow;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import kaka.metrics.Exposition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What each path but the API's answers. It may take milliseconds: used on {@code kaka.dispatchers.admin-pages}. */
final class AdminPages implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdminPages.class);

  private static final ContentType METRICS = ContentTypes.parse(Exposition.CONTENT_TYPE);

  private static final String FILES = "/console/";

  private static final String INDEX =
      """
      kaka: admin server
      GET /metrics        Prometheus's text format
      GET /health/live    200 while the process answers
      GET /health/ready   200 if everything is open and well, else 503 with the reasons
      GET /status         what `kaka status` shows
      GET /api/v1/...     the HTTP API; /api/openapi.json describes it
      GET /log/levels     loggers that have a level of their own
      PUT /log/levels?level=debug[&logger=kaka.group]   changes one, from this machine only
      """;

  private final Health health;
  private final StatusPage status;
  private final List<Exposition.Source> sources;
  private Optional<Exposition> exposition = Optional.empty(); // guarded by this

  AdminPages(BrokerFacts facts, int maxSeries, Health health, GroupLags lags) {
    this.health = health;
    this.status = new StatusPage(facts, health, lags);
    this.sources = List.of(new BrokerSource(facts, health), new PartitionSource(facts.routes(), maxSeries), lags, facts.more());
  }

  /** @param isLocal whether it came from this machine to an address of this machine's own */
  HttpResponse answer(HttpRequest request, boolean isLocal) {
    String path = request.getUri().path();
    HttpMethod method = request.method();
    if (path.equals("/log/levels") && method.equals(HttpMethods.PUT)) {
      return setLevel(request, isLocal);
    }
    if (!method.equals(HttpMethods.GET) && !method.equals(HttpMethods.HEAD)) {
      return text(StatusCodes.METHOD_NOT_ALLOWED.intValue(), "only GET\n").addHeader(Allow.create(HttpMethods.GET, HttpMethods.HEAD));
    }
    return switch (path) {
      case "/" -> index(request);
      case "/metrics" -> HttpResponse.create().withEntity(METRICS, metrics());
      case "/health/live" -> live();
      case "/health/ready" -> ready();
      case "/status" -> json(200, status.json());
      case "/log/levels" -> json(200, LogLevels.json());
      default -> file(path, request).orElseGet(() -> text(404, "no such page; / lists those there are\n"));
    };
  }

  /** The process answers. */
  static HttpResponse live() {
    return json(200, new JsonObject().put("status", "live").toString());
  }

  /** The console for browsers, which say that they take HTML; else a list of what there is. */
  private static HttpResponse index(HttpRequest request) {
    boolean isBrowser = request.getHeader("Accept").map(accept -> accept.value().contains("text/html")).orElse(false);
    return (isBrowser ? StaticFiles.find("index.html", request) : Optional.<HttpResponse>empty()).orElseGet(() -> text(200, INDEX));
  }

  private static Optional<HttpResponse> file(String path, HttpRequest request) {
    return path.startsWith(FILES) ? StaticFiles.find(path.substring(FILES.length()), request) : Optional.empty();
  }

  /** The libraries behind it are loaded by the first: a probe of health does without them. */
  private synchronized byte[] metrics() {
    if (exposition.isEmpty()) {
      exposition = Optional.of(new Exposition(sources));
    }
    return exposition.get().page();
  }

  private HttpResponse ready() {
    List<Problem> problems = health.problems();
    String body =
        new JsonObject()
            .put("status", problems.isEmpty() ? "ready" : "not ready")
            .put("reasons", problems.stream().map(Problem::toJson).toList())
            .toString();
    return json(problems.isEmpty() ? 200 : 503, body);
  }

  private HttpResponse setLevel(HttpRequest request, boolean isLocal) {
    if (!isLocal || !isNamedLocally(request)) {
      return text(403, "log levels are changed from the broker's own machine only\n");
    }
    Optional<String> level = request.getUri().query().get("level").map(given -> given.toLowerCase(Locale.ROOT));
    String logger = request.getUri().query().get("logger").orElse("kaka");
    if (level.isEmpty() || !LogLevels.LEVELS.contains(level.get())) {
      return text(400, "?level= one of " + String.join(", ", LogLevels.LEVELS) + "\n");
    }
    if (!LogLevels.set(logger, level.get())) {
      return text(404, "no such logger\n");
    }
    LOG.info("log level changed logger={} level={}", logger, level.get());
    return json(200, LogLevels.json());
  }

  /** A web page that a browser on this machine shows cannot reach the server under a name of its own. */
  private static boolean isNamedLocally(HttpRequest request) {
    String host = request.getUri().host().address();
    return host.equals("localhost") || host.equals("127.0.0.1") || host.equals("::1") || host.equals("[::1]");
  }

  static HttpResponse json(int code, String body) {
    return HttpResponse.create().withStatus(code).withEntity(ContentTypes.APPLICATION_JSON, body + "\n");
  }

  static HttpResponse text(int code, String body) {
    return HttpResponse.create().withStatus(code).withEntity(ContentTypes.TEXT_PLAIN_UTF8, body);
  }

  @Override
  public synchronized void close() {
    exposition.ifPresent(Exposition::close);
  }
}
