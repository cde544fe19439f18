package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.util.List;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.Produce;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code kaka status} against a broker that is well, one that is not, and none. */
class StatusCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  private int status(String admin, String... more) {
    String[] arguments = new String[3 + more.length];
    arguments[0] = "status";
    arguments[1] = "--admin";
    arguments[2] = admin;
    System.arraycopy(more, 0, arguments, 3, more.length);
    Streams streams =
        new Streams(new ByteArrayInputStream(new byte[0]), out, new PrintStream(err, true, UTF_8), false, false, stop -> {});
    return Main.commandLine(streams).execute(arguments);
  }

  private static String admin(TestBroker broker) {
    return "127.0.0.1:" + broker.adminAddress().orElseThrow().getPort();
  }

  @Test
  void aBrokerThatIsWellIsReadyAndExitsWithZero() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0")) {
      assertEquals(0, status(admin(broker)), err.toString(UTF_8));
      String text = out.toString(UTF_8);
      assertTrue(text.startsWith("kaka dev at " + admin(broker) + ": ready\n"), text);
      assertTrue(text.contains("  partitions   0 of 0 topics: 0 writable\n"), text);
      assertTrue(!text.contains("WRONG"), text);
    }
  }

  @Test
  void whatIsWrongIsSaidWithWhatToDoAndExitsWithOne() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      Produce produce =
          new Produce(new TopicPartition("orders", 0), new RecordBatchBuilder(64).append(0, null, new byte[1], List.of()).build());
      connection.ask(produce);
      disk.failNext(FaultyDisk.Operation.SYNC, "orders-0/00000000000000000000.log");
      connection.ask(produce);

      assertEquals(1, status(admin(broker)));

      String text = out.toString(UTF_8);
      assertTrue(text.contains(": NOT READY\n"), text);
      assertTrue(text.contains("1 of 1 topics: 0 writable, 1 FAILED\n"), text);
      assertTrue(text.contains("\nWRONG: partition_failed orders-0: "), text);
      assertTrue(text.contains("\n  do:  it is still read; mend or replace the disk of `/kaka/orders-0`, then restart\n"), text);
      out.reset();
      assertEquals(1, status(admin(broker), "--json"));
      assertTrue(out.toString(UTF_8).contains("\"problem\":\"partition_failed\",\"subject\":\"orders-0\""), out.toString(UTF_8));
      assertEquals(1, out.toString(UTF_8).lines().count());
    }
  }

  @Test
  void nobodyThereIsSaidInOneLine() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }

    assertEquals(1, status("127.0.0.1:" + port));

    String text = err.toString(UTF_8);
    assertTrue(text.startsWith("kaka: no answer from the admin server at 127.0.0.1:" + port + ": "), text);
    assertEquals(1, text.lines().count(), text);
  }

  @Test
  void noAddressIsWrongUsage() {
    assertEquals(2, status("somewhere"));
  }

  @ParameterizedTest
  @CsvSource({"6,6 s", "306,5 min 6 s", "14700,4 h 5 min", "273600,3 d 4 h"})
  void uptimeHasTwoUnits(long seconds, String text) {
    assertEquals(text, StatusText.uptime(seconds));
  }

  @ParameterizedTest
  @CsvSource({"1023,1023 B", "1024,1.0 KiB", "1572864,1.5 MiB", "5497558138880,5.0 TiB"})
  void sizesHaveOneUnit(long bytes, String text) {
    assertEquals(text, StatusText.size(bytes));
  }
}
