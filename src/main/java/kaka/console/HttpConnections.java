package kaka.console;

import akka.NotUsed;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Adapter;
import akka.http.javadsl.Http;
import akka.http.javadsl.model.HttpRequest;
import akka.http.javadsl.model.HttpResponse;
import akka.http.javadsl.settings.ServerSettings;
import akka.stream.Materializer;
import akka.stream.TLSProtocol.SessionBytes;
import akka.stream.TLSProtocol.SslTlsInbound;
import akka.stream.TLSProtocol.SslTlsOutbound;
import akka.stream.javadsl.BidiFlow;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.TLSPlacebo;
import akka.util.ByteString;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Akka HTTP over sockets that were accepted. Loaded with the first of them; it works on a thread of its own. */
final class HttpConnections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpConnections.class);

  private static final BidiFlow<SslTlsOutbound, ByteString, ByteString, SslTlsInbound, NotUsed> WITHOUT_TLS =
      BidiFlow.fromFlows(Flow.of(SslTlsOutbound.class), Flow.of(SessionBytes.class).map(bytes -> (SslTlsInbound) bytes))
          .atop(TLSPlacebo.getInstance());

  private final AdminPages pages;
  private final Executor executor;
  private final Materializer materializer;
  private final Http http;
  private final ServerSettings settings;

  HttpConnections(
      ActorSystem<?> system, AdminConfig config, BrokerFacts facts, Executor executor, Materializer materializer) {
    this.pages = new AdminPages(facts, config.maxSeries());
    this.executor = executor;
    this.materializer = materializer;
    this.http = Http.get(Adapter.toClassic(system));
    this.settings = ServerSettings.create(Adapter.toClassic(system));
  }

  /** @param isLocal whether the connection comes from this machine */
  Flow<ByteString, ByteString, NotUsed> flow(boolean isLocal) {
    return Flow.of(HttpRequest.class)
        .mapAsync(1, request -> answer(request, isLocal))
        .join(http.serverLayer(settings).atop(WITHOUT_TLS));
  }

  private CompletionStage<HttpResponse> answer(HttpRequest request, boolean isLocal) {
    request.discardEntityBytes(materializer);
    return CompletableFuture.supplyAsync(() -> pages.answer(request, isLocal), executor)
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
