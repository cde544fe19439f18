package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.Produce;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

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
        assertEquals(null, new ApiClient(broker).get("/overview").at("disk/total_bytes"));
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
        for (int i = 0; i <= LogReads.MAX; i++) {
          reading.add(admin.ask("/api/v1/topics/orders/records"));
        }
        first.awaitEntered();
        second.awaitEntered();
        CompletableFuture.anyOf(reading.toArray(CompletableFuture<?>[]::new)).get(); // the one that is too many

        assertEquals("busy", api.refused(429, "GET", "/topics/orders/partitions/0/records/0", ""));
        assertEquals(200, admin.get("/health/live").statusCode());
        assertEquals(200, admin.get("/health/ready").statusCode());
        assertEquals(200, admin.get("/metrics").statusCode());
        assertEquals(1, api.get("/topics").number("total"));

        first.open();
        second.open();
        int answered = 0;
        for (CompletableFuture<HttpResponse<String>> each : reading) {
          answered += each.get().statusCode() == 200 ? 1 : 0;
        }
        assertEquals(LogReads.MAX, answered);
      }
      broker.awaitBudgetEmpty();
    }
  }

  /** Whatever holds the threads that make pages, here a log line that is not written, the process says that it is alive. */
  @Test
  void pagesThatHangDoNotKeepLivenessWaiting() throws Exception {
    CountDownLatch held = new CountDownLatch(2);
    CountDownLatch letGo = new CountDownLatch(1);
    AppenderBase<ILoggingEvent> stuck =
        new AppenderBase<>() {
          @Override
          public void doAppend(ILoggingEvent event) { // not the inherited one, which lets one thread in at a time
            held.countDown();
            try {
              letGo.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }

          @Override
          protected void append(ILoggingEvent event) {}
        };
    Logger logger = (Logger) LoggerFactory.getLogger(AdminPages.class);
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addAppender(stuck);
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0")) {
      AdminClient admin = new AdminClient(broker.adminAddress().orElseThrow());
      String level = "/log/levels?level=info&logger=kaka.console.AdminPages";
      List<CompletableFuture<Integer>> changing = new ArrayList<>();
      for (int i = 0; i < 2; i++) { // as many as there are threads for pages
        changing.add(CompletableFuture.supplyAsync(() -> put(admin, level)));
      }
      held.await();

      assertEquals(200, admin.get("/health/live").statusCode());

      letGo.countDown();
      for (CompletableFuture<Integer> each : changing) {
        assertEquals(200, each.get());
      }
    } finally {
      letGo.countDown();
      logger.detachAppender(stuck);
      logger.setLevel(before);
    }
  }

  private static int put(AdminClient admin, String path) {
    try {
      return admin.send("PUT", path).statusCode();
    } catch (Exception e) {
      throw new AssertionError(e);
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
