package kaka.console;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A client of the admin server, as a scraper or a probe is one. */
public final class AdminClient {
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(20)).build();
  private final InetSocketAddress address;

  public AdminClient(InetSocketAddress address) {
    this.address = address;
  }

  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send("GET", path);
  }

  /** The answer, when it comes. */
  CompletableFuture<HttpResponse<String>> ask(String path) {
    URI uri = URI.create("http://127.0.0.1:" + address.getPort() + path);
    HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60)).build();
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + address.getPort() + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30)).method(method, HttpRequest.BodyPublishers.noBody()).build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Every sample of the page, by its name with its labels, {@code kaka_partitions{state="writable"}}. */
  public Map<String, Double> scrape() throws IOException, InterruptedException {
    Map<String, Double> samples = new LinkedHashMap<>();
    get("/metrics")
        .body()
        .lines()
        .filter(line -> !line.startsWith("#") && !line.isBlank())
        .forEach(
            line -> {
              int space = line.lastIndexOf(' ');
              samples.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
            });
    return samples;
  }
}
