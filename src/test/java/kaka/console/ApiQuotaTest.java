package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.util.List;
import kaka.broker.TestBroker;
import kaka.log.MemoryDisk;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is produced and consumed over HTTP counts for the quotas. Rates are so low that nothing is paid for while a test runs. */
class ApiQuotaTest {
  private static final String RECORDS = "/topics/orders/records";
  private static final String RECORD = "{\"value\":\"" + "x".repeat(50_000) + "\"}";

  private TestBroker broker;
  private ApiClient api;

  private void start(String quotas) throws Exception {
    broker = TestBroker.start("kaka.admin.port = 0, kaka.console.write = true\nkaka.quotas { max-throttle = 10m, " + quotas + " }", new MemoryDisk());
    api = new ApiClient(broker);
    api.ask(201, "POST", "/topics", "{\"name\":\"orders\",\"partitions\":1}");
  }

  @AfterEach
  void stop() {
    broker.awaitBudgetEmpty();
    broker.close();
  }

  @Test
  void whoProducesMoreThanItsQuotaIsToldWhenToComeAgain() throws Exception {
    start("produce-bytes-per-second = 200");
    api.post(RECORDS, RECORD);

    HttpResponse<String> refused = api.send("POST", "/api/v1" + RECORDS, RECORD);

    assertEquals(429, refused.statusCode(), refused.body());
    assertEquals("quota", JsonTree.parse(refused.body()).text("error/code"));
    int seconds = Integer.parseInt(refused.headers().firstValue("Retry-After").orElseThrow());
    assertTrue(seconds > 1 && seconds <= RECORD.length() / 200, seconds + " s");
    assertEquals(1, api.get("/topics/orders").number("records"), "nothing was stored");
    assertEquals(1, api.get("/topics/orders/partitions/0/records").size("items"), "reading is another matter");
  }

  /** Each way to read records is one, and all count together. */
  @Test
  void whoReadsMoreThanItsQuotaIsToldWhenToComeAgain() throws Exception {
    List<String> ways =
        List.of("/topics/orders/records", "/topics/orders/partitions/0/records", "/topics/orders/partitions/0/records/0",
            "/topics/orders/partitions/0/records/0/value", "/topics/orders/partitions/0/records/0/key");
    for (String way : ways) {
      start("fetch-bytes-per-second = 1");
      api.post(RECORDS, RECORD.replace("{", "{\"key\":\"" + "k".repeat(1000) + "\","));
      assertEquals(200, api.bytes(way).statusCode(), way);

      for (String other : ways) {
        assertEquals("quota", api.refused(429, "GET", other, ""), other + " after " + way);
      }
      api.post(RECORDS, RECORD);
      api.get("/overview");
      if (!way.equals(ways.get(ways.size() - 1))) {
        stop();
      }
    }
  }

  /** All who come by HTTP are one client, of that name. */
  @Test
  void theClientIsCalledHttp() throws Exception {
    start("overrides = [{client = http, produce-bytes-per-second = 200, fetch-bytes-per-second = 0}]");
    api.post(RECORDS, RECORD);

    assertEquals("quota", api.refused(429, "POST", RECORDS, RECORD));
  }

  @Test
  void orIsItsAddress() throws Exception {
    start("per = address, overrides = [{client = 127.0.0.1, produce-bytes-per-second = 200, fetch-bytes-per-second = 0}]");
    api.post(RECORDS, RECORD);

    assertTrue(api.ask(429, "POST", RECORDS, RECORD).text("error/message").contains("127.0.0.1"));
  }

  @Test
  void withoutQuotasNobodyWaits() throws Exception {
    start("per = address");

    for (int i = 0; i < 10; i++) {
      api.post(RECORDS, RECORD);
      api.get("/topics/orders/partitions/0/records?offset=" + i);
    }
  }
}
