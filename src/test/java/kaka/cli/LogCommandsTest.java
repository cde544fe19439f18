package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kaka.broker.Broker;
import kaka.config.KakaConfig;
import kaka.log.KafkaPartitions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** kaka log on the directory of a real broker, in this JVM. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class LogCommandsTest {
  private static final String FIRST = "00000000000000000000.log";

  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Path data;

  @BeforeEach
  void someTopics() throws Exception {
    data = directory.resolve("it's data");
    Broker broker = start();
    kaka(broker, "", "topic", "create", "small", "--set", "segment.bytes=1024");
    kaka(broker, "one\ttwo\u0001\nb\u00e9ta\n", "produce", "logs", "--key-separator", "\\t");
    kaka(broker, ("z".repeat(210) + "\n").repeat(24), "produce", "small", "--batch-bytes", "1024");
    stop(broker);
  }

  private Broker start() throws Exception {
    return Broker.start(KakaConfig.parse("kaka.admin.port = off, kaka.listen.port = 0, kaka.log.dir = \"" + data + "\""));
  }

  private static void stop(Broker broker) {
    broker.stop().toCompletableFuture().join();
  }

  private int kaka(Broker broker, String in, String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--broker";
    all[arguments.length + 1] = "127.0.0.1:" + broker.address().getPort();
    return run(new ByteArrayInputStream(in.getBytes(UTF_8)), all);
  }

  private int kaka(String... arguments) {
    return run(InputStream.nullInputStream(), arguments);
  }

  private int run(InputStream in, String... arguments) {
    out.reset();
    err.reset();
    return Main.commandLine(new Streams(in, out, new PrintStream(err, true, UTF_8), false, false, stop -> {})).execute(arguments);
  }

  /** Does what {@code advice} has in backticks, as a shell would; fails unless every command ends with 0. */
  private void follow(String advice) throws Exception {
    Matcher command = Pattern.compile("`([^`]+)`").matcher(advice);
    assertTrue(command.find(), advice);
    do {
      String text = command.group(1);
      if (text.startsWith("kaka log check ")) {
        continue; // it says what is wrong, which is known
      }
      if (text.startsWith("printf ")) {
        Process shell = new ProcessBuilder("sh", "-c", text).inheritIO().start();
        assertEquals(0, shell.waitFor(), text);
      } else {
        assertTrue(text.startsWith("kaka "), text);
        Process words = new ProcessBuilder("sh", "-c", "printf '%s\\n' " + text.substring(5)).start();
        String[] arguments = new String(words.getInputStream().readAllBytes(), UTF_8).split("\n");
        assertEquals(0, kaka(arguments), text + ": " + err.toString(UTF_8));
      }
    } while (command.find());
  }

  private void flip(Path file, long position) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) position] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void dumpShowsBatchesAndRecordsWithoutRawBytes() {
    assertEquals(0, kaka("log", "dump", data.resolve("logs-0").toString(), "--records"), err.toString(UTF_8));

    String text = out.toString(UTF_8);
    assertTrue(text.contains("batch  offsets 0 to 1  records 2  position 0  bytes "), text);
    assertTrue(text.contains("key \"one\"  value \"two\\x01\""), text);
    assertTrue(text.contains("key null  value \"b\u00e9ta\""), text);
    assertFalse(text.contains("\u0001"), text);
  }

  @Test
  void dumpShowsCompressedRecordsAndTheirCodec() throws Exception {
    Broker broker = start();
    for (String codec : List.of("gzip", "snappy", "lz4", "zstd")) {
      assertEquals(0, kaka(broker, (codec + " again and again\n").repeat(50), "produce", codec, "--compression", codec));
      assertEquals(0, kaka(broker, "", "consume", codec), err.toString(UTF_8));
      assertEquals((codec + " again and again\n").repeat(50), out.toString(UTF_8));
    }
    assertEquals(2, kaka(broker, "a\n", "produce", "logs", "--compression", "brotli"));
    stop(broker);

    for (String codec : List.of("gzip", "snappy", "lz4", "zstd")) {
      assertEquals(0, kaka("log", "dump", data.resolve(codec + "-0").toString(), "--records"), err.toString(UTF_8));
      String text = out.toString(UTF_8);
      assertTrue(text.contains("  compressed " + codec), text);
      assertTrue(text.contains("value \"" + codec + " again and again\""), text);
    }
    assertEquals(0, kaka("log", "check", data.toString()), out.toString(UTF_8));
  }

  /** What Kafka wrote, taken in with the broker stopped, comes out of it. */
  @Test
  void importMakesAPartitionOfKafkasDirectory() throws Exception {
    Path kafka = KafkaPartitions.DIRECTORY.resolve("lz4-0");
    Path fresh = directory.resolve("fresh");
    assertEquals(1, kaka("log", "import", kafka.toString(), "copied", "--data-dir", fresh.toString()));
    assertTrue(out.toString(UTF_8).contains("offsets 0 to 79, 80 records in "), out.toString(UTF_8));
    assertTrue(err.toString(UTF_8).contains("say --yes"), err.toString(UTF_8));
    assertFalse(Files.exists(fresh), "nothing was made");

    String[] confirmed = {"log", "import", kafka.toString(), "copied", "--data-dir", data.toString(), "--yes"};
    assertEquals(0, kaka(confirmed), err.toString(UTF_8));
    assertTrue(out.toString(UTF_8).contains("copied-0: offsets 0 to 79, 80 records in "), out.toString(UTF_8));
    assertEquals(2, kaka(confirmed), "it is there now");
    Path txn = KafkaPartitions.DIRECTORY.resolve("txn-0");
    assertEquals(
        0, kaka("log", "import", txn.toString(), "txn", "-p", "2", "--data-dir", data.toString(), "--yes", "--set", "segment.ms=1"));
    assertTrue(err.toString(UTF_8).contains("4 transactions were aborted"), err.toString(UTF_8));

    Broker broker = start();
    assertEquals(1, run(InputStream.nullInputStream(), confirmed), "a broker has it");
    assertEquals(0, kaka(broker, "", "consume", "copied", "--format", "%o %T %k=%v\\n"), err.toString(UTF_8));
    StringBuilder expected = new StringBuilder();
    KafkaPartitions.ofCodec()
        .forEach(
            record ->
                expected
                    .append(record.offset() + " " + record.timestampMs() + " " + text(record.key()))
                    .append("=" + text(record.value()) + "\n"));
    assertEquals(expected.toString(), out.toString(UTF_8));
    assertEquals(0, kaka(broker, "", "topic", "describe", "txn"));
    assertTrue(out.toString(UTF_8).contains("segment.ms"), out.toString(UTF_8));
    stop(broker);
    assertEquals(0, kaka("log", "check", data.toString()), out.toString(UTF_8));
  }

  private static String text(byte[] bytes) {
    return bytes == null ? "" : new String(bytes, UTF_8);
  }

  @Test
  void importRefusesWhatItCannotPlace() throws Exception {
    Path kafka = KafkaPartitions.DIRECTORY.resolve("lz4-0");
    Path nameless = Files.createDirectory(directory.resolve("nameless"));
    Path stray = Files.createDirectory(directory.resolve("a-0.6c1c-delete"));
    String[][] wrong = {
      {"log", "import", kafka.toString()},
      {"log", "import", nameless.toString(), "t", "--data-dir", data.toString()},
      {"log", "import", stray.toString(), "t", "-p", "0", "--data-dir", data.toString()},
      {"log", "import", kafka.toString(), "__offsets", "--data-dir", data.toString()},
      {"log", "import", kafka.toString(), "t", "-p", "-1", "--data-dir", data.toString()},
      {"log", "import", kafka.toString(), "t", "--set", "no.such=1", "--data-dir", data.toString()},
      {"log", "import", kafka.toString(), "logs", "-p", "1", "--yes", "--data-dir", data.toString()},
    };
    for (String[] arguments : wrong) {
      assertEquals(2, kaka(arguments), Arrays.toString(arguments) + err.toString(UTF_8));
    }
    assertEquals(1, kaka("log", "import", nameless.toString(), "t", "-p", "0", "--yes", "--data-dir", data.toString()));
  }

  @Test
  void dumpWritesJsonLinesFromAnOffsetOn() {
    String file = data.resolve("logs-0").resolve(FIRST).toString();

    assertEquals(0, kaka("log", "dump", file, "--records", "--json", "--offset", "1", "--max", "1"));

    List<String> lines = out.toString(UTF_8).lines().toList();
    assertEquals(3, lines.size(), lines.toString());
    assertTrue(lines.get(1).startsWith("{\"type\":\"batch\",\"baseOffset\":0,\"lastOffset\":1,\"records\":2,"), lines.get(1));
    assertTrue(lines.get(2).matches("\\{\"type\":\"record\",\"offset\":1,.*\"key\":null,\"value\":\"b\u00e9ta\"}"), lines.get(2));
  }

  /** Room that a killed broker had made for itself is no damage, and no batch. */
  @Test
  void zerosAtTheEndOfTheNewestSegmentAreNoDamage() throws Exception {
    Path log = data.resolve("logs-0").resolve(FIRST);
    byte[] stored = Files.readAllBytes(log);
    Files.delete(log.resolveSibling("clean-stop")); // which tells of an end in order
    Files.write(log, Arrays.copyOf(stored, stored.length + 5000));

    assertEquals(0, kaka("log", "check", data.toString()), out.toString(UTF_8));
    assertEquals(0, kaka("log", "dump", log.toString()), err.toString(UTF_8));
    assertTrue(out.toString(UTF_8).contains("zeros  position " + stored.length + "  bytes 5000"), out.toString(UTF_8));
    assertEquals(0, kaka("log", "dump", log.toString(), "--json"), err.toString(UTF_8));
    String json = "{\"type\":\"zeros\",\"position\":" + stored.length + ",\"bytes\":5000}";
    assertTrue(out.toString(UTF_8).contains(json), out.toString(UTF_8));

    stop(start());

    assertEquals(stored.length, Files.size(log));
  }

  @Test
  void dumpMayReadBesideABrokerAndNothingElseMay() throws Exception {
    Broker broker = start();

    assertEquals(0, kaka("log", "dump", data.resolve("logs-0").toString()));
    String small = data.resolve("small-0").toString();
    for (String[] command :
        new String[][] {
          {"log", "check", data.toString()},
          {"log", "check", small},
          {"log", "truncate", small, "--to-offset", "0", "--yes"},
          {"log", "reindex", small},
          {"log", "rebuild-topics", data.toString(), "--yes"}
        }) {
      assertEquals(1, kaka(command), String.join(" ", command));
    }
    stop(broker);
    assertEquals(0, kaka("log", "check", data.toString()), out.toString(UTF_8));
    assertTrue(err.toString(UTF_8).matches("checked 5 partitions, \\d+ segments, .*: nothing is wrong\n"), err.toString(UTF_8));
  }

  @Test
  void checkListsDamageAndItsAdviceMakesThePartitionWhole() throws Exception {
    flip(data.resolve("small-0").resolve(FIRST), 300);

    assertEquals(1, kaka("log", "check", data.toString()));

    String damage = out.toString(UTF_8);
    assertTrue(damage.startsWith("DAMAGE  " + data.resolve("small-0").resolve(FIRST) + " at byte "), damage);
    assertTrue(err.toString(UTF_8).endsWith(": 1 thing is wrong\n"), err.toString(UTF_8));
    follow(damage);
    assertEquals(0, kaka("log", "check", data.toString()), out.toString(UTF_8));
    assertTrue(out.toString(UTF_8).contains(".cut at byte 0: bytes that were cut off and kept."), out.toString(UTF_8));
    Broker broker = start();
    assertEquals(List.of(), broker.report().failed());
    stop(broker);
  }

  /** Also the broker's own words, for each file that it refuses. */
  @Test
  void whatTheBrokerAdvisesCanBeDone() throws Exception {
    List<Path> damaged =
        List.of(data.resolve("logs-0").resolve(FIRST), data.resolve("small-0").resolve("partition.metadata"));
    for (Path file : damaged) {
      flip(file, Files.size(file) - 3);
      Files.deleteIfExists(file.resolveSibling("clean-stop")); // as after a crash: the start reads the newest segment
      Broker broker = start();
      assertEquals(1, broker.report().failed().size(), file.toString());
      kaka(broker, "", "topic", "describe", broker.report().failed().get(0).topic());
      String advice = out.toString(UTF_8);
      stop(broker);

      follow(advice);

      Broker again = start();
      assertEquals(List.of(), again.report().failed(), advice);
      stop(again);
    }
    flip(data.resolve("__topics-0").resolve(FIRST), 100);
    Broker broker = start();
    String problem = broker.report().topicsProblem();
    assertEquals(1, kaka(broker, "", "topic", "create", "new"));
    stop(broker);
    follow(problem);
    Broker again = start();
    assertEquals("", again.report().topicsProblem());
    assertEquals(0, kaka(again, "", "topic", "create", "new"), err.toString(UTF_8));
    assertEquals(2, again.report().topicCount());
    stop(again);
  }

  @Test
  void truncateAndRebuildAskFirst() throws Exception {
    String small = data.resolve("small-0").toString();

    assertEquals(1, kaka("log", "truncate", small, "--to-offset", "0"));
    assertTrue(err.toString(UTF_8).contains("say --yes to do it"), err.toString(UTF_8));
    assertEquals(1, kaka("log", "rebuild-topics", data.toString()));
    assertTrue(out.toString(UTF_8).startsWith("logs: 1 partition, id "), out.toString(UTF_8));
    assertEquals(0, kaka("log", "check", data.toString()), out.toString(UTF_8));
    assertEquals("", out.toString(UTF_8), "nothing was cut");
  }

  @Test
  void wrongUsageIsExitCodeTwo() {
    String small = data.resolve("small-0").toString();
    String[][] wrong = {
      {"log"},
      {"log", "dump"},
      {"log", "dump", data.toString()},
      {"log", "dump", directory.resolve("nowhere").toString()},
      {"log", "check", directory.resolve("nowhere").toString()},
      {"log", "truncate", small},
      {"log", "truncate", small, "--to-offset", "99999", "--yes"},
      {"log", "truncate", small, "--to-offset", "1", "--yes"},
      {"log", "reindex"}
    };
    for (String[] arguments : wrong) {
      assertEquals(2, kaka(arguments), String.join(" ", arguments) + ": " + err.toString(UTF_8));
    }
  }

  @Test
  void reindexBringsAMissingIndexBack() throws Exception {
    Path index = data.resolve("small-0").resolve(FIRST.replace(".log", ".timeindex"));
    byte[] before = Files.readAllBytes(index);
    Files.delete(index);
    assertEquals(1, kaka("log", "check", data.toString()));
    assertTrue(out.toString(UTF_8).startsWith("FAULT  " + index), out.toString(UTF_8));

    follow(out.toString(UTF_8));

    assertEquals(0, kaka("log", "check", data.toString()), out.toString(UTF_8));
    assertTrue(Arrays.equals(before, Files.readAllBytes(index)));
  }
}
