package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import kaka.bench.Bench;
import kaka.bench.Load;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.AutoComplete;
import picocli.CommandLine;

/** {@code kaka bench}, in this JVM, against a broker in memory. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class BenchCommandTest extends CommandRunning {
  private static final String NUMBER = "\\d+\\.\\d{3}";
  private static final String MEASURED =
      "\\{\"seconds\":N,\"records\":\\d+,\"bytes\":\\d+,\"requests\":\\d+,\"refused\":0,\"never_sent\":\\d+,"
          + "\"records_per_second\":N,\"bytes_per_second\":N,"
          + "\"latency_us\":\\{\"p50\":N,\"p90\":N,\"p99\":N,\"p99_9\":N,\"max\":N,\"mean\":N\\}\\}";
  private static final String VERIFIED = "\\{\"records\":\\d+,\"lost\":0,\"moved\":0,\"corrupt\":0\\}";

  private String out() {
    return out.toString(UTF_8);
  }

  private String err() {
    return err.toString(UTF_8);
  }

  private static String[] shortly(String... arguments) {
    return concat(
        List.of("bench"),
        concat(List.of(arguments), "--records", "600", "--warm-up", "0", "--fill-bytes", "100k", "--connections", "3"));
  }

  @Test
  void everyLoadHasItsLinesAndAllIsVerified() {
    assertEquals(0, kaka("", shortly("--rate", "5000")), err());

    String[] lines = out().split("\n");
    String[] starts = {
      "100-byte records, 1 a request; 3 connections", " ", "produce ", "fetch ", "end-to-end acks ", "end-to-end ",
      "mixed acks ", "mixed fetches ", "verified: "
    };
    assertEquals(starts.length, lines.length, out());
    for (int i = 0; i < starts.length; i++) {
      assertTrue(lines[i].startsWith(starts[i]), lines[i]);
    }
    assertTrue(lines[8].endsWith("records read back, all that was acknowledged is there"), lines[8]);
    assertEquals("", err());
  }

  @Test
  void jsonHasTheSameForPrograms() {
    assertEquals(0, kaka("", shortly("produce", "fetch", "end-to-end", "mixed", "--json", "--rate", "5000")), err());

    String shape =
        "\"connections\":3,\"readers\":1,\"window\":16,\"partitions\":1,\"record_bytes\":100,\"batch_records\":1,"
            + "\"fetch_bytes\":1048576,\"records_per_second_asked\":5000.000,";
    String expected =
        "\\{\"broker\":\"127.0.0.1:\\d+\",\"good\":true,\"loads\":\\["
            + "\\{\"load\":\"produce\",S\"produced\":M,\"verified\":V\\},"
            + "\\{\"load\":\"fetch\",S\"fetched\":M,\"verified\":V\\},"
            + "\\{\"load\":\"end-to-end\",S\"produced\":M,\"end_to_end\":M,\"verified\":V\\},"
            + "\\{\"load\":\"mixed\",S\"produced\":M,\"fetched\":M,\"verified\":V\\}\\]\\}\n";
    expected = expected.replace("S", shape).replace("M", MEASURED).replace("V", VERIFIED).replace("N", NUMBER);
    assertTrue(out().matches(expected), out());
  }

  @Test
  void withoutVerificationThereIsNoVerdict() {
    assertEquals(0, kaka("", shortly("produce", "--no-verify")), err());

    assertEquals(3, out().split("\n").length, out());
  }

  @Test
  void topicsThatWereMadeAreDeletedUnlessKept() {
    kaka("", shortly("produce"));
    kaka("", "topic", "list");
    assertTrue(!out().contains("bench-"), out());

    kaka("", shortly("produce", "--keep"));
    kaka("", "topic", "list");
    assertTrue(out().contains("bench-produce-"), out());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "walk | walk: not a load; produce, fetch, end-to-end or mixed",
    "--record-bytes 23 | record-bytes 23: at least 24, at most 1073741824",
    "--record-bytes 1x | --record-bytes 1x: a number of bytes, as in 100, 64k, 1m or 2g",
    "--fetch-bytes 3g | fetch-bytes 2147483647: at least 1, at most 1073741824",
    "--batch 0 | batch 0: at least 1, at most 1073741824",
    "--record-bytes 64m --batch 17 | record-bytes 67108864 times batch 17: at most 1 GiB",
    "--connections 0 | connections 0: at least 1, at most 10000",
    "--window 0 | window 0: at least 1, at most 100000",
    "--partitions 0 | partitions 0: at least 1",
    "--rate -1 | rate -1.0: 0 to 1,000,000,000",
    "--duration 0 | duration 0 ms: at least 1 ms",
    "--duration -1 | --duration -1.0: 0 to 1,000,000 seconds",
    "--records 0 | --records 0: at least 1",
    "--warm-up NaN | --warm-up NaN: 0 to 1,000,000 seconds",
    "--threads 0 | threads 0: 1 to 64",
    "--readers 0 | readers 0: at least 1, at most 10000"
  })
  void wrongArgumentsAreRefusedAndNamed(String arguments, String reason) {
    PrintStream real = System.err;
    System.setErr(new PrintStream(err, true, UTF_8));
    int exit;
    try {
      exit = kaka("", concat(List.of("bench"), arguments.split(" ")));
    } finally {
      System.setErr(real);
    }

    assertEquals(2, exit);
    assertEquals("kaka: " + reason + " (see kaka bench --help)\n", err());
  }

  @Test
  void aTopicThatTheBrokerRefusesIsAFailure() {
    assertEquals(1, kaka("", shortly("produce", "--topic", "..")));

    assertTrue(err().startsWith("kaka: "), err());
  }

  @Test
  void helpHasExamplesAndCompletionListsIt() {
    Streams none = new Streams(System.in, out, System.err, false, false, stop -> {});
    CommandLine kaka = Main.commandLine(none);

    String help = kaka.getSubcommands().get("bench").getUsageMessage();
    assertTrue(help.contains("kaka bench produce --connections 64 --window 1 --duration 10"), help);
    String completion = AutoComplete.bash("kaka", kaka);
    assertTrue(completion.contains("_picocli_kaka_bench") && completion.contains("--fetch-bytes"), "bench completes");
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "100, 100", "1k, 1024", "64K, 65536", "1m, 1048576", "16MiB, 16777216", "2g, 2147483648", "5b, 5"})
  void sizesAreInPowersOf1024(String text, long bytes) {
    assertEquals(bytes, ByteSize.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "k", "-1", "1.5k", "1 k", "99999999999999999g", "1kk"})
  void otherSizesAreRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> ByteSize.parse(text));
  }

  @Test
  void progressTellsTheRateSinceTheLastLook() {
    Bench.Status first = new Bench.Status(Bench.Phase.RUNNING, 1, 1000);
    Bench.Status second = new Bench.Status(Bench.Phase.RUNNING, 1.5, 3000);
    Bench.Status next = new Bench.Status(Bench.Phase.VERIFYING, 0.5, 2000);

    assertEquals("produce: running 2 s, 3,000 records, 4,000/s", BenchProgress.line(Load.PRODUCE, first, second));
    assertEquals("produce: verifying 1 s, 2,000 records, 4,000/s", BenchProgress.line(Load.PRODUCE, second, next));
  }

  @ParameterizedTest
  @CsvSource({"0.4, 0 us", "85, 85 us", "999.4, 999 us", "1250, 1.25 ms", "12500, 12.5 ms", "2100000, 2.10 s"})
  void latenciesAreReadable(double us, String text) {
    assertEquals(text, BenchText.latency(us));
  }
}
