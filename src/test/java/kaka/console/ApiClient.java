package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import kaka.broker.TestBroker;

/** A client of the HTTP API that holds every answer against the API's document. */
public final class ApiClient {
  private static final OpenApi DOCUMENT = new OpenApi();

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(20)).build();
  private final InetSocketAddress address;

  public ApiClient(TestBroker broker) {
    this.address = broker.adminAddress().orElseThrow();
  }

  /** @param path below {@code /api/v1} */
  public JsonTree get(String path) throws IOException, InterruptedException {
    return ask(200, "GET", path, "");
  }

  public JsonTree post(String path, String body) throws IOException, InterruptedException {
    return ask(200, "POST", path, body);
  }

  /** The answer, which has to have that status. */
  public JsonTree ask(int status, String method, String path, String body) throws IOException, InterruptedException {
    HttpResponse<String> response = send(method, "/api/v1" + path, body);
    assertEquals(status, response.statusCode(), method + " " + path + ": " + response.body());
    return JsonTree.parse(response.body());
  }

  /** The code of an error. */
  public String refused(int status, String method, String path, String body) throws IOException, InterruptedException {
    return ask(status, method, path, body).text("error/code");
  }

  /** @param headers name, value, name, value */
  HttpResponse<String> send(String method, String path, String body, String... headers) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + path))
            .timeout(Duration.ofSeconds(60))
            .method(method, body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
    if (!body.isEmpty() && !List.of(headers).contains("Content-Type")) {
      request.header("Content-Type", "application/json");
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    List<String> problems = DOCUMENT.problems(method, path.split("\\?")[0], response.statusCode(), response.body());
    assertEquals(List.of(), problems, response.body());
    return response;
  }

  HttpResponse<byte[]> bytes(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + "/api/v1" + path)).build();
    return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }
}
