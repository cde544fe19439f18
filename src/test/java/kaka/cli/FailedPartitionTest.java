package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import org.junit.jupiter.api.Test;

/** {@code kaka consume} of a partition that the broker could not open: its offsets look like those of an empty one. */
class FailedPartitionTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int kaka(TestBroker broker, String in, String... arguments) {
    out.reset();
    err.reset();
    Streams streams =
        new Streams(
            new ByteArrayInputStream(in.getBytes(UTF_8)), out, new PrintStream(err, true, UTF_8), false, false, stop -> {});
    String[] all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--broker";
    all[arguments.length + 1] = "127.0.0.1:" + broker.address().getPort();
    return Main.commandLine(streams).execute(all);
  }

  /** Who copies a topic must hear that a part is missing. */
  @Test
  void damagedPartitionIsAFailureWhereverItStarts() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk)) {
      assertEquals(0, kaka(broker, "", "topic", "create", "t", "--partitions", "2"));
      assertEquals(0, kaka(broker, "whole\n", "produce", "t", "--partition", "0"));
      assertEquals(0, kaka(broker, "damaged\n", "produce", "t", "--partition", "1"));
    }
    disk.flipBit(Path.of("/kaka/t-1/00000000000000000000.log"), 62 * 8);
    disk.delete(Path.of("/kaka/t-1/clean-stop")); // as after a crash: a start reads the newest segment
    try (TestBroker broker = TestBroker.start("", disk)) {
      for (String from : List.of("earliest", "latest", "0", "5", "-1h")) {
        assertEquals(1, kaka(broker, "", "consume", "t", "--from", from), from);
        assertTrue(err.toString(UTF_8).startsWith("kaka: STORAGE: t-1: "), err.toString(UTF_8));
      }
      assertEquals(1, kaka(broker, "", "consume", "t", "--partition", "1", "--max", "1"));
      assertEquals(0, kaka(broker, "", "consume", "t", "--partition", "0"));
      assertEquals("whole\n", out.toString(UTF_8));
    }
  }

  /** The start reads none of it: then whoever reads it is told, and the other partition's are served. */
  @Test
  void damageAfterAStopInOrderIsAFailureWhereItIsRead() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk)) {
      assertEquals(0, kaka(broker, "", "topic", "create", "t", "--partitions", "2"));
      assertEquals(0, kaka(broker, "whole\n", "produce", "t", "--partition", "0"));
      assertEquals(0, kaka(broker, "damaged\n", "produce", "t", "--partition", "1"));
    }
    disk.flipBit(Path.of("/kaka/t-1/00000000000000000000.log"), 62 * 8);
    try (TestBroker broker = TestBroker.start("", disk)) {
      for (String from : List.of("earliest", "0")) {
        assertEquals(1, kaka(broker, "", "consume", "t", "--from", from), from);
        assertTrue(err.toString(UTF_8).contains("/kaka/t-1/00000000000000000000.log is damaged at byte 0"), err.toString(UTF_8));
      }
      assertEquals(0, kaka(broker, "", "consume", "t", "--partition", "0"));
      assertEquals("whole\n", out.toString(UTF_8));
      assertEquals(0, kaka(broker, "after\n", "produce", "t", "--partition", "1"));
      assertEquals(0, kaka(broker, "", "consume", "t", "--partition", "1", "--from", "1"));
      assertEquals("after\n", out.toString(UTF_8));
    }
  }

  /** After a failed write what was acknowledged before is still there to be read. */
  @Test
  void partitionThatFailedLaterIsReadToItsEnd() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk)) {
      assertEquals(0, kaka(broker, "acked\n", "produce", "t"));
      disk.failNext(FaultyDisk.Operation.SYNC, "t-0/00000000000000000000.log");
      assertEquals(1, kaka(broker, "refused\n", "produce", "t"));

      assertEquals(0, kaka(broker, "", "consume", "t"));

      assertEquals("acked\n", out.toString(UTF_8));
    }
  }
}
