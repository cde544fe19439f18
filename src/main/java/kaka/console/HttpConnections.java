package kaka.console;

import akka.NotUsed;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Adapter;
import akka.http.javadsl.Http;
import akka.http.javadsl.model.HttpMethods;
import akka.http.javadsl.model.HttpRequest;
import akka.http.javadsl.model.HttpResponse;
import akka.http.javadsl.model.headers.Connection;
import akka.http.javadsl.settings.ServerSettings;
import akka.stream.Materializer;
import akka.stream.TLSProtocol.SessionBytes;
import akka.stream.TLSProtocol.SslTlsInbound;
import akka.stream.TLSProtocol.SslTlsOutbound;
import akka.stream.javadsl.BidiFlow;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.TLSPlacebo;
import akka.util.ByteString;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import kaka.quota.Quotas;
import kaka.topic.TopicRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Akka HTTP over sockets that were accepted. Loaded with the first of them. Whether the process is alive is answered on the
 * connections' own thread, which nothing blocks; pages are made on others, and logs are read on others still, so that a disk that
 * hangs keeps only those waiting who want something of it.
 */
final class HttpConnections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpConnections.class);

  private static final BidiFlow<SslTlsOutbound, ByteString, ByteString, SslTlsInbound, NotUsed> WITHOUT_TLS =
      BidiFlow.fromFlows(Flow.of(SslTlsOutbound.class), Flow.of(SessionBytes.class).map(bytes -> (SslTlsInbound) bytes))
          .atop(TLSPlacebo.getInstance());

  private final AdminPages pages;
  private final Api api;
  private final Executor pagesExecutor;
  private final Materializer materializer;
  private final Http http;
  private final ServerSettings settings;
  private final Quotas quotas;
  private final Duration connectionTime;

  HttpConnections(
      ActorSystem<Void> system,
      AdminConfig config,
      BrokerFacts facts,
      ActorRef<TopicRegistry.Command> registry,
      Materializer materializer) {
    this.pagesExecutor = executor(system, "pages");
    this.materializer = materializer;
    this.http = Http.get(Adapter.toClassic(system));
    this.quotas = facts.quotas();
    this.connectionTime = config.connectionTime();
    this.settings = ServerSettings.create(Adapter.toClassic(system));
    Health health = new Health(facts, new DiskSpace(facts.directory(), executor(system, "disk")));
    GroupLags lags = new GroupLags(facts.groups(), facts.routes(), config.maxSeries());
    this.pages = new AdminPages(facts, config.maxSeries(), health, lags);
    ApiGuard guard = new ApiGuard(config);
    LogReads reads = new LogReads(executor(system, "reads"));
    this.api =
        new Api(
            ApiRoutes.of(facts, config, guard, health, lags, reads, registry, system),
            guard,
            facts.memory(),
            pagesExecutor,
            materializer);
  }

  private static Executor executor(ActorSystem<Void> system, String name) {
    return system.dispatchers().lookup(DispatcherSelector.fromConfig("kaka.dispatchers.admin-" + name));
  }

  /** @param remote where the connection comes from */
  Flow<ByteString, ByteString, NotUsed> flow(InetAddress remote) {
    HttpQuota quota = new HttpQuota(quotas, remote);
    HeldCharges held = new HeldCharges();
    long beginNs = System.nanoTime();
    return Flow.of(HttpRequest.class)
        .mapAsync(1, request -> answer(request, quota, held))
        .map(answer -> isLast(beginNs) ? answer.addHeader(Connection.create("close")) : answer)
        .join(http.serverLayer(settings).atop(WITHOUT_TLS))
        .watchTermination(
            (none, ended) -> {
              ended.whenComplete((done, failure) -> held.end());
              return none;
            });
  }

  /**
   * A client that keeps its connections learns in time that it has to make another one, or a request would meet the end of this. Half
   * of its time: what was asked last is answered by then, and who asks no more is {@link AdminServer#IDLE gone} before the other half.
   */
  private boolean isLast(long beginNs) {
    return System.nanoTime() - beginNs > connectionTime.toNanos() / 2;
  }

  private CompletionStage<HttpResponse> answer(HttpRequest request, HttpQuota quota, HeldCharges held) {
    String path = request.getUri().path();
    if (path.startsWith("/api/")) {
      return api.answer(request, quota, held);
    }
    request.discardEntityBytes(materializer);
    if (path.equals("/health/live") && request.method().equals(HttpMethods.GET)) {
      return CompletableFuture.completedFuture(AdminPages.live());
    }
    return CompletableFuture.supplyAsync(() -> pages.answer(request, quota.address().isLoopbackAddress()), pagesExecutor)
        .exceptionally(
            bug -> {
              LOG.error("admin request failed", bug);
              return AdminPages.text(500, "internal error; the broker's log has it\n");
            });
  }

  @Override
  public void close() {
    pages.close();
  }
}
