package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import kaka.broker.Broker;
import kaka.config.KakaConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What produce and consume say, and end with, when something fails or makes no sense. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class CommandFailureTest extends CommandRunning {
  /** As behind {@code | head}: the reader has gone, which is no failure. */
  @Test
  void closedPipeEndsConsumeQuietly() {
    kaka("a\n".repeat(100_000), "produce", topic);
    err.reset();
    OutputStream closed =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };

    assertEquals(0, run(InputStream.nullInputStream(), closed, withBroker(broker, "consume", topic)));

    assertFalse(err.toString(UTF_8).contains("kaka:"), err.toString(UTF_8));
  }

  @Test
  void fullDiskBehindStandardOutputFails() {
    kaka("a\n", "produce", topic);
    err.reset();
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };

    assertEquals(1, run(InputStream.nullInputStream(), full, withBroker(broker, "consume", topic)));

    assertTrue(err.toString(UTF_8).contains("kaka: cannot write: No space left on device"), err.toString(UTF_8));
  }

  @Test
  void inputThatFailsTellsHowManyWereAcked() {
    InputStream failing =
        new InputStream() {
          private int given;

          @Override
          public int read() throws IOException {
            if (given == 6) {
              throw new IOException("the tape is torn");
            }
            return "a\nb\nc\n".charAt(given++);
          }

          @Override
          public int read(byte[] into, int from, int size) throws IOException {
            into[from] = (byte) read();
            return 1;
          }
        };

    assertEquals(1, run(failing, out, withBroker(broker, "produce", topic)));

    assertTrue(err.toString(UTF_8).startsWith("kaka: the tape is torn\n3 of 3 records acked in "), err.toString(UTF_8));
  }

  @Test
  void lineLongerThanTheBrokerTakesFailsAfterWhatCameBefore() throws Exception {
    Broker small =
        Broker.start(KakaConfig.parse("kaka.admin.port = off, kaka.listen.port = 0, kaka.log.dir = \"\", kaka.connections.max-frame-bytes = 64KiB"));
    byte[] input = ("first\n" + "x".repeat(70_000) + "\nlast\n").getBytes(UTF_8);

    assertEquals(1, run(new ByteArrayInputStream(input), out, withBroker(small, "produce", topic)));

    assertTrue(err.toString(UTF_8).contains("kaka: record 2 is longer than 65536 bytes"), err.toString(UTF_8));
    assertTrue(err.toString(UTF_8).contains("1 of 1 record acked"), err.toString(UTF_8));
    small.stop().toCompletableFuture().join();
  }

  /** The broker goes while input still comes: the command ends with 1 and tells what is certain. */
  @Test
  void brokerThatStopsFailsTheProduce() throws Exception {
    Broker mortal = memoryBroker();
    Pipe pipe = new Pipe();
    OutputStream input = pipe.sink();
    CompletableFuture<Integer> exitCode =
        CompletableFuture.supplyAsync(
            () -> run(pipe.source(), out, withBroker(mortal, "produce", topic, "--timeout-ms", "200")), OWN_THREAD);
    input.write("a\nb\n".getBytes(UTF_8));
    input.flush();
    stop.get(); // it is connected
    mortal.stop().toCompletableFuture().join();

    input.write("c\n".getBytes(UTF_8));
    input.close();

    assertEquals(1, exitCode.get());
    assertTrue(err.toString(UTF_8).matches("(?s)kaka: .*\n[0-2] of 3 records acked in .*"), err.toString(UTF_8));
  }

  @Test
  void partitionThatDoesNotExistFails() {
    kaka("", "topic", "create", topic);

    assertEquals(1, kaka("a\n", "produce", topic, "--partition", "5"));
    assertTrue(err.toString(UTF_8).contains("UNKNOWN_TOPIC_OR_PARTITION"), err.toString(UTF_8));
    assertTrue(err.toString(UTF_8).contains("0 of 1 record acked"), err.toString(UTF_8));
    assertEquals(1, kaka("", "consume", topic, "--partition", "5"));
    assertTrue(err.toString(UTF_8).contains("topic " + topic + " has no partition 5"), err.toString(UTF_8));
    assertEquals(1, kaka("", "consume", "no-such-topic"));
  }

  @Test
  void brokerThatIsNotThereFails() {
    for (String[] command : new String[][] {{"produce", topic}, {"consume", topic}, {"topic", "list"}}) {
      err.reset();
      assertEquals(1, run(InputStream.nullInputStream(), out, concat(List.of(command), "--broker", "127.0.0.1:1")));
      assertTrue(err.toString(UTF_8).contains("kaka: cannot connect to 127.0.0.1:1"), err.toString(UTF_8));
    }
  }

  @Test
  void directoryIsNamed() {
    assertEquals(1, run(InputStream.nullInputStream(), out, withBroker(broker, "produce", topic, directory.toString())));
    assertTrue(err.toString(UTF_8).startsWith("kaka: " + directory + " is a directory\n"), err.toString(UTF_8));
  }

  /** In the words of the command line, not in those of the classes behind it. */
  @Test
  void wrongOptionIsNamedAsItWasGiven() {
    String[][] wrong = {
      {"produce", topic, "--batch-bytes", "7"},
      {"produce", topic, "--linger-ms", "-1"},
      {"produce", topic, "--timeout-ms", "0"},
      {"produce", topic, "--key-separator", "\\q"},
      {"consume", topic, "--from", "yesterday"},
      {"consume", topic, "--format", "%q"}
    };
    for (String[] arguments : wrong) {
      String expected = arguments[2] + " " + arguments[3] + ": ";
      assertTrue(refusal(arguments).startsWith(expected), refusal(arguments));
    }
    assertEquals("--broker: \"nowhere:x\": expected HOST:PORT", refusal("topic", "list", "--broker", "nowhere:x"));
    assertEquals("--partition and --spread exclude each other", refusal("produce", topic, "-p", "1", "--spread"));
    assertEquals(
        "--linger-ms 5: less than --timeout-ms, 5", refusal("produce", topic, "--linger-ms", "5", "--timeout-ms", "5"));
  }

  private String refusal(String... arguments) {
    CompletableFuture<String> message = new CompletableFuture<>();
    Streams streams = new Streams(InputStream.nullInputStream(), out, new PrintStream(err), false, false, ignored -> {});
    Main.commandLine(streams)
        .setParameterExceptionHandler((refused, all) -> message.complete(refused.getMessage()) ? 2 : 1)
        .execute(arguments);
    return message.getNow("");
  }

  @Test
  void wrongUsageIsExitCodeTwo() {
    String[][] wrong = {
      {"produce"},
      {"produce", topic, "--partition", "-1"},
      {"produce", topic, "--key-separator", "\\q"},
      {"produce", topic, "--key-separator", ""},
      {"produce", topic, "--batch-bytes", "7"},
      {"produce", topic, "--linger-ms", "-1"},
      {"produce", topic, "--broker", "nowhere:x"},
      {"consume"},
      {"consume", topic, "--from", "yesterday"},
      {"consume", topic, "--max", "-1"},
      {"consume", topic, "--max", "many"},
      {"consume", topic, "--format", "%q"},
      {"consume", topic, "--format", "%v", "--null-delimited"},
      {"topic"},
      {"topic", "create"},
      {"topic", "create", topic, "--partitions", "0"},
      {"topic", "rename", topic, "other"}
    };
    for (String[] arguments : wrong) {
      assertEquals(2, run(InputStream.nullInputStream(), out, arguments), String.join(" ", arguments));
    }
  }
}
