package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.Fetch;
import kaka.protocol.Hello;
import kaka.protocol.Produce;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The broker as a whole over HTTP: overview, connections, faults, settings. */
class ApiBrokerTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private TestBroker broker;
  private ApiClient api;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.admin.port = 0, kaka.log.min-free-bytes = 1000", disk);
    api = new ApiClient(broker);
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private static Produce produce(String topic, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return new Produce(new TopicPartition(topic, 0), new RecordBatchBuilder(64).append(0, null, bytes, List.of()).build());
  }

  @Test
  void theOverviewMovesWithWhatIsProducedFetchedAndCommitted() throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(produce("orders", "a"));
      JsonTree before = api.get("/overview");
      connection.ask(produce("orders", "b"));
      connection.ask(produce("orders", "c"));
      connection.ask(new Fetch(new TopicPartition("orders", 0), 0, 1 << 20, 0, 0));
      connection.ask(new kaka.protocol.Commit("readers", new TopicPartition("orders", 0), 1));

      JsonTree after = api.get("/overview");

      assertEquals(2, after.number("totals/produced_records") - before.number("totals/produced_records"));
      assertTrue(after.number("totals/produced_bytes") > before.number("totals/produced_bytes"));
      assertEquals(3, after.number("totals/fetched_records") - before.number("totals/fetched_records"));
      assertEquals(2, after.number("totals/commits") - before.number("totals/commits"));
      assertEquals(2, counts(after) - counts(before));
      assertEquals(1, after.number("topics"));
      assertEquals(1, after.number("partitions/writable"));
      assertEquals(1, after.number("groups/count"));
      assertEquals(2, after.number("groups/lag"));
      assertEquals(1, after.number("connections/open"));
      assertTrue(after.flag("ready"));
      assertEquals("serving", after.text("phase"));
      assertEquals("memory", after.text("durability"));
      assertEquals(false, after.flag("write"));
      assertTrue(after.number("disk/log_bytes") > 0 && after.number("disk/free_bytes") > 0);
      disk.setTotalBytes(1L << 40);
      assertEquals(1L << 40, api.get("/overview").number("disk/total_bytes"));
      assertTrue(after.number("memory/budget_bytes") > 0);
    }
  }

  private static long counts(JsonTree overview) {
    return overview.list("commit_latency/counts").stream().mapToLong(count -> (Long) count).sum();
  }

  @Test
  void connectionsAreShownWithWhoTheyAreAndWhatTheyHaveInFlight() throws Exception {
    try (RawConnection loader = new RawConnection(broker.address());
        RawConnection waiting = new RawConnection(broker.address())) {
      loader.ask(new Hello(Hello.VERSION, Hello.VERSION, "loader", "test 1", false));
      waiting.ask(produce("orders", "a"));
      waiting.send(new Fetch(new TopicPartition("orders", 0), 1, 1 << 20, 60_000, 1));
      TestBroker.awaitTrue("the fetch waits", () -> inFlight() == 1);

      JsonTree all = api.get("/connections?sort=in_flight&order=desc");

      assertEquals(2, all.number("total"));
      assertEquals(1, all.number("items/0/requests_in_flight"));
      assertTrue(all.number("items/0/bytes_in_flight") > 0);
      assertEquals("native", all.text("items/0/protocol"));
      assertTrue(all.number("items/0/window_requests") >= 1 && all.number("items/0/window_bytes") >= 1);
      JsonTree found = api.get("/connections?filter=load");
      assertEquals(1, found.number("total"));
      assertEquals("loader", found.text("items/0/client_id"));
      assertEquals("127.0.0.1:" + loader.socket().getLocalPort(), found.text("items/0/address"));
    }
    TestBroker.awaitTrue("both have ended", () -> connectionCount() == 0);
  }

  private long inFlight() {
    try {
      return api.get("/overview").number("connections/requests_in_flight");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private long connectionCount() {
    try {
      return api.get("/connections").number("total");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void faultsHaveWhatFailedAndWhatWasRefused() throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(produce("full", "a"));
      connection.ask(produce("orders", "a"));
      disk.setUsableBytes(999);
      TestBroker.awaitTrue("the disk was asked again", () -> refuses(connection));
      disk.setUsableBytes(1 << 30);
      disk.failNext(FaultyDisk.Operation.SYNC, "orders-0/00000000000000000000.log");
      TestBroker.awaitTrue("it has failed", () -> refuses(connection) && failedCount() == 1);

      JsonTree faults = api.get("/faults");

      assertEquals("orders", faults.text("failed_partitions/items/0/topic"));
      assertEquals(true, faults.flag("failed_partitions/items/0/readable"));
      assertEquals("/kaka/orders-0", faults.text("failed_partitions/items/0/directory"));
      assertTrue(faults.text("failed_partitions/items/0/reason").contains("fault injected"));
      assertTrue(faults.each("problems", "problem").contains("partition_failed"), faults.toString());
      assertTrue(faults.each("refused_batches", "reason").contains("disk_nearly_full"), faults.toString());
      assertTrue(faults.each("refused_batches", "reason").contains("storage_failed"), faults.toString());
      int storage = faults.each("refused_requests", "reason").indexOf("storage");
      assertEquals("native", faults.text("refused_requests/" + storage + "/protocol"));
      assertTrue(faults.number("refused_requests/" + storage + "/count") >= 2);
      long last = faults.number("refused_requests/" + storage + "/last");
      assertTrue(Math.abs(System.currentTimeMillis() - last) < 600_000, "last refused at " + last);
      assertTrue(faults.each("connection_limits", "limit").contains("idle"));
    }
  }

  private static boolean refuses(RawConnection connection) {
    try {
      return connection.ask(produce("orders", "b")) instanceof kaka.protocol.ErrorReply;
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  private long failedCount() {
    try {
      return api.get("/faults").number("failed_partitions/total");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void settingsInForceSayWhereTheyCameFrom() throws Exception {
    JsonTree settings = api.get("/settings?filter=min-free");

    assertEquals(List.of("kaka.log.min-free-bytes"), settings.each("items", "name"));
    assertEquals("1000", settings.text("items/0/value"));
    assertTrue(!settings.text("items/0/source").equals("default"));
    assertEquals("default", api.get("/settings?filter=kaka.topics.default-partitions").text("items/0/source"));
    assertTrue(api.get("/settings").number("total") > 50);
  }
}
