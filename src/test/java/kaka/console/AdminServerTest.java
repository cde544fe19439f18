package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.broker.BrokerStartException;
import kaka.broker.TestBroker;
import kaka.config.KakaConfig;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.Produce;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the admin server answers, to whom, and what it holds. */
class AdminServerTest {
  private static final String ON = "kaka.admin.port = 0\n";

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  private static Produce produce(String topic, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return new Produce(new TopicPartition(topic, 0), new RecordBatchBuilder(64).append(0, null, bytes, List.of()).build());
  }

  @Test
  void aBrokerThatIsWellIsLiveAndReady() throws Exception {
    try (TestBroker broker = TestBroker.start(ON)) {
      AdminClient admin = new AdminClient(broker.adminAddress().orElseThrow());

      assertEquals(200, admin.get("/health/live").statusCode());
      HttpResponse<String> ready = admin.get("/health/ready");
      assertEquals(200, ready.statusCode(), ready.body());
      assertEquals("{\"status\":\"ready\",\"reasons\":[]}\n", ready.body());
      assertEquals("application/json", ready.headers().firstValue("content-type").orElseThrow());
      assertTrue(admin.get("/").body().contains("/metrics"));
    }
  }

  @Test
  void aFailedPartitionIsNamedWithItsReason() throws Exception {
    try (TestBroker broker = TestBroker.start(ON, disk);
        RawConnection connection = new RawConnection(broker.address())) {
      AdminClient admin = new AdminClient(broker.adminAddress().orElseThrow());
      connection.ask(produce("orders", "a"));
      disk.failNext(FaultyDisk.Operation.SYNC, "orders-0/00000000000000000000.log");
      connection.ask(produce("orders", "b"));

      HttpResponse<String> ready = admin.get("/health/ready");

      assertEquals(503, ready.statusCode());
      Config reason = ConfigFactory.parseString(ready.body()).getConfigList("reasons").get(0);
      assertEquals("partition_failed", reason.getString("problem"));
      assertEquals("orders-0", reason.getString("subject"));
      assertTrue(!reason.getString("detail").isEmpty() && !reason.getString("advice").isEmpty(), ready.body());
      assertEquals(200, admin.get("/health/live").statusCode(), "it need not be restarted for that");
    }
  }

  @Test
  void aDiskNearlyFullIsNotReadyUntilThereIsRoom() throws Exception {
    try (TestBroker broker = TestBroker.start(ON + "kaka.log.min-free-bytes = 1000", disk)) {
      AdminClient admin = new AdminClient(broker.adminAddress().orElseThrow());
      disk.setUsableBytes(999);
      HttpResponse<String> full = admin.get("/health/ready");
      assertEquals(503, full.statusCode());
      assertTrue(full.body().contains("\"disk_nearly_full\""), full.body());

      disk.setUsableBytes(1000);

      assertEquals(200, admin.get("/health/ready").statusCode());
    }
  }

  @Test
  void groupsWhoseLogFailedAreAReason() throws Exception {
    try (TestBroker broker = TestBroker.start(ON, disk);
        RawConnection connection = new RawConnection(broker.address())) {
      AdminClient admin = new AdminClient(broker.adminAddress().orElseThrow());
      connection.ask(produce("orders", "a"));
      disk.failNext(FaultyDisk.Operation.SYNC, "__offsets-0/00000000000000000000.log");
      connection.ask(new kaka.protocol.Commit("readers", new TopicPartition("orders", 0), 1));

      HttpResponse<String> ready = admin.get("/health/ready");

      assertEquals(503, ready.statusCode());
      assertTrue(ready.body().contains("\"groups_failed\""), ready.body());
    }
  }

  @Test
  void statusHasWhatAPersonAsks() throws Exception {
    try (TestBroker broker = TestBroker.start(ON);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(produce("orders", "a"));
      connection.ask(produce("orders", "b"));
      connection.ask(new kaka.protocol.Commit("readers", new TopicPartition("orders", 0), 1));

      Config status = ConfigFactory.parseString(new AdminClient(broker.adminAddress().orElseThrow()).get("/status").body());

      assertTrue(status.getBoolean("ready"));
      assertEquals("memory", status.getString("durability"));
      assertEquals(1, status.getInt("partitions.writable"));
      assertEquals(1, status.getInt("groups.lag"));
      assertEquals("readers", status.getConfigList("groups.most_lagging").get(0).getString("group"));
      assertEquals(1, status.getInt("connections.open"));
      assertTrue(status.getLong("disk.log_bytes") > 0);
    }
  }

  @ParameterizedTest
  @CsvSource({"GET,/nothing,404", "POST,/metrics,405", "DELETE,/log/levels,405", "PUT,/log/levels?level=loud,400",
      "PUT,/log/levels?level=info&logger=no.such.logger,404", "PUT,/log/levels,400", "HEAD,/metrics,200"})
  void whatThereIsNotIsRefused(String method, String path, int code) throws Exception {
    try (TestBroker broker = TestBroker.start(ON)) {
      assertEquals(code, new AdminClient(broker.adminAddress().orElseThrow()).send(method, path).statusCode());
    }
  }

  @Test
  void logLevelsChangeWhileTheBrokerRuns() throws Exception {
    try (TestBroker broker = TestBroker.start(ON)) {
      AdminClient admin = new AdminClient(broker.adminAddress().orElseThrow());
      org.slf4j.Logger logger = org.slf4j.LoggerFactory.getLogger("kaka.console.AdminServerTest");
      assertTrue(!logger.isTraceEnabled());

      HttpResponse<String> changed = admin.send("PUT", "/log/levels?level=trace&logger=kaka.console.AdminServerTest");

      assertEquals(200, changed.statusCode(), changed.body());
      assertTrue(logger.isTraceEnabled());
      assertTrue(admin.get("/log/levels").body().contains("\"kaka.console.AdminServerTest\":\"trace\""));
      admin.send("PUT", "/log/levels?level=warn&logger=kaka.console.AdminServerTest");
      assertTrue(!logger.isInfoEnabled());
    }
  }

  /** A page of a web site whose name was made to mean this machine: its requests carry that name. */
  @Test
  void aForeignNameCannotChangeLogLevels() throws Exception {
    try (TestBroker broker = TestBroker.start(ON);
        Socket socket = connect(broker.adminAddress().orElseThrow())) {
      socket.getOutputStream().write(
          "PUT /log/levels?level=trace HTTP/1.1\r\nHost: example.com\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

      assertTrue(statusLine(socket).startsWith("HTTP/1.1 403 "));
    }
  }

  @Test
  void aRequestLargerThanAnyOfOursIsRefused() throws Exception {
    try (TestBroker broker = TestBroker.start(ON);
        Socket socket = connect(broker.adminAddress().orElseThrow())) {
      socket.getOutputStream().write(("GET /" + "x".repeat(5000) + " HTTP/1.1\r\n").getBytes(StandardCharsets.US_ASCII));

      assertTrue(statusLine(socket).startsWith("HTTP/1.1 414 "));
    }
  }

  /** Those that say nothing take their places; the next one is served as soon as one of them has left. */
  @Test
  void moreConnectionsThanThereMayBeWait() throws Exception {
    try (TestBroker broker = TestBroker.start(ON)) {
      InetSocketAddress address = broker.adminAddress().orElseThrow();
      List<Socket> silent = new ArrayList<>();
      for (int i = 0; i < AdminServer.MAX_CONNECTIONS; i++) {
        Socket socket = connect(address);
        silent.add(socket);
        socket.getOutputStream().write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertTrue(statusLine(socket).startsWith("HTTP/1.1 200 ")); // it is served, and stays
      }
      try (Socket next = connect(address)) {
        next.getOutputStream().write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        next.setSoTimeout(300);
        assertThrows(java.net.SocketTimeoutException.class, () -> next.getInputStream().read());
        next.setSoTimeout(120_000);

        silent.get(0).close();

        assertTrue(statusLine(next).startsWith("HTTP/1.1 200 "));
      } finally {
        for (Socket socket : silent) {
          socket.close();
        }
      }
    }
  }

  /** Each holds a place with half a request: without a bound on its time, for the minute of {@link AdminServer#IDLE} at least. */
  @Test
  void whoDawdlesDoesNotKeepTheOthersOut() throws Exception {
    try (TestBroker broker = TestBroker.start(ON + "kaka.admin.connection-time = 200ms")) {
      InetSocketAddress address = broker.adminAddress().orElseThrow();
      List<Socket> dawdling = new ArrayList<>();
      try {
        for (int i = 0; i < AdminServer.MAX_CONNECTIONS; i++) {
          Socket socket = connect(address);
          dawdling.add(socket);
          socket.getOutputStream().write("GET /health/live HTTP/1.1\r\nHo".getBytes(StandardCharsets.US_ASCII));
        }
        boolean isServed = false;
        for (int i = 0; i < 20 && !isServed; i++) { // its own time may be over before the machine has come to it
          isServed = isAlive(address);
        }
        assertTrue(isServed);
      } finally {
        for (Socket socket : dawdling) {
          socket.close();
        }
      }
    }
  }

  /** Or a client that keeps its connections would send a request just when this one ends. Where the machine stood still, again. */
  @Test
  void aConnectionWhoseTimeIsOverSaysSoWithItsLastAnswer() throws Exception {
    try (TestBroker broker = TestBroker.start(ON + "kaka.admin.connection-time = 1s")) {
      InetSocketAddress address = broker.adminAddress().orElseThrow();
      boolean isSaid = false;
      for (int i = 0; i < 10 && !isSaid; i++) {
        isSaid = lastAnswer(address).contains("Connection: close");
      }
      assertTrue(isSaid);
    }
  }

  /** Of a connection on which one request follows the other until it ends. */
  private static String lastAnswer(InetSocketAddress address) throws Exception {
    StringBuilder answer = new StringBuilder();
    String last = "";
    try (Socket socket = connect(address)) {
      while (true) {
        socket.getOutputStream().write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        answer.setLength(0);
        while (answer.indexOf("\"live\"}") < 0) {
          int c = socket.getInputStream().read();
          if (c < 0) {
            return last;
          }
          answer.append((char) c);
        }
        last = answer.toString();
      }
    } catch (java.io.IOException closed) {
      return last;
    }
  }

  /** Whether the server says so, within two seconds. */
  private static boolean isAlive(InetSocketAddress address) throws Exception {
    try (Socket socket = connect(address)) {
      socket.setSoTimeout(2_000);
      socket.getOutputStream().write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      return statusLine(socket).startsWith("HTTP/1.1 200 ");
    } catch (java.io.IOException e) {
      return false;
    }
  }

  /** A broker that nobody has told where to listen for HTTP serves its clients all the same. */
  @Test
  void theDefaultPortIsNotWorthAStartThatFails() throws Exception {
    AdminConfig asked = KakaConfig.parse("kaka.admin.port = 9644").admin();
    AdminConfig left = KakaConfig.parse("").admin();

    assertTrue(asked.isRequired());
    assertEquals(new AdminConfig(asked.host(), asked.port(), false, asked.connectionTime(), asked.maxSeries(), false, java.util.Set.of()), left);
  }

  @Test
  void aPortThatIsTakenIsAStartThatFailsAndNamesTheKey() throws Exception {
    try (TestBroker broker = TestBroker.start(ON)) {
      int port = broker.adminAddress().orElseThrow().getPort();

      BrokerStartException refused =
          assertThrows(BrokerStartException.class, () -> TestBroker.start("kaka.admin.port = " + port));

      assertTrue(refused.getMessage().contains("127.0.0.1:" + port), refused.getMessage());
      assertTrue(refused.getMessage().contains("kaka.admin.port"), refused.getMessage());
    }
  }

  @Test
  void thereIsNoneWhereItIsOff() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = off")) {
      assertEquals(Optional.empty(), broker.adminAddress());
    }
  }

  private static Socket connect(InetSocketAddress address) throws Exception {
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress("127.0.0.1", address.getPort()), 120_000);
    socket.setSoTimeout(120_000);
    return socket;
  }

  private static String statusLine(Socket socket) throws Exception {
    StringBuilder line = new StringBuilder();
    for (int c = socket.getInputStream().read(); c >= 0 && c != '\r'; c = socket.getInputStream().read()) {
      line.append((char) c);
    }
    return line.toString();
  }
}
