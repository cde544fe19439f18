package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.Produce;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.Test;

/** What the admin server still answers while the disk answers nothing. */
class AdminHangTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  /** The disk does not say how much is free: the process is alive all the same, and not ready. */
  @Test
  void aDiskThatHangsIsNotReadyAndTheProcessIsAlive() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0", disk)) {
      AdminClient admin = new AdminClient(broker.adminAddress().orElseThrow());
      try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.USABLE_BYTES, "kaka")) {
        List<CompletableFuture<HttpResponse<String>>> asking = new ArrayList<>();
        for (int i = 0; i < 4; i++) { // more than there are threads for pages
          asking.add(admin.ask("/health/ready"));
        }
        gate.awaitEntered();

        assertEquals(200, admin.get("/health/live").statusCode());
        for (CompletableFuture<HttpResponse<String>> each : asking) {
          assertEquals(503, each.get().statusCode());
          assertTrue(each.get().body().contains("disk_unreadable"), each.get().body());
        }
        assertEquals(503, admin.get("/health/ready").statusCode());
        assertTrue(admin.get("/status").body().contains("disk_unreadable"));
        assertTrue(!admin.scrape().containsKey("kaka_disk_free_bytes"));
        assertEquals(null, new ApiClient(broker).get("/overview").at("disk/free_bytes"));
        gate.open();
      }
      TestBroker.awaitTrue("it is ready again", () -> get(admin, "/health/ready").statusCode() == 200);
    }
  }

  /** Reads that hang take the places for reads, and are told apart from a broker that is not there. */
  @Test
  void readsThatHangKeepOnlyReadsWaiting() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0", disk)) {
      AdminClient admin = new AdminClient(broker.adminAddress().orElseThrow());
      ApiClient api = new ApiClient(broker);
      try (RawConnection connection = new RawConnection(broker.address())) {
        byte[] value = "v".getBytes(StandardCharsets.UTF_8);
        connection.ask(new Produce(new TopicPartition("orders", 0), new RecordBatchBuilder(64).append(0, null, value, List.of()).build()));
      }
      String file = "orders-0/00000000000000000000.log";
      try (FaultyDisk.Gate first = disk.block(FaultyDisk.Operation.READ, file);
          FaultyDisk.Gate second = disk.block(FaultyDisk.Operation.READ, file)) {
        List<CompletableFuture<HttpResponse<String>>> reading = new ArrayList<>();
        for (int i = 0; i < LogReads.MAX; i++) {
          reading.add(admin.ask("/api/v1/topics/orders/records"));
        }
        first.awaitEntered();
        second.awaitEntered();
        TestBroker.awaitTrue("all places are taken", () -> get(admin, "/api/v1/topics/orders/records").statusCode() == 429);

        assertEquals("busy", api.refused(429, "GET", "/topics/orders/partitions/0/records/0", ""));
        assertEquals(200, admin.get("/health/live").statusCode());
        assertEquals(200, admin.get("/health/ready").statusCode());
        assertEquals(200, admin.get("/metrics").statusCode());
        assertEquals(1, api.get("/topics").number("total"));

        first.open();
        second.open();
        for (CompletableFuture<HttpResponse<String>> each : reading) {
          assertEquals(200, each.get().statusCode(), each.get().body());
        }
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** Nobody waits for ever, and what comes too late leaves nothing behind. */
  @Test
  void whatADiskNeverAnswersIsToldToTheClient() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0", disk)) {
      ApiClient api = new ApiClient(broker);
      try (RawConnection connection = new RawConnection(broker.address())) {
        byte[] value = "v".getBytes(StandardCharsets.UTF_8);
        connection.ask(new Produce(new TopicPartition("orders", 0), new RecordBatchBuilder(64).append(0, null, value, List.of()).build()));
      }
      try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.READ, "orders-0/00000000000000000000.log")) {
        assertEquals("timeout", api.refused(503, "GET", "/topics/orders/partitions/0/records/0/value", ""));
        gate.open();
      }
      broker.awaitBudgetEmpty();
      assertEquals(200, api.bytes("/topics/orders/partitions/0/records/0/value").statusCode());
    }
  }

  private static HttpResponse<String> get(AdminClient admin, String path) {
    try {
      return admin.get(path);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
