package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import kaka.broker.TestBroker;
import kaka.client.ClientConfig;
import kaka.client.GroupConsumer;
import kaka.client.GroupConsumerConfig;
import kaka.client.KakaClient;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.protocol.ProduceBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Groups over HTTP. */
class ApiGroupsTest {
  private static final GroupConsumer.Listener IGNORING =
      new GroupConsumer.Listener() {
        @Override
        public void onRevoked() {}

        @Override
        public void onAssigned(Map<TopicPartition, Long> starts) {}
      };

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private TestBroker broker;
  private ApiClient api;

  /** Two partitions of five records each, stamped 1000 to 1004. */
  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("kaka.admin.port = 0, kaka.console.write = true", disk);
    api = new ApiClient(broker);
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(new CreateTopic("orders", 2, Map.of()));
      for (int partition = 0; partition < 2; partition++) {
        for (int i = 0; i < 5; i++) {
          byte[] value = {(byte) i};
          connection.ask(
              new ProduceBatch(
                  new TopicPartition("orders", partition), new RecordBatchBuilder(64).append(1000 + i, null, value, List.of()).build()));
        }
      }
    }
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private static String offset(int partition, long offset) {
    return "{\"topic\":\"orders\",\"partition\":" + partition + ",\"offset\":" + offset + ",\"metadata\":\"by hand\"}";
  }

  private void commit(String group, long first, long second) throws Exception {
    api.post("/groups/" + group + "/offsets", "{\"offsets\":[" + offset(0, first) + "," + offset(1, second) + "]}");
  }

  @Test
  void whatIsCommittedIsShownWithItsLag() throws Exception {
    commit("archive", 2, 5);

    JsonTree group = api.get("/groups/archive");
    assertEquals("Empty", group.text("state"));
    assertEquals("simple", group.text("type"));
    assertEquals(3, group.number("total_lag"));
    assertEquals(List.of(2L, 5L), group.each("items", "committed"));
    assertEquals(List.of(5L, 5L), group.each("items", "end"));
    assertEquals("by hand", group.text("items/0/metadata"));
    assertEquals(List.of(1L), api.get("/groups/archive?offset=1&limit=1").each("items", "partition"));
    assertEquals(List.of(5L), api.get("/groups/archive/offsets?topic=orders&partition=1").each("items", "committed"));
    assertEquals(0, api.get("/groups/archive/offsets?topic=others").number("total"));
    assertEquals("unknown_group", api.refused(404, "GET", "/groups/nobody", ""));
  }

  @Test
  void groupsAreListedByPageFilteredAndSorted() throws Exception {
    commit("archive", 5, 5);
    commit("mail", 0, 1);
    commit("Mail.slow", 0, 0);
    String odd = "a/b c?";
    commit(URLEncoder.encode(odd, StandardCharsets.UTF_8).replace("+", "%20"), 4, 5);

    assertEquals(List.of("Mail.slow", odd, "archive", "mail"), api.get("/groups").each("items", "group"));
    assertEquals(List.of("Mail.slow", "mail"), api.get("/groups?sort=lag&order=desc&limit=2").each("items", "group"));
    JsonTree mail = api.get("/groups?filter=mAIL&type=simple&state=empty");
    assertEquals(List.of(10L, 9L), mail.each("items", "lag"));
    assertEquals(List.of(0L, 0L), mail.each("items", "members"));
    assertEquals(List.of(2L, 2L), mail.each("items", "partitions"));
    assertEquals(0, api.get("/groups?type=consumer").number("total"));
    assertEquals(odd, api.get("/groups/a%2Fb%20c%3F").text("group"));
  }

  @Test
  void aLiveGroupIsShownWithItsMembersAndNotMoved() throws Exception {
    commit("archive", 1, 2);
    try (KakaClient client = KakaClient.connect(ClientConfig.of("127.0.0.1", broker.address().getPort()));
        GroupConsumer member = client.groupConsumer(GroupConsumerConfig.of("archive", List.of("orders")), IGNORING)) {
      member.poll(Duration.ofSeconds(20));

      JsonTree group = api.get("/groups/archive");
      assertEquals("Stable", group.text("state"));
      assertEquals("classic", group.text("type"));
      assertEquals(List.of(0L, 1L), group.list("members/0/partitions/0/partitions"));
      assertEquals(group.text("members/0/member_id"), group.text("items/1/member_id"));
      assertEquals(List.of(1L), api.get("/groups?state=Stable").each("items", "members"));

      String to = "{\"to\":\"earliest\"}";
      assertEquals("group_not_empty", api.refused(409, "POST", "/groups/archive/reset", to));
      assertEquals("group_not_empty", api.refused(409, "POST", "/groups/archive/reset", "{\"to\":\"earliest\",\"dry_run\":true}"));
      assertEquals("group_not_empty", api.refused(409, "POST", "/groups/archive/offsets", "{\"offsets\":[" + offset(0, 0) + "]}"));
      assertEquals("group_not_empty", api.refused(409, "DELETE", "/groups/archive", ""));
      assertEquals(List.of(1L, 2L), api.get("/groups/archive/offsets").each("items", "committed"));
    }
  }

  @Test
  void aGroupIsMovedToAPlaceOfEveryKind() throws Exception {
    commit("archive", 1, 2);

    JsonTree dry = reset("\"latest\",\"dry_run\":true");
    assertEquals(List.of(1L, 2L), dry.each("moves", "from"));
    assertEquals(List.of(5L, 5L), dry.each("moves", "to"));
    assertEquals(List.of(1L, 2L), committed());

    reset("\"latest\"");
    assertEquals(List.of(5L, 5L), committed());
    reset("\"earliest\"");
    assertEquals(List.of(0L, 0L), committed());
    reset("{\"offset\":3}");
    assertEquals(List.of(3L, 3L), committed());
    reset("{\"offset\":99}");
    assertEquals(List.of(5L, 5L), committed());
    reset("{\"time\":1001},\"topics\":[\"orders\"],\"partitions\":[1]");
    assertEquals(List.of(5L, 1L), committed());
    reset("{\"shift\":-2}");
    assertEquals(List.of(3L, 0L), committed());
    reset("{\"shift\":9223372036854775807}");
    assertEquals(List.of(5L, 5L), committed());
    reset("{\"time\":2000}");
    assertEquals(List.of(5L, 5L), committed());
    TestBroker.awaitTrue(
        "nothing but the groups themselves is charged",
        () -> broker.memory().usedBytes() == broker.memory().usedBytes(kaka.partition.MemoryBudget.Use.GROUPS));
  }

  private JsonTree reset(String to) throws Exception {
    return api.post("/groups/archive/reset", "{\"to\":" + to + "}");
  }

  private List<Object> committed() throws Exception {
    return api.get("/groups/archive/offsets").each("items", "committed");
  }

  @Test
  void whatCannotBeMovedIsRefused() throws Exception {
    String path = "/groups/new/reset";
    assertEquals("unknown_group", api.refused(404, "POST", path, "{\"to\":\"earliest\"}"));
    assertEquals("bad_request", api.refused(400, "POST", path, "{\"to\":{\"shift\":1},\"topics\":[\"orders\"]}"));
    assertEquals("bad_request", api.refused(400, "POST", path, "{\"to\":\"middle\",\"topics\":[\"orders\"]}"));
    assertEquals("bad_request", api.refused(400, "POST", path, "{\"to\":{\"offset\":1,\"time\":2},\"topics\":[\"orders\"]}"));
    assertEquals("bad_request", api.refused(400, "POST", path, "{\"to\":\"latest\",\"partitions\":[0]}"));
    assertEquals("unknown_topic", api.refused(404, "POST", path, "{\"to\":\"latest\",\"topics\":[\"others\"]}"));
    assertEquals("unknown_partition", api.refused(404, "POST", path, "{\"to\":\"latest\",\"topics\":[\"orders\"],\"partitions\":[2]}"));
    assertEquals("unknown_partition", api.refused(404, "POST", "/groups/new/offsets", "{\"offsets\":[" + offset(7, 0) + "]}"));
    assertEquals("bad_request", api.refused(400, "POST", "/groups/new/offsets", "{\"offsets\":[" + offset(0, -1) + "]}"));
    assertEquals("bad_request", api.refused(400, "POST", "/groups/new/offsets", "{}"));

    assertEquals(List.of(0L, 0L), api.post(path, "{\"to\":\"earliest\",\"topics\":[\"orders\"]}").each("moves", "to"));
    assertEquals("Empty", api.get("/groups/new").text("state"));
  }

  @Test
  void aGroupIsDeletedWithItsOffsets() throws Exception {
    commit("archive", 1, 2);

    assertEquals("archive", api.ask(200, "DELETE", "/groups/archive", "").text("deleted"));

    assertEquals("unknown_group", api.refused(404, "DELETE", "/groups/archive", ""));
    assertEquals(0, api.get("/groups").number("total"));
  }

  /** Where the disk of the offsets hangs, so does the coordinator: the list does without it. */
  @Test
  void theListIsThereWhileTheCoordinatorWaitsForItsDisk() throws Exception {
    commit("archive", 1, 2);
    try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.SYNC, "__offsets-0/00000000000000000000.log");
        RawConnection connection = new RawConnection(broker.address())) {
      connection.send(new kaka.protocol.Commit("archive", new TopicPartition("orders", 0), 3));
      gate.awaitEntered();

      JsonTree groups = api.get("/groups");

      assertEquals("unknown", groups.text("items/0/state"));
      assertEquals(7, groups.number("items/0/lag"));
      gate.open();
    }
    TestBroker.awaitTrue("the coordinator answers again", () -> stateOfFirst().equals("Empty"));
  }

  private String stateOfFirst() {
    try {
      return api.get("/groups").text("items/0/state");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
