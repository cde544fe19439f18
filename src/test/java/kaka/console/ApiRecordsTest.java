package kaka.console;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import kaka.TestSeed;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.protocol.ProduceBatch;
import kaka.record.Header;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records over HTTP: browsed, searched, consumed, one by one, whole. */
class ApiRecordsTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private TestBroker broker;
  private ApiClient api;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.admin.port = 0, kaka.memory.max-bytes = 64MiB", disk);
    api = new ApiClient(broker);
  }

  /** Everything that was charged is given back, whatever was asked. */
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

  private void produce(String topic, int partition, long timestampMs, byte[] key, byte[] value, Header... headers) throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      RecordBatchBuilder batch = new RecordBatchBuilder(64).append(timestampMs, key, value, List.of(headers));
      connection.ask(new ProduceBatch(new TopicPartition(topic, partition), batch.build()));
    }
  }

  private void produce(String topic, int partition, long timestampMs, String value) throws Exception {
    produce(topic, partition, timestampMs, bytes("k" + value), bytes(value));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void textIsTextAndBytesAreBase64AndNullIsNull() throws Exception {
    create("orders", 1, Map.of());
    byte[] binary = {(byte) 0xff, 0, 1};
    produce("orders", 0, 1000, bytes("schlüssel"), bytes("{\"a\":1}"), new Header("trace", bytes("x")), new Header("raw", binary), new Header("none", null));
    produce("orders", 0, 1001, null, null);
    produce("orders", 0, 1002, binary, new byte[0]);

    JsonTree page = api.get("/topics/orders/records");

    assertEquals("schlüssel", page.text("items/0/key"));
    assertEquals(10, page.number("items/0/key_size"));
    assertEquals("{\"a\":1}", page.text("items/0/value"));
    assertEquals(1000, page.number("items/0/timestamp"));
    assertEquals(List.of("trace", "raw", "none"), page.each("items/0/headers", "name"));
    assertEquals("x", page.text("items/0/headers/0/value"));
    assertEquals(Base64.getEncoder().encodeToString(binary), page.text("items/0/headers/1/value"));
    assertEquals("base64", page.text("items/0/headers/1/encoding"));
    assertEquals(null, page.at("items/0/headers/2/value"));
    assertEquals(null, page.at("items/1/key"));
    assertEquals(null, page.at("items/1/value"));
    assertEquals(null, page.at("items/1/value_size"));
    assertEquals("base64", page.text("items/2/key_encoding"));
    assertEquals("", page.text("items/2/value"));
    assertEquals(0, page.number("items/2/value_size"));
    assertEquals(List.of(0L, 1L, 2L), page.each("items", "offset"));
  }

  @Test
  void aLongValueIsCutAndCanBeHadWhole() throws Exception {
    create("orders", 1, Map.of());
    String umlauts = "ä".repeat(100_000);
    produce("orders", 0, 1000, bytes("k"), bytes(umlauts));

    JsonTree page = api.get("/topics/orders/records?max_value=11");
    assertEquals("äääää", page.text("items/0/value"));
    assertEquals(true, page.flag("items/0/value_cut"));
    assertEquals(200_000, page.number("items/0/value_size"));
    assertTrue(!page.has("items/0/value_encoding") && !page.has("items/0/key_cut"));

    JsonTree one = api.get("/topics/orders/partitions/0/records/0?max_value=1048576");
    assertEquals(umlauts, one.text("value"));
    HttpResponse<byte[]> whole = api.bytes("/topics/orders/partitions/0/records/0/value");
    assertArrayEquals(bytes(umlauts), whole.body());
    assertEquals("application/octet-stream", whole.headers().firstValue("content-type").orElseThrow());
    assertEquals("attachment; filename=\"orders-0-0-value\"", whole.headers().firstValue("content-disposition").orElseThrow());
    assertArrayEquals(bytes("k"), api.bytes("/topics/orders/partitions/0/records/0/key").body());
    assertEquals("unknown_record", api.refused(404, "GET", "/topics/orders/partitions/0/records/1", ""));
    assertEquals("unknown_partition", api.refused(404, "GET", "/topics/orders/partitions/1/records/0", ""));
  }

  @Test
  void aPageGoesOnForwardsAndBackwards() throws Exception {
    create("orders", 1, Map.of());
    for (int i = 0; i < 25; i++) {
      produce("orders", 0, 1000 + i, "v" + i);
    }

    JsonTree newest = api.get("/topics/orders/records?last=10");
    assertEquals(offsets(15, 25), newest.each("items", "offset"));
    JsonTree older = api.get("/topics/orders/records?limit=10&cursor=" + newest.text("previous"));
    assertEquals(offsets(5, 15), older.each("items", "offset"));
    assertEquals(offsets(15, 25), api.get("/topics/orders/records?limit=10&cursor=" + older.text("next")).each("items", "offset"));
    JsonTree oldest = api.get("/topics/orders/records?limit=10&cursor=" + older.text("previous"));
    assertEquals(offsets(0, 5), oldest.each("items", "offset"));
    assertEquals(null, oldest.at("previous"));
    assertEquals(true, oldest.flag("end_reached"));

    JsonTree tail = api.get("/topics/orders/records?cursor=" + newest.text("next"));
    assertEquals(List.of(), tail.list("items"));
    assertEquals(true, tail.flag("end_reached"));
    produce("orders", 0, 2000, "new");
    assertEquals(List.of("new"), api.get("/topics/orders/records?cursor=" + tail.text("next")).each("items", "value"));

    assertEquals(offsets(7, 10), api.get("/topics/orders/records?offset=7&limit=3").each("items", "offset"));
    assertEquals(offsets(20, 22), api.get("/topics/orders/records?time=1020&limit=2").each("items", "offset"));
    assertEquals(List.of(), api.get("/topics/orders/records?time=9999").list("items"));
    assertEquals(List.of(), api.get("/topics/orders/records?offset=9999").list("items"));
    assertEquals("bad_request", api.refused(400, "GET", "/topics/orders/records?offset=1&time=2", ""));
    for (String wrong : List.of("f", "x0.1", "f0", "f0.1.2", "f-1.2", "f0.-1", "f0.%C3%A4")) {
      assertEquals("bad_request", api.refused(400, "GET", "/topics/orders/records?cursor=" + wrong, ""), wrong);
    }
  }

  private static List<Object> offsets(long from, long to) {
    List<Object> offsets = new ArrayList<>();
    for (long offset = from; offset < to; offset++) {
      offsets.add(offset);
    }
    return offsets;
  }

  /** Whatever the page, both ways give each record of each partition once, in the partition's order. */
  @Test
  void pagesOfSeveralPartitionsTogetherLeaveNothingOut() throws Exception {
    Random random = new Random(TestSeed.get());
    create("orders", 4, Map.of());
    int[] counts = {30, 1, 0, 17};
    for (int partition = 0; partition < counts.length; partition++) {
      for (int i = 0; i < counts[partition]; i++) {
        produce("orders", partition, 1000 + random.nextInt(50), "v" + random.nextInt(1000));
      }
    }
    String limit = "limit=" + (1 + random.nextInt(9));

    List<String> forwards = new ArrayList<>();
    JsonTree page = api.get("/topics/orders/records?" + limit + "&time=0");
    for (; page.size("items") > 0; page = api.get("/topics/orders/records?" + limit + "&cursor=" + page.text("next"))) {
      forwards.addAll(places(page));
    }
    assertEquals(true, page.flag("end_reached"));
    assertEveryRecordOnce(counts, forwards);

    List<String> backwards = new ArrayList<>();
    page = api.get("/topics/orders/records?last=5");
    backwards.addAll(0, places(page));
    while (page.at("previous") != null) {
      page = api.get("/topics/orders/records?" + limit + "&cursor=" + page.text("previous"));
      backwards.addAll(0, places(page));
    }
    assertEveryRecordOnce(counts, backwards);
    assertEquals("bad_request", api.refused(400, "GET", "/topics/orders/records?offset=1", ""));
  }

  private static List<String> places(JsonTree page) {
    List<String> places = new ArrayList<>();
    for (int i = 0; i < page.size("items"); i++) {
      places.add(page.number("items/" + i + "/partition") + "-" + page.number("items/" + i + "/offset"));
    }
    return places;
  }

  private static void assertEveryRecordOnce(int[] counts, List<String> places) {
    Set<String> expected = new HashSet<>();
    for (int partition = 0; partition < counts.length; partition++) {
      String prefix = partition + "-";
      List<String> own = places.stream().filter(place -> place.startsWith(prefix)).toList();
      List<String> inOrder = new ArrayList<>();
      for (int offset = 0; offset < counts[partition]; offset++) {
        inOrder.add(prefix + offset);
      }
      assertEquals(inOrder, own);
      expected.addAll(inOrder);
    }
    assertEquals(expected.size(), places.size());
  }

  @Test
  void newestOfAllPartitionsAreTheNewestByTime() throws Exception {
    create("orders", 2, Map.of());
    for (int i = 0; i < 10; i++) {
      produce("orders", i % 2, 1000 + i, "v" + i);
    }
    for (int i = 10; i < 15; i++) {
      produce("orders", 0, 1000 + i, "v" + i);
    }

    assertEquals(
        List.of("v8", "v9", "v10", "v11", "v12", "v13", "v14"), api.get("/topics/orders/records?last=7").each("items", "value"));
    assertEquals(List.of("v0", "v1", "v2"), api.get("/topics/orders/records?time=0&limit=3").each("items", "value"));
  }

  @Test
  void aSearchFindsKeysValuesAndHeaders() throws Exception {
    create("orders", 1, Map.of());
    for (int i = 0; i < 50; i++) {
      produce("orders", 0, 1000 + i, bytes("key-" + i), bytes("some value " + i), new Header("h", bytes("Header" + i)));
    }
    produce("orders", 0, 2000, null, null);

    assertEquals(List.of(7L), api.get("/topics/orders/records?key=key-7").each("items", "offset"));
    assertEquals(List.of(), api.get("/topics/orders/records?key=key-").list("items"));
    assertEquals(List.of(42L), api.get("/topics/orders/records?text=VALUE%2042").each("items", "offset"));
    assertEquals(List.of(33L), api.get("/topics/orders/records?text=header33&time=0").each("items", "offset"));
    assertEquals(offsets(40, 50), api.get("/topics/orders/records?text=key-4&offset=5").each("items", "offset"));
    JsonTree newest = api.get("/topics/orders/records?text=key-4&last=3");
    assertEquals(offsets(47, 50), newest.each("items", "offset"));
    assertEquals(offsets(44, 47), api.get("/topics/orders/records?text=key-4&limit=3&cursor=" + newest.text("previous")).each("items", "offset"));
    assertEquals(51, api.get("/topics/orders/records?text=nothing").number("scanned_records"));
  }

  /** A search of more than one request may look at tells how far it is, and goes on, either way, until it has seen everything. */
  @Test
  void aLongSearchGoesOnWithItsCursor() throws Exception {
    create("orders", 1, Map.of("segment.bytes", "4000000"));
    byte[] filling = new byte[500_000];
    produce("orders", 0, 1000, bytes("first"), bytes("needle"));
    for (int i = 0; i < 40; i++) {
      produce("orders", 0, 1001 + i, null, filling);
    }
    produce("orders", 0, 2000, bytes("last"), bytes("needle"));

    JsonTree page = api.get("/topics/orders/records?text=needle&offset=0");
    List<Object> found = new ArrayList<>(page.each("items", "key"));
    int requests = 1;
    assertEquals(false, page.flag("end_reached"));
    for (; !page.flag("end_reached"); requests++) {
      assertTrue(page.number("scanned_bytes") < 10 << 20, page.toString());
      page = api.get("/topics/orders/records?text=needle&cursor=" + page.text("next"));
      found.addAll(page.each("items", "key"));
    }
    assertEquals(List.of("first", "last"), found);
    assertTrue(requests > 1);

    page = api.get("/topics/orders/records?text=needle&last=10");
    assertEquals(List.of("last"), page.each("items", "key"));
    found.clear();
    for (; page.at("previous") != null; ) {
      page = api.get("/topics/orders/records?text=needle&cursor=" + page.text("previous"));
      found.addAll(page.each("items", "key"));
    }
    assertEquals(List.of("first"), found);
    assertEquals(true, page.flag("end_reached"));
  }

  @Test
  void recordsAreConsumedFromAnOffsetOn() throws Exception {
    create("orders", 1, Map.of());
    for (int i = 0; i < 10; i++) {
      produce("orders", 0, 1000 + i, "v" + i);
    }
    String path = "/topics/orders/partitions/0/records";

    JsonTree first = api.get(path + "?max_records=4");
    assertEquals(offsets(0, 4), first.each("items", "offset"));
    assertEquals(4, first.number("next_offset"));
    assertEquals(10, first.number("high_watermark"));
    assertEquals(offsets(4, 6), api.get(path + "?offset=4&max_bytes=11").each("items", "offset")); // two of five bytes
    JsonTree longer = api.get(path + "?offset=4&max_bytes=1");
    assertEquals("v", longer.text("items/0/value"));
    assertEquals(true, longer.flag("items/0/value_cut"));
    assertEquals(5, longer.number("next_offset"));
    JsonTree end = api.get(path + "?offset=latest");
    assertEquals(List.of(), end.list("items"));
    assertEquals(10, end.number("next_offset"));
    assertEquals("bad_request", api.refused(400, "GET", path + "?offset=newest", ""));
  }

  @Test
  void whoConsumesAtTheEndIsAnsweredWhenARecordComes() throws Exception {
    create("orders", 1, Map.of());
    produce("orders", 0, 1000, "old");
    CompletableFuture<JsonTree> waiting =
        CompletableFuture.supplyAsync(() -> unchecked("/topics/orders/partitions/0/records?offset=1&wait_ms=10000"));

    for (int i = 0; !waiting.isDone(); i++) { // it may begin to wait behind any of them
      produce("orders", 0, 1001, "new" + i);
    }

    assertTrue(waiting.get().text("items/0/value").startsWith("new"));
    assertEquals(1, waiting.get().number("items/0/offset"));
    assertEquals(List.of(), api.get("/topics/orders/partitions/0/records?offset=1000000&wait_ms=1").list("items"));
  }

  private JsonTree unchecked(String path) {
    try {
      return api.get(path);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** A damaged batch is never shown. */
  @Test
  void damageIsSaidAndWhatComesBeforeItIsShown() throws Exception {
    create("orders", 1, Map.of());
    produce("orders", 0, 1000, "good");
    produce("orders", 0, 1001, "bad");
    java.nio.file.Path file = java.nio.file.Path.of("/kaka/orders-0/00000000000000000000.log");
    disk.flipBit(file, 8 * (disk.sizeBytes(file) - 2));

    assertEquals("storage", api.refused(503, "GET", "/topics/orders/records?offset=0", ""));
    assertEquals(List.of("good"), api.get("/topics/orders/records?offset=0&limit=1").each("items", "value"));
  }

  @Test
  void whatIsHeldIsChargedAndAFullBudgetRefuses() throws Exception {
    create("orders", 1, Map.of());
    produce("orders", 0, 1000, bytes("k"), new byte[300_000]);
    long left = broker.memory().maxBytes() - broker.memory().usedBytes() - 200_000;
    assertTrue(broker.memory().tryReserve(left));
    try {
      assertEquals("memory", api.refused(503, "GET", "/topics/orders/records", ""));
      assertEquals("memory", api.refused(503, "GET", "/topics/orders/partitions/0/records/0/value", ""));
    } finally {
      broker.memory().release(left);
    }
    assertEquals(300_000, api.bytes("/topics/orders/partitions/0/records/0/value").body().length);
  }
}
