package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What produce sends and consume prints, run in this JVM against a real broker that keeps its log in memory. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ClientCommandsTest extends CommandRunning {
  private void assertRoundTrip(byte[] input, String... options) {
    String[] produce = concat(List.of("produce", topic), options);
    String[] consume = concat(List.of("consume", topic), options);

    assertEquals(0, kaka(input, produce), err.toString(UTF_8));
    assertEquals(0, kaka("", consume), err.toString(UTF_8));

    assertArrayEquals(input, out.toByteArray());
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb\n", "a\n\n\nb\r\n", "\n", "last line open", "a\nlast line open", "\r", "\u00e9\u0000\ufffd\n"})
  void whatIsProducedComesBackByteForByte(String input) {
    assertRoundTrip(input.getBytes(UTF_8));
  }

  @Test
  void everyByteAndLongLinesComeBack() {
    long seed = TestSeed.get();
    byte[] random = new byte[700_000];
    new Random(seed).nextBytes(random);
    Arrays.fill(random, 100_000, 300_000, (byte) 'x'); // a line longer than any buffer and batch

    assertRoundTrip(random);
  }

  @Test
  void nullDelimitedRecordsMayHoldNewlines() {
    assertRoundTrip("a\nb\0\0\nc\0".getBytes(UTF_8), "--null-delimited");

    assertEquals(0, kaka("", "consume", topic, "--format", "[%v]"));
    assertEquals("[a\nb][][\nc]", out.toString(UTF_8));
  }

  @Test
  void openLastLinesOfTwoInputsDoNotRunTogether() {
    kaka("one", "produce", topic);
    kaka("two", "produce", topic);

    kaka("", "consume", topic);

    assertEquals("one\ntwo", out.toString(UTF_8));
  }

  @Test
  void countsAreToldOnStandardError() {
    kaka("abc\ndef\n", "produce", topic);
    assertTrue(err.toString(UTF_8).matches("2 records acked \\(8 B\\) in [0-9.]+ s\n"), err.toString(UTF_8));
    assertEquals("", out.toString(UTF_8));

    kaka("", "consume", topic);
    assertTrue(err.toString(UTF_8).matches("2 records \\(8 B\\) in [0-9.]+ s\n"), err.toString(UTF_8));
  }

  @Test
  void filesAreSentOneAfterTheOther() throws IOException {
    Path first = Files.writeString(directory.resolve("first"), "1\n2\n");
    Path second = Files.writeString(directory.resolve("second"), "4\n");

    assertEquals(0, kaka("3\n", "produce", topic, first.toString(), "-", second.toString()));

    kaka("", "consume", topic);
    assertEquals("1\n2\n3\n4\n", out.toString(UTF_8));
  }

  @Test
  void keysAreCutAtTheFirstSeparator() {
    assertEquals(0, kaka("k\tv\nnone\nk2\ta\tb\n\tempty\n", "produce", topic, "--key-separator", "\\t"));

    kaka("", "consume", topic, "--format", "%o(%k)(%v)\\n");

    assertEquals("0(k)(v)\n1()(none)\n2(k2)(a\tb)\n3()(empty)\n", out.toString(UTF_8));
  }

  @Test
  void aCompactedTopicSaysThatItNeedsKeys() {
    kaka("", "topic", "create", topic, "--set", "cleanup.policy=compact");

    assertEquals(1, kaka("none\n", "produce", topic));

    String said = err.toString(UTF_8);
    assertTrue(said.contains("kaka: BAD_REQUEST: the topic is compacted, so every record needs a key: record 0 of the batch has none\n"), said);
    assertEquals(0, kaka("k:v\n", "produce", topic, "--key-separator", ":"));
  }

  @Test
  void linesWithoutKeyKeepTheirOrderInATopicOfSeveralPartitions() {
    kaka("", "topic", "create", topic, "--partitions", "4");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 2000; i++) {
      lines.append("line ").append(i).append('\n');
    }

    assertRoundTrip(lines.toString().getBytes(UTF_8));
  }

  @Test
  void linesSpreadOverPartitionsOnRequest() {
    kaka("", "topic", "create", topic, "--partitions", "3");
    String line = "x".repeat(99) + "\n";

    assertEquals(0, kaka(line.repeat(100), "produce", topic, "--spread", "--batch-bytes", "1024"));

    for (String partition : List.of("0", "1", "2")) {
      assertEquals(0, kaka("", "consume", topic, "--partition", partition));
      assertTrue(out.size() > 0, "partition " + partition + " is empty");
    }
    kaka("", "consume", topic);
    assertEquals(100 * line.length(), out.size());
  }

  @Test
  void consumeStartsWhereItIsTold() {
    kaka("a\nb\nc\n", "produce", topic);

    kaka("", "consume", topic, "--from", "1");
    assertEquals("b\nc\n", out.toString(UTF_8));
    kaka("", "consume", topic, "--from", "earliest", "--max", "2");
    assertEquals("a\nb\n", out.toString(UTF_8));
    kaka("", "consume", topic, "--from", "-1h");
    assertEquals("a\nb\nc\n", out.toString(UTF_8));
    for (String nothing : List.of("latest", "3", "77", "2100-01-01")) {
      assertEquals(0, kaka("", "consume", topic, "--from", nothing));
      assertEquals("", out.toString(UTF_8), nothing);
    }
    assertEquals(0, kaka("", "consume", topic, "--max", "0"));
    assertEquals("", out.toString(UTF_8));
  }

  /** It prints what comes while it waits, and a signal ends it with everything printed and exit code 0. */
  @Test
  void followWaitsAndEndsWithZeroWhenAskedToStop() throws Exception {
    kaka("before\n", "produce", topic);
    stop = new CompletableFuture<>();
    Pipe pipe = new Pipe();
    InputStream printed = pipe.source();
    CompletableFuture<Integer> exitCode =
        CompletableFuture.supplyAsync(
            () -> run(InputStream.nullInputStream(), pipe.sink(), withBroker(broker, "consume", topic, "--follow")), OWN_THREAD);
    assertEquals("before\n", new String(printed.readNBytes(7), UTF_8));
    Streams other =
        new Streams(new ByteArrayInputStream("after\n".getBytes(UTF_8)), OutputStream.nullOutputStream(),
            new PrintStream(OutputStream.nullOutputStream()), false, false, ignored -> {});
    assertEquals(0, Main.commandLine(other).execute(withBroker(broker, "produce", topic)));
    assertEquals("after\n", new String(printed.readNBytes(6), UTF_8));

    stop.get().run();

    assertEquals(0, exitCode.get());
    assertTrue(err.toString(UTF_8).endsWith("s\n"), err.toString(UTF_8));
  }
}
