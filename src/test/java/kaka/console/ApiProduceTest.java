package kaka.console;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.record.Partitioner;
import kaka.server.RawConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Produces over HTTP, and deletions of records. */
class ApiProduceTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private TestBroker broker;
  private ApiClient api;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.admin.port = 0, kaka.console.write = true, kaka.log.min-free-bytes = 1000", disk);
    api = new ApiClient(broker);
    create("orders", 3, Map.of());
  }

  @AfterEach
  void stop() {
    broker.awaitBudgetEmpty();
    broker.close();
  }

  private void create(String topic, int partitions, Map<String, String> settings) throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(new CreateTopic(topic, partitions, settings));
    }
  }

  @Test
  void aRecordIsProducedWithAllThatItHas() throws Exception {
    String binary = Base64.getEncoder().encodeToString(new byte[] {(byte) 0xff, 0});

    JsonTree done =
        api.post(
            "/topics/orders/records",
            "{\"key\":\"k\",\"value\":\"" + binary + "\",\"value_encoding\":\"base64\",\"partition\":1,\"timestamp\":1234,"
                + "\"headers\":[{\"name\":\"h\",\"value\":\"x\"},{\"name\":\"none\"}]}");

    assertEquals(1, done.number("results/0/partition"));
    assertEquals(0, done.number("results/0/offset"));
    JsonTree stored = api.get("/topics/orders/partitions/1/records/0");
    assertEquals("k", stored.text("key"));
    assertEquals(1234, stored.number("timestamp"));
    assertEquals(List.of("h", "none"), stored.each("headers", "name"));
    assertEquals(null, stored.at("headers/1/value"));
    assertArrayEquals(new byte[] {(byte) 0xff, 0}, api.bytes("/topics/orders/partitions/1/records/0/value").body());
    JsonTree tombstone = api.post("/topics/orders/records", "{\"key\":\"k\",\"value\":null,\"partition\":1}");
    assertEquals(1, tombstone.number("results/0/offset"));
    assertEquals(null, api.get("/topics/orders/partitions/1/records/1").at("value"));
  }

  @Test
  void keysGoWhereEveryClientSendsThem() throws Exception {
    StringBuilder records = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      records.append(i == 0 ? "" : ",").append("{\"key\":\"key-").append(i).append("\",\"value\":\"v\"}");
    }

    JsonTree done = api.post("/topics/orders/records", "{\"records\":[" + records + "]}");

    Set<Object> places = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      int partition = Partitioner.partitionOf(("key-" + i).getBytes(StandardCharsets.UTF_8), 3);
      assertEquals(partition, done.number("results/" + i + "/partition"), "key-" + i);
      JsonTree stored = api.get("/topics/orders/partitions/" + partition + "/records/" + done.number("results/" + i + "/offset"));
      assertEquals("key-" + i, stored.text("key"));
      places.add(partition);
    }
    assertEquals(3, places.size());
  }

  @Test
  void recordsWithoutKeyGoToOnePartitionTogether() throws Exception {
    JsonTree done = api.post("/topics/orders/records", "{\"records\":[{\"value\":\"a\"},{\"value\":\"b\"},{\"value\":\"c\"}]}");

    assertEquals(1, new HashSet<>(done.each("results", "partition")).size());
    assertEquals(List.of(0L, 1L, 2L), done.each("results", "offset"));
  }

  @Test
  void whatCannotBeProducedIsRefusedAndNothingIsStored() throws Exception {
    assertEquals("unknown_topic", api.refused(404, "POST", "/topics/others/records", "{\"value\":\"v\"}"));
    assertEquals("unknown_partition", api.refused(404, "POST", "/topics/orders/records", "{\"value\":\"v\",\"partition\":3}"));
    assertEquals("bad_request", api.refused(400, "POST", "/topics/orders/records", "{\"value\":7}"));
    assertEquals("bad_request", api.refused(400, "POST", "/topics/orders/records", "{\"value\":\"?\",\"value_encoding\":\"base64\"}"));
    assertEquals("bad_request", api.refused(400, "POST", "/topics/orders/records", "{\"value\":\"v\",\"value_encoding\":\"hex\"}"));
    assertEquals("bad_request", api.refused(400, "POST", "/topics/orders/records", "{\"value\":\"\\ud800\"}"));
    assertEquals("bad_request", api.refused(400, "POST", "/topics/orders/records", "{\"records\":[]}"));
    assertEquals("bad_request", api.refused(400, "POST", "/topics/orders/records", "{\"value\":\"v\",\"header\":[]}"));
    create("compacted", 1, Map.of("cleanup.policy", "compact"));
    assertEquals("bad_request", api.refused(400, "POST", "/topics/compacted/records", "{\"value\":\"v\"}"));
    create("small", 1, Map.of("max.message.bytes", "100"));
    assertEquals("too_large", api.refused(413, "POST", "/topics/small/records", "{\"value\":\"" + "v".repeat(100) + "\"}"));
    assertEquals(0, api.get("/overview").number("totals/produced_records"));
  }

  /** The answer comes when the sync has returned, and not before. */
  @Test
  void anAnswerMeansThatItIsOnDisk() throws Exception {
    try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.SYNC, "orders-0/00000000000000000000.log")) {
      CompletableFuture<HttpResponse<String>> answer = CompletableFuture.supplyAsync(this::produceOne);
      gate.awaitEntered();
      assertEquals(0, api.get("/topics/orders/partitions").number("items/0/high_watermark"));
      assertTrue(!answer.isDone());

      gate.open();

      assertEquals(200, answer.get().statusCode());
      assertEquals(1, api.get("/topics/orders/partitions").number("items/0/high_watermark"));
    }
  }

  private HttpResponse<String> produceOne() {
    try {
      return api.send("POST", "/api/v1/topics/orders/records", "{\"value\":\"v\",\"partition\":0}");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aPartitionThatFailsIsToldFromThoseThatDoNot() throws Exception {
    disk.failNext(FaultyDisk.Operation.SYNC, "orders-1/00000000000000000000.log");

    HttpResponse<String> answer =
        api.send(
            "POST",
            "/api/v1/topics/orders/records",
            "{\"records\":[{\"value\":\"a\",\"partition\":0},{\"value\":\"b\",\"partition\":1},{\"value\":\"c\",\"partition\":2}]}");

    assertEquals(503, answer.statusCode());
    JsonTree body = JsonTree.parse(answer.body());
    assertEquals("storage", body.text("error/code"));
    assertEquals(0, body.number("results/0/offset"));
    assertEquals("storage", body.text("results/1/error"));
    assertEquals(0, body.number("results/2/offset"));
  }

  @Test
  void aFullDiskIsSaidAndPasses() throws Exception {
    disk.setUsableBytes(999);
    assertEquals("unavailable", api.refused(503, "POST", "/topics/orders/records", "{\"value\":\"v\"}"));

    disk.setUsableBytes(1 << 30);

    TestBroker.awaitTrue("there is room again", () -> produceOne().statusCode() == 200);
  }

  @Test
  void recordsBeforeAnOffsetAreDeleted() throws Exception {
    api.post("/topics/orders/records", "{\"records\":[{\"value\":\"a\",\"partition\":0},{\"value\":\"b\",\"partition\":0},{\"value\":\"c\",\"partition\":0}]}");
    String path = "/topics/orders/partitions/0/delete-records";

    assertEquals(2, api.post(path, "{\"before_offset\":2}").number("log_start"));
    assertEquals(List.of("c"), api.get("/topics/orders/records?partition=0&offset=0").each("items", "value"));
    assertEquals(2, api.get("/topics/orders/partitions/0/records?offset=0").number("items/0/offset"));
    assertEquals("unknown_record", api.refused(404, "GET", "/topics/orders/partitions/0/records/1", ""));
    assertEquals("bad_request", api.refused(400, "POST", path, "{\"before_offset\":4}"));
    assertEquals("bad_request", api.refused(400, "POST", path, "{\"before_offset\":\"some\"}"));
    assertEquals(3, api.post(path, "{\"before_offset\":\"all\"}").number("log_start"));
    create("compacted", 1, Map.of("cleanup.policy", "compact"));
    assertEquals("bad_request", api.refused(400, "POST", "/topics/compacted/partitions/0/delete-records", "{\"before_offset\":0}"));
  }
}
