package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.protocol.Produce;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Topics, partitions and segments over HTTP: what is shown, and what changes them. */
class ApiTopicsTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private TestBroker broker;
  private ApiClient api;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.admin.port = 0, kaka.console.write = true", disk);
    api = new ApiClient(broker);
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private void produce(String topic, int partition, int count) throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      for (int i = 0; i < count; i++) {
        byte[] value = ("v" + i).getBytes(StandardCharsets.UTF_8);
        connection.ask(
            new Produce(new TopicPartition(topic, partition), new RecordBatchBuilder(64).append(1000 + i, null, value, List.of()).build()));
      }
    }
  }

  @Test
  void aTopicIsCreatedShownAlteredGrownAndDeleted() throws Exception {
    JsonTree made =
        api.ask(201, "POST", "/topics", "{\"name\":\"orders\",\"partitions\":3,\"settings\":{\"retention.ms\":\"3600000\"}}");
    assertEquals(3, made.number("partitions"));
    assertEquals("topic", settingOf(made, "retention.ms", "source"));
    assertEquals("3600000", settingOf(made, "retention.ms", "value"));
    assertEquals("topic_exists", api.refused(409, "POST", "/topics", "{\"name\":\"orders\"}"));

    JsonTree altered = api.ask(200, "PATCH", "/topics/orders", "{\"settings\":{\"retention.ms\":null,\"segment.bytes\":\"2000000\"}}");
    assertEquals("default", settingOf(altered, "retention.ms", "source"));
    assertEquals("2000000", settingOf(api.get("/topics/orders"), "segment.bytes", "value"));

    assertEquals(5, api.post("/topics/orders/partitions", "{\"count\":5}").number("partitions"));
    assertEquals("bad_request", api.refused(400, "POST", "/topics/orders/partitions", "{\"count\":5}"));
    assertEquals(made.text("id"), api.get("/topics/orders").text("id"));

    assertEquals("orders", api.ask(200, "DELETE", "/topics/orders", "").text("deleted"));
    assertEquals("unknown_topic", api.refused(404, "GET", "/topics/orders", ""));
    assertEquals("unknown_topic", api.refused(404, "DELETE", "/topics/orders", ""));
    api.ask(201, "POST", "/topics", "{\"name\":\"orders\"}");
    assertNotEquals(made.text("id"), api.get("/topics/orders").text("id"));
  }

  private static String settingOf(JsonTree topic, String name, String field) {
    int index = topic.each("settings", "name").indexOf(name);
    return topic.text("settings/" + index + "/" + field);
  }

  @Test
  void whatATopicCannotBeIsRefusedByName() throws Exception {
    assertTrue(messageOf("POST", "/topics", "{\"name\":\"a/b\"}").contains("illegal character"));
    assertTrue(messageOf("POST", "/topics", "{\"name\":\"a\",\"partition\":3}").contains("partition: unknown field"));
    assertTrue(messageOf("POST", "/topics", "{\"name\":7}").contains("name: expected a string"));
    assertTrue(messageOf("POST", "/topics", "{\"name\":\"a\",\"partitions\":0}").contains("partitions: expected a whole number"));
    assertTrue(messageOf("POST", "/topics", "{\"name\":\"a\",\"partitions\":1.5}").contains("partitions: expected a whole number"));
    assertTrue(messageOf("POST", "/topics", "{\"name\":\"a\",\"settings\":{\"retention.ms\":3}}").contains("settings.retention.ms: expected a string"));
    assertTrue(messageOf("POST", "/topics", "{\"name\":\"a\",\"settings\":{\"retention.mss\":\"3\"}}").contains("retention.mss"));
    assertTrue(messageOf("POST", "/topics", "{\"name\":").contains("no JSON at line 1"));
    assertTrue(messageOf("POST", "/topics", "[]").contains("a JSON object"));
    assertTrue(messageOf("POST", "/topics", "{\"name\":\"a\"} {}").contains("more than one"));
    assertTrue(messageOf("POST", "/topics", "{\"name\":\"a\",\"name\":\"b\"}").contains("Duplicate"));
    assertTrue(messageOf("POST", "/topics", "{\"name\":" + "[".repeat(100_000)).contains("nested too deep"));
    assertEquals("too_large", api.refused(413, "POST", "/topics", "{\"name\":[" + "0,".repeat(60_000) + "0]}"));
    assertEquals(0, api.get("/topics").number("total"));
    broker.awaitBudgetEmpty();
  }

  private String messageOf(String method, String path, String body) throws Exception {
    JsonTree answer = api.ask(400, method, path, body);
    assertEquals("bad_request", answer.text("error/code"));
    return answer.text("error/message");
  }

  @Test
  void topicsAreListedByPageFilteredAndSorted() throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      for (String name : List.of("bills", "orders", "Orders.dead", "users")) {
        connection.ask(new CreateTopic(name, 2, java.util.Map.of()));
      }
    }
    produce("orders", 1, 3);
    produce("users", 0, 5);

    assertEquals(List.of("Orders.dead", "bills", "orders", "users"), api.get("/topics").each("items", "name"));
    assertEquals(List.of("users", "orders"), api.get("/topics?sort=records&order=desc&limit=2").each("items", "name"));
    JsonTree filtered = api.get("/topics?filter=ORD&offset=1&limit=5");
    assertEquals(List.of("orders"), filtered.each("items", "name"));
    assertEquals(2, filtered.number("total"));
    assertEquals(3, filtered.number("items/0/records"));
    assertEquals(3, filtered.number("items/0/produced_records"));
    assertEquals(List.of(), api.get("/topics?offset=100").list("items"));
    assertTrue(messageOf("GET", "/topics?limit=1001", "").contains("limit=1001"));
    assertTrue(messageOf("GET", "/topics?sort=colour", "").contains("sort=colour"));
    assertTrue(messageOf("GET", "/topics?fliter=a", "").contains("unknown parameter 'fliter'"));
  }

  @Test
  void partitionsAreListedOfOneTopicAndOfAll() throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(new CreateTopic("orders", 3, java.util.Map.of()));
      connection.ask(new CreateTopic("users", 2, java.util.Map.of()));
    }
    produce("orders", 2, 4);
    disk.failNext(FaultyDisk.Operation.SYNC, "users-1/00000000000000000000.log");
    produce("users", 1, 1);

    JsonTree orders = api.get("/topics/orders/partitions?sort=size&order=desc&limit=1");
    assertEquals(3, orders.number("total"));
    assertEquals(2, orders.number("items/0/partition"));
    assertEquals(0, orders.number("items/0/log_start"));
    assertEquals(4, orders.number("items/0/high_watermark"));
    assertTrue(orders.number("items/0/size_bytes") > 0);
    assertEquals(5, api.get("/partitions").number("total"));
    assertEquals(2, api.get("/partitions?filter=use").number("total"));
    JsonTree failed = api.get("/partitions?state=failed");
    assertEquals(List.of("users"), failed.each("items", "topic"));
    assertTrue(failed.text("items/0/reason").contains("fault injected"), failed.toString());
    assertEquals(1, api.get("/topics/users").number("failed"));
    assertEquals("unknown_topic", api.refused(404, "GET", "/topics/nothing/partitions", ""));
  }

  @Test
  void segmentsAreListedFromEitherEnd() throws Exception {
    api.ask(201, "POST", "/topics", "{\"name\":\"orders\",\"partitions\":1,\"settings\":{\"segment.bytes\":\"1024\"}}");
    produce("orders", 0, 60);

    JsonTree all = api.get("/topics/orders/partitions/0/segments");
    int count = all.size("items");
    assertTrue(count > 2, all.toString());
    assertEquals(count, all.number("total"));
    assertEquals(0, all.number("items/0/base_offset"));
    for (int i = 1; i < count; i++) {
      assertEquals(all.number("items/" + (i - 1) + "/next_offset"), all.number("items/" + i + "/base_offset"));
    }
    assertTrue(all.number("items/0/max_timestamp") <= all.number("items/1/max_timestamp"));
    assertTrue(all.number("items/0/index_bytes") >= 0 && all.number("items/0/time_index_bytes") > 0);
    assertEquals(false, all.flag("items/0/active"));
    assertEquals(true, all.flag("items/" + (count - 1) + "/active"));
    assertEquals(null, all.at("items/" + (count - 1) + "/last_modified"));
    long sizes = all.each("items", "size_bytes").stream().mapToLong(size -> (Long) size).sum();
    assertEquals(sizes, all.number("size_bytes"));
    JsonTree newest = api.get("/topics/orders/partitions/0/segments?order=desc&limit=2&offset=1");
    assertEquals(all.number("items/" + (count - 2) + "/base_offset"), newest.number("items/0/base_offset"));
    assertEquals(all.number("items/" + (count - 3) + "/base_offset"), newest.number("items/1/base_offset"));
    assertEquals("unknown_partition", api.refused(404, "GET", "/topics/orders/partitions/1/segments", ""));
    assertEquals("bad_request", api.refused(400, "GET", "/topics/orders/partitions/x/segments", ""));
  }
}
