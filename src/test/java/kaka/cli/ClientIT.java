package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client commands of the real jar where it takes processes: signals, and a broker that is killed. */
class ClientIT {
  @TempDir
  private Path directory;

  private KakaProcess broker;
  private int port;

  @BeforeEach
  void startBroker() throws IOException {
    broker = KakaProcess.start(directory, Map.of(), "--port", Integer.toString(port), "--dir", "data");
    port = KakaProcess.port(broker.awaitReady());
  }

  @AfterEach
  void stopBroker() {
    broker.close();
  }

  private KakaProcess kaka(String... arguments) throws IOException {
    return KakaProcess.start(directory, Map.of("KAKA_BROKER", "127.0.0.1:" + port), arguments);
  }

  private List<String> consumed(String topic) throws Exception {
    try (KakaProcess consume = kaka("consume", topic)) {
      List<String> lines = consume.stdout();
      assertEquals(0, consume.exitCode(), consume.stderr());
      return lines;
    }
  }

  /** What was read before the signal is on disk and counted; that the input did not end is no success. */
  @Test
  void interruptedProduceSendsWhatItHasRead() throws Exception {
    try (KakaProcess produce = kaka("produce", "logs")) {
      produce.stdin().write("a\nb\n".getBytes(UTF_8));
      produce.stdin().flush();
      awaitConsumed("logs", List.of("a", "b"));

      produce.signal("INT");

      assertEquals(1, produce.exitCode());
      assertTrue(produce.stderr().matches("(?s)kaka: stopped by a signal\n2 of 2 records acked in .*"), produce.stderr());
    }
  }

  /** Another process reads it, as soon as it can be read: the only way to know that the first has sent it. */
  private void awaitConsumed(String topic, List<String> lines) throws Exception {
    while (true) {
      try (KakaProcess consume = kaka("consume", topic)) {
        if (consume.stdout().equals(lines)) {
          return;
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT"})
  void followEndsWithZeroWhenAsked(String signal) throws Exception {
    try (KakaProcess produce = kaka("produce", "logs")) {
      produce.stdin().write("a\n".getBytes(UTF_8));
      produce.stdin().close();
      assertEquals(0, produce.exitCode(), produce.stderr());
    }
    try (KakaProcess follow = kaka("consume", "logs", "--follow")) {
      assertEquals("a", follow.stdoutLine());

      follow.signal(signal);

      assertEquals(0, follow.exitCode(), follow.stderr());
      assertTrue(follow.stderr().startsWith("1 record (2 B) in "), follow.stderr());
    }
  }

  /** It is told once that the broker has gone, and goes on when it is back, without a gap. */
  @Test
  void followGoesOnAfterTheBrokersRestart() throws Exception {
    produce("a\n");
    try (KakaProcess follow = kaka("consume", "logs", "--follow")) {
      assertEquals("a", follow.stdoutLine());
      broker.signal("KILL");
      broker.exitCode();
      startBroker();

      produce("b\n");

      assertEquals("b", follow.stdoutLine());
      assertEquals(1, follow.stderr().lines().filter(line -> line.contains("going on when the broker is back")).count());
    }
  }

  private void produce(String lines) throws Exception {
    try (KakaProcess produce = kaka("produce", "logs")) {
      produce.stdin().write(lines.getBytes(UTF_8));
      produce.stdin().close();
      assertEquals(0, produce.exitCode(), produce.stderr());
    }
  }

  /** The broker is killed three times in the middle of it and comes back: each line is there once, in its place. */
  @Test
  void produceOverKillsStoresEachLineOnce() throws Exception {
    int count = 1_000_000;
    try (KakaProcess produce = kaka("produce", "logs", "--batch-bytes", "4096")) {
      CompletableFuture<Void> input = CompletableFuture.runAsync(() -> writeLines(produce.stdin(), count));
      for (int kill = 1; kill <= 3; kill++) {
        awaitStored(kill * 100_000L);
        broker.signal("KILL");
        broker.exitCode();
        startBroker();
        assertTrue(storedCount() < count, "killed too late");
      }
      input.get(120, TimeUnit.SECONDS);
      assertEquals(0, produce.exitCode(), produce.stderr());
      assertTrue(produce.stderr().contains("; going on when the broker is back"), produce.stderr());
      assertTrue(produce.stderr().contains("\n" + count + " records acked ("), produce.stderr());
    }

    List<String> stored = consumed("logs");

    for (int i = 0; i < Math.min(stored.size(), count); i++) {
      assertEquals("line " + i, stored.get(i));
    }
    assertEquals(count, stored.size());
  }

  private static void writeLines(OutputStream stdin, int count) {
    try (BufferedOutputStream out = new BufferedOutputStream(stdin, 1 << 16)) {
      for (int i = 0; i < count; i++) {
        out.write(("line " + i + "\n").getBytes(UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Asks the broker until the topic has at least so many records. */
  private void awaitStored(long count) {
    while (storedCount() < count) {
      Thread.onSpinWait();
    }
  }

  private long storedCount() {
    try (KakaClient client = KakaClient.connect(ClientConfig.of("127.0.0.1", port))) {
      return client.admin().latestOffset(new TopicPartition("logs", 0)).join();
    }
  }

  /** The broker does not come back: what the command said was acked is there, and what is there is a beginning of the input. */
  @Test
  void ackedLinesOfAProduceSurviveTheBrokersKill() throws Exception {
    try (KakaProcess produce = kaka("produce", "logs", "--batch-bytes", "4096", "--timeout-ms", "2000")) {
      OutputStream stdin = produce.stdin();
      int sent = 0;
      try {
        for (; sent < 5_000_000; sent++) {
          stdin.write(("line " + sent + "\n").getBytes(UTF_8));
          if (sent == 200_000) {
            broker.signal("KILL");
          }
        }
        stdin.close();
      } catch (IOException e) {
        // the command has ended and reads no more
      }
      assertEquals(1, produce.exitCode());
      Matcher acked = Pattern.compile("(\\d+) of \\d+ records acked").matcher(produce.stderr());
      assertTrue(acked.find(), produce.stderr());
      broker.exitCode();
      startBroker();

      List<String> stored = consumed("logs");

      assertTrue(stored.size() >= Integer.parseInt(acked.group(1)), stored.size() + " stored; " + produce.stderr());
      assertTrue(stored.size() <= sent);
      for (int i = 0; i < stored.size(); i++) {
        assertEquals("line " + i, stored.get(i));
      }
    }
  }
}
