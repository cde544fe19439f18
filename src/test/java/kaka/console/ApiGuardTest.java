package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import kaka.broker.TestBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Who may ask the API for what. */
class ApiGuardTest {
  private static final String WRITES = "kaka.admin.port = 0, kaka.console.write = true\n";
  private static final String TOPIC = "{\"name\":\"orders\"}";

  @ParameterizedTest
  @CsvSource({
    "POST, /topics", "PATCH, /topics/orders", "DELETE, /topics/orders", "POST, /topics/orders/partitions",
    "POST, /groups/readers/offsets", "DELETE, /groups/readers", "POST, /groups/readers/reset"
  })
  void nothingIsChangedUnlessTheOperatorLetsIt(String method, String path) throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0")) {
      String body = method.equals("DELETE") ? "" : path.endsWith("reset") ? "{\"to\":\"latest\"}" : "{}";

      JsonTree refused = new ApiClient(broker).ask(403, method, path, body);

      assertEquals("read_only", refused.text("error/code"));
      assertTrue(refused.text("error/advice").contains("kaka.console.write"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "localhost, 200", "127.0.0.1, 200", "[::1], 200", "192.168.1.7, 200", "LOCALHOST, 200", "proxy.example.com, 200",
    "example.com, 403", "localhost.example.com, 403", "127.0.0.1.example.com, 403"
  })
  void aForeignNameIsNotAnswered(String host, int status) throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0, kaka.console.hosts = \"other, Proxy.example.com\"");
        Socket socket = connect(broker)) {
      String request = "GET /api/v1/topics HTTP/1.1\r\nHost: " + host + ":9644\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));

      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
      assertEquals(status == 403, answer.contains("forbidden_host"));
    }
  }

  @Test
  void aPageOfAnotherSiteChangesNothing() throws Exception {
    try (TestBroker broker = TestBroker.start(WRITES)) {
      ApiClient api = new ApiClient(broker);
      int port = broker.adminAddress().orElseThrow().getPort();

      assertEquals(403, api.send("POST", "/api/v1/topics", TOPIC, "Origin", "http://example.com").statusCode());
      assertEquals(403, api.send("POST", "/api/v1/topics", TOPIC, "Origin", "null").statusCode());
      assertEquals(403, api.send("POST", "/api/v1/topics", TOPIC, "Origin", "http://127.0.0.1:1").statusCode());
      assertEquals(403, api.send("DELETE", "/api/v1/topics/orders", "", "Origin", "http://example.com").statusCode());
      assertEquals(415, api.send("POST", "/api/v1/topics", TOPIC, "Content-Type", "text/plain").statusCode());
      assertEquals(415, api.send("POST", "/api/v1/topics", TOPIC, "Content-Type", "application/x-www-form-urlencoded").statusCode());
      assertEquals(0, api.get("/topics").number("total"));

      assertEquals(201, api.send("POST", "/api/v1/topics", TOPIC, "Origin", "http://127.0.0.1:" + port).statusCode());
    }
  }

  @Test
  void aBodyThatIsTooLongIsRefusedBeforeItIsRead() throws Exception {
    try (TestBroker broker = TestBroker.start(WRITES);
        Socket socket = connect(broker)) {
      String head = "POST /api/v1/topics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ";
      socket.getOutputStream().write((head + (Api.MAX_BODY_BYTES + 1) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));

      byte[] start = socket.getInputStream().readNBytes(13);

      assertEquals("HTTP/1.1 413 ", new String(start, StandardCharsets.US_ASCII));
    }
  }

  /** Nothing says how long it is until it is there. */
  @Test
  void aBodyInPiecesIsNoLonger() throws Exception {
    try (TestBroker broker = TestBroker.start(WRITES);
        Socket socket = connect(broker)) {
      String head = "POST /api/v1/topics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      byte[] piece = ("80000\r\n" + " ".repeat(0x80000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
      CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> sendUntilRefused(socket, piece));

      byte[] start = socket.getInputStream().readNBytes(13);

      assertEquals("HTTP/1.1 413 ", new String(start, StandardCharsets.US_ASCII));
      socket.close();
      sending.get();
      broker.awaitBudgetEmpty();
    }
  }

  private static void sendUntilRefused(Socket socket, byte[] piece) {
    try {
      for (int i = 0; i < 64; i++) {
        socket.getOutputStream().write(piece);
      }
    } catch (java.io.IOException e) {
      assertTrue(socket.isClosed() || !e.getMessage().isEmpty()); // it reads no more, which is what is wanted
    }
  }

  /** A body is charged before it comes, and given back also where it never does; the log is not told of what clients do. */
  @Test
  void aBodyThatDoesNotComeIsNotChargedForLong() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger("kaka.console");
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    logger.addAppender(told);
    try (TestBroker broker = TestBroker.start(WRITES)) {
      try (Socket socket = connect(broker)) {
        String head = "POST /api/v1/topics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        TestBroker.awaitTrue("it is charged", () -> broker.memory().usedBytes() >= 1_000_000);
      }
      broker.awaitBudgetEmpty();
    } finally {
      logger.detachAppender(told);
    }
    assertEquals(java.util.List.of(), told.list.stream().map(ILoggingEvent::getFormattedMessage).toList());
  }

  @Test
  void aFullMemoryBudgetRefusesABody() throws Exception {
    try (TestBroker broker = TestBroker.start(WRITES)) {
      long left = broker.memory().maxBytes() - broker.memory().usedBytes();
      assertTrue(broker.memory().tryReserve(left));
      try {
        HttpResponse<String> refused = new ApiClient(broker).send("POST", "/api/v1/topics", TOPIC);

        assertEquals(503, refused.statusCode());
        assertTrue(refused.body().contains("\"memory\""), refused.body());
        assertEquals("1", refused.headers().firstValue("retry-after").orElseThrow());
      } finally {
        broker.memory().release(left);
      }
      assertEquals(201, new ApiClient(broker).send("POST", "/api/v1/topics", TOPIC).statusCode());
      broker.awaitBudgetEmpty();
    }
  }

  @Test
  void whatThereIsNotIsSaidInJson() throws Exception {
    try (TestBroker broker = TestBroker.start(WRITES)) {
      ApiClient api = new ApiClient(broker);

      assertEquals("not_found", api.refused(404, "GET", "/nothing", ""));
      assertEquals("method_not_allowed", api.refused(405, "DELETE", "/overview", ""));
      assertEquals("unknown_topic", api.refused(404, "GET", "/topics/a%2Fb", ""));
      assertEquals("bad_request", api.refused(400, "GET", "/topics/orders/partitions/-1/segments", ""));
    }
  }

  private static Socket connect(TestBroker broker) throws Exception {
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress("127.0.0.1", broker.adminAddress().orElseThrow().getPort()), 120_000);
    socket.setSoTimeout(120_000);
    return socket;
  }
}
