package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import kaka.client.Producer;
import kaka.client.ProducerConfig;
import kaka.client.ProducerRecord;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members of a group in processes of their own, by the real jar: killed, asked to stop, and their broker killed. */
class GroupIT {
  private static final int PARTITIONS = 4;

  @TempDir
  private Path directory;

  private KakaProcess broker;
  private int port;
  private int produced;

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

  private KakaProcess member(String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of("consume", "orders", "--group", "billing", "--session-timeout", "2000", "--format", "%v\\n"));
    arguments.addAll(List.of(more));
    return kaka(arguments.toArray(String[]::new));
  }

  private KakaClient client() {
    return KakaClient.connect(ClientConfig.of("127.0.0.1", port));
  }

  /** The numbers from where the last call ended, spread over all partitions. */
  private void produce(int count) {
    try (KakaClient client = client();
        Producer producer = client.producer(ProducerConfig.defaults())) {
      for (int end = produced + count; produced < end; produced++) {
        producer.send(ProducerRecord.of(new TopicPartition("orders", produced % PARTITIONS), null, Integer.toString(produced).getBytes(UTF_8)));
      }
      producer.flush();
    }
  }

  private void createTopic() {
    try (KakaClient client = client()) {
      KakaException.await(client.admin().createTopic("orders", PARTITIONS, Map.of()));
    }
  }

  private static Set<String> numbers(int from, int to) {
    Set<String> numbers = new HashSet<>();
    for (int i = from; i < to; i++) {
      numbers.add(Integer.toString(i));
    }
    return numbers;
  }

  /** Until so many members have a share. */
  private void awaitMembers(int count) {
    long giveUp = System.nanoTime() + 60_000_000_000L;
    try (KakaClient client = client()) {
      while (System.nanoTime() - giveUp < 0) {
        var group = KakaException.await(client.groups().describe("billing"));
        long sharing = group.members().stream().filter(member -> !member.assignment().isEmpty()).count();
        if (group.state().equals("Stable") && group.members().size() == count && sharing == count) {
          return;
        }
      }
    }
    throw new AssertionError("not " + count + " members after a minute");
  }

  private static List<String> take(KakaProcess member, int count) throws IOException {
    List<String> lines = new ArrayList<>();
    while (lines.size() < count) {
      lines.add(member.stdoutLine());
    }
    return lines;
  }

  @Test
  void twoSplitThePartitionsOneIsKilledAndTheOtherTakesOver() throws Exception {
    createTopic();
    try (KakaProcess first = member("--follow");
        KakaProcess second = member("--follow")) {
      awaitMembers(2);
      produce(400);
      List<String> byFirst = take(first, 200);
      List<String> bySecond = take(second, 200);
      Set<String> all = new HashSet<>(byFirst);
      all.addAll(bySecond);
      assertEquals(numbers(0, 400), all);

      first.signal("KILL");
      produce(400);

      Set<String> taken = new HashSet<>(numbers(0, 400));
      while (!taken.containsAll(numbers(400, 800))) { // what the killed one had not committed comes once more
        taken.add(second.stdoutLine());
      }
      second.signal("TERM");
      assertEquals(0, second.exitCode(), second.stderr());
    }
    try (KakaProcess third = member()) {
      assertEquals(List.of(), third.stdout(), "committed, and yet given out again");
      assertEquals(0, third.exitCode(), third.stderr());
    }
  }

  /** Nobody is killed: nothing is left out, and nothing comes twice, while members come and go. */
  @Test
  void membersThatLeaveCleanlyLoseAndDoubleNothing() throws Exception {
    createTopic();
    List<String> lines = new ArrayList<>();
    try (KakaProcess first = member("--follow")) {
      awaitMembers(1);
      produce(200);
      lines.addAll(take(first, 200));
      try (KakaProcess second = member("--follow")) {
        awaitMembers(2);
        produce(200);
        lines.addAll(take(first, 100));
        lines.addAll(take(second, 100));
        first.signal("TERM");
        assertEquals(0, first.exitCode(), first.stderr());
        lines.addAll(first.stdout());
        produce(200);
        lines.addAll(take(second, 200));
        second.signal("INT");
        assertEquals(0, second.exitCode(), second.stderr());
        lines.addAll(second.stdout());
      }
    }
    assertEquals(600, lines.size());
    assertEquals(numbers(0, 600), new HashSet<>(lines));
  }

  @Test
  void offsetsOutliveAKilledBrokerAndItsMembersGoOn() throws Exception {
    createTopic();
    produce(100);
    try (KakaProcess whole = member()) {
      assertEquals(numbers(0, 100), new HashSet<>(whole.stdout()));
      assertEquals(0, whole.exitCode(), whole.stderr());
    }
    try (KakaProcess follower = member("--follow")) {
      awaitMembers(1);

      broker.signal("KILL");
      broker.exitCode();
      startBroker();
      produce(100);

      Set<String> taken = new HashSet<>();
      while (!taken.containsAll(numbers(100, 200))) { // what it had not committed when it joined again comes once more
        taken.add(follower.stdoutLine());
      }
      awaitCommitted(50); // what it took before it had joined again it can only commit once it has, and has read it once more
      follower.signal("TERM");
      assertEquals(0, follower.exitCode(), follower.stderr());
      taken.addAll(follower.stdout());
      assertEquals(numbers(100, 200), taken, "nothing that was committed before");
      assertTrue(follower.stderr().contains("going on when the broker is back"), follower.stderr());
    }
    try (KakaClient client = client()) {
      Map<TopicPartition, Long> offsets = KakaException.await(client.groups().offsets("billing"));
      assertEquals(PARTITIONS, offsets.size());
      offsets.forEach((partition, offset) -> assertEquals(50, offset, partition.toString()));
    }
  }

  /** Returns when the group has committed just that offset for each partition. */
  private void awaitCommitted(long offset) throws Exception {
    try (KakaClient client = client()) {
      Map<TopicPartition, Long> offsets;
      do {
        offsets = KakaException.await(client.groups().offsets("billing"));
      } while (offsets.size() < PARTITIONS || offsets.values().stream().anyMatch(each -> each != offset));
    }
  }

  /** Returns when a member that was killed is taken for dead: time has passed by the broker's own clock. */
  private void awaitSessionOfAnotherMember(int sessionMs) throws Exception {
    try (KakaProcess other =
            kaka("consume", "orders", "--group", "clock", "--session-timeout", Integer.toString(sessionMs), "--follow", "--from", "latest");
        KakaClient client = client()) {
      while (KakaException.await(client.groups().describe("clock")).members().isEmpty()) {}
      other.signal("KILL");
      while (!KakaException.await(client.groups().describe("clock")).members().isEmpty()) {}
    }
  }

  /** Heartbeats do not wait for whoever reads the pipe. */
  @Test
  void aMemberWhoseReaderIsSlowStaysAMember() throws Exception {
    createTopic();
    produce(40_000);
    try (KakaProcess slow =
        kaka(
            "consume", "orders", "--group", "billing", "--session-timeout", "2000", "--follow",
            "--format", "%v " + "x".repeat(100) + "\\n")) {
      awaitMembers(1);
      String before;
      try (KakaClient client = client()) {
        before = KakaException.await(client.groups().describe("billing")).members().get(0).memberId();
      }
      take(slow, 1); // and then nothing for longer than its session: the pipe is full
      awaitSessionOfAnotherMember(3000);

      long lines = 1;
      while (lines < 40_000) {
        assertFalse(slow.stdoutLine() == null, "ended after " + lines);
        lines++;
      }
      try (KakaClient client = client()) {
        assertEquals(before, KakaException.await(client.groups().describe("billing")).members().get(0).memberId());
      }
    }
  }
}
