package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import kaka.broker.TestBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console's files, and nothing else that is in the jar. */
class StaticFilesTest {
  private static HttpResponse<String> get(TestBroker broker, String path, String... headers) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + broker.adminAddress().orElseThrow().getPort() + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aFileComesWithItsTypeAndARuleOfWhatMayRun() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0")) {
      HttpResponse<String> page = get(broker, "/console/test-page.html");

      assertEquals(200, page.statusCode());
      assertTrue(page.body().contains("a page of a test"));
      assertEquals("text/html; charset=UTF-8", page.headers().firstValue("content-type").orElseThrow());
      assertTrue(page.headers().firstValue("content-security-policy").orElseThrow().startsWith("default-src 'self';"));
      assertEquals("nosniff", page.headers().firstValue("x-content-type-options").orElseThrow());
      HttpResponse<String> script = get(broker, "/console/test-script.js");
      assertEquals("text/javascript; charset=UTF-8", script.headers().firstValue("content-type").orElseThrow());
    }
  }

  @Test
  void whoHasTheFileIsToldSo() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0")) {
      String tag = get(broker, "/console/test-page.html").headers().firstValue("etag").orElseThrow();

      HttpResponse<String> again = get(broker, "/console/test-page.html", "If-None-Match", tag);
      HttpResponse<String> other = get(broker, "/console/test-page.html", "If-None-Match", "\"another\"");

      assertEquals(304, again.statusCode());
      assertEquals("", again.body());
      assertEquals(200, other.statusCode());
    }
  }

  /** Over a socket, since a client would tidy such paths up. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/../openapi.json", "/console/%2e%2e/openapi.json", "/console/..%2fopenapi.json", "/console/../../application.conf", "/console/..%2f..%2freference.conf", "/console/%2e%2e/%2e%2e/reference.conf", "/console//etc/passwd.txt",
        "/console/nothing.html", "/console/Api.class", "/console/.hidden.html", "/console/", "/console/test-page", "/console/a\\b.html"
      })
  void nothingElseIsServed(String path) throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0");
        Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", broker.adminAddress().orElseThrow().getPort()), 120_000);
      socket.setSoTimeout(120_000);
      String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));

      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertTrue(answer.startsWith("HTTP/1.1 404 ") || answer.startsWith("HTTP/1.1 400 "), answer);
    }
  }

  @Test
  void programsGetAListOfWhatThereIs() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0")) {
      assertTrue(get(broker, "/").body().contains("/metrics"));
    }
  }
}
