package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import kaka.broker.Broker;
import kaka.config.KakaConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** produce, consume and topic, run in this JVM against a real broker that keeps its log in memory. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class ClientCommandsTest {
  /** The common pool has one thread on two cores, and other parts of the JVM want it too. */
  private static final Executor OWN_THREAD = command -> new Thread(command, "command").start();

  private static Broker broker;
  private static int topics;

  @TempDir private Path directory;

  private final String topic = "topic-" + topics++;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private CompletableFuture<Runnable> stop = new CompletableFuture<>();

  @BeforeAll
  static void startBroker() throws Exception {
    broker = memoryBroker();
  }

  @AfterAll
  static void stopBroker() {
    broker.stop().toCompletableFuture().join();
  }

  private static Broker memoryBroker() throws Exception {
    return Broker.start(KakaConfig.parse("kaka.listen.port = 0, kaka.log.dir = \"\""));
  }

  private static String address(Broker broker) {
    return "127.0.0.1:" + broker.address().getPort();
  }

  private int run(InputStream in, OutputStream to, String... arguments) {
    CompletableFuture<Runnable> given = stop;
    Streams streams = new Streams(in, to, new PrintStream(err, true, UTF_8), false, false, given::complete);
    return Main.commandLine(streams).execute(arguments);
  }

  /** Runs a command with {@code --broker}; what it prints is in {@link #out} and {@link #err}. */
  private int kaka(byte[] in, String... arguments) {
    out.reset();
    err.reset();
    stop = new CompletableFuture<>();
    return run(new ByteArrayInputStream(in), out, withBroker(broker, arguments));
  }

  private static String[] withBroker(Broker broker, String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--broker";
    all[arguments.length + 1] = address(broker);
    return all;
  }

  private int kaka(String in, String... arguments) {
    return kaka(in.getBytes(UTF_8), arguments);
  }

  private void assertRoundTrip(byte[] input, String... options) {
    String[] produce = concat(List.of("produce", topic), options);
    String[] consume = concat(List.of("consume", topic), options);

    assertEquals(0, kaka(input, produce), err.toString(UTF_8));
    assertEquals(0, kaka("", consume), err.toString(UTF_8));

    assertArrayEquals(input, out.toByteArray());
  }

  private static String[] concat(List<String> first, String... more) {
    String[] all = Arrays.copyOf(first.toArray(new String[0]), first.size() + more.length);
    System.arraycopy(more, 0, all, first.size(), more.length);
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb\n", "a\n\n\nb\r\n", "\n", "last line open", "a\nlast line open", "\r", "\u00e9\u0000\ufffd\n"})
  void whatIsProducedComesBackByteForByte(String input) {
    assertRoundTrip(input.getBytes(UTF_8));
  }

  @Test
  void everyByteAndLongLinesComeBack() {
    long seed = System.nanoTime();
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
    PipedInputStream printed = new PipedInputStream();
    PipedOutputStream pipe = new PipedOutputStream(printed);
    CompletableFuture<Integer> exitCode =
        CompletableFuture.supplyAsync(
            () -> run(InputStream.nullInputStream(), pipe, withBroker(broker, "consume", topic, "--follow")), OWN_THREAD);
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
        Broker.start(KakaConfig.parse("kaka.listen.port = 0, kaka.log.dir = \"\", kaka.connections.max-frame-bytes = 64KiB"));
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
    PipedOutputStream input = new PipedOutputStream();
    PipedInputStream in = new PipedInputStream(input);
    CompletableFuture<Integer> exitCode =
        CompletableFuture.supplyAsync(
            () -> run(in, out, withBroker(mortal, "produce", topic, "--timeout-ms", "200")), OWN_THREAD);
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

  @Test
  void topicsAreCreatedListedDescribedAndDeleted() {
    assertEquals(0, kaka("", "topic", "create", topic, "--partitions", "2", "--set", "retention.ms=60000"));
    assertEquals("created " + topic + " with 2 partitions\n", out.toString(UTF_8));
    kaka("a\nb\n", "produce", topic, "--partition", "1");

    kaka("", "topic", "list");
    assertTrue(out.toString(UTF_8).lines().anyMatch(line -> line.startsWith(topic + "\t2\t")), out.toString(UTF_8));
    kaka("", "topic", "list", "--json");
    assertTrue(out.toString(UTF_8).contains("{\"name\":\"" + topic + "\",\"id\":\""), out.toString(UTF_8));

    kaka("", "topic", "describe", topic);
    assertTrue(out.toString(UTF_8).matches("(?s).*retention\\.ms +60000 +topic\n.*"), out.toString(UTF_8));
    assertTrue(out.toString(UTF_8).matches("(?s).*\n1 +0 +2 +[0-9]+ +writable\n"), out.toString(UTF_8));
    kaka("", "topic", "describe", topic, "--json");
    assertTrue(out.toString(UTF_8).contains("\"partition\":1,\"state\":\"writable\",\"logStartOffset\":0,\"highWatermark\":2,"));

    assertEquals(1, kaka("", "topic", "create", topic));
    assertTrue(err.toString(UTF_8).contains("TOPIC_EXISTS"), err.toString(UTF_8));
    assertEquals(0, kaka("", "topic", "delete", topic));
    assertEquals("deleted " + topic + "\n", out.toString(UTF_8));
    assertEquals(1, kaka("", "topic", "delete", topic));
    assertEquals(1, kaka("", "topic", "describe", topic));
  }
}
