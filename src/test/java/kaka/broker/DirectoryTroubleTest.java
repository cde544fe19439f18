package kaka.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import kaka.config.KakaConfig;
import kaka.protocol.CreateTopic;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Fetch;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.protocol.Records;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.LogCapture;
import kaka.server.RawConnection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Directories that are not as they should be: the start is refused in one line with nothing touched, or it succeeds and lets
 * alone what is not the broker's. {@code ops/checks/directory.sh} does the same to the real jar, as root and as somebody else.
 */
class DirectoryTroubleTest {
  private static final String FIRST = "00000000000000000000.log";

  @TempDir Path temporary;

  private Path data;

  /** Two partitions of one topic, several segments each. */
  @BeforeEach
  void makeData() throws Exception {
    data = temporary.resolve("data");
    Broker broker = start();
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(new CreateTopic("orders", 2, Map.of("segment.bytes", "1024")));
      for (int i = 0; i < 8; i++) {
        assertInstanceOf(ProduceAck.class, connection.ask(new Produce(partition(i % 2), batch("value " + i + " ".repeat(400)))));
      }
    }
    broker.stop().toCompletableFuture().join();
  }

  private Broker start() throws Exception {
    return Broker.start(KakaConfig.parse("kaka.admin.port = off, kaka.listen.port = 0, kaka.log.dir = \"" + data + "\""));
  }

  private static TopicPartition partition(int number) {
    return new TopicPartition("orders", number);
  }

  private static RecordBatch batch(String value) {
    return new RecordBatchBuilder(1024).append(0, null, value.getBytes(StandardCharsets.UTF_8), List.of()).build();
  }

  /** @param expected the whole message, with DATA for the directory */
  private void requireRefused(String expected) throws IOException {
    Map<String, String> before = FileTree.of(temporary);
    try (LogCapture log = new LogCapture()) {
      BrokerStartException refused = assertThrows(BrokerStartException.class, this::start);

      assertEquals(expected.replace("DATA", data.toString()), refused.getMessage());
      assertEquals(List.of(), log.troubles(), "one line, and that is the message");
    }
    assertEquals(before, FileTree.of(temporary));
  }

  private void replaceWith(String name, String content) throws IOException {
    Path path = data.resolve(name);
    if (Files.exists(path)) {
      Files.move(path, temporary.resolve("moved-" + path.getFileName()));
    }
    Files.writeString(path, content);
  }

  private void replaceWithDanglingLink(String name) throws IOException {
    Path path = data.resolve(name);
    if (Files.exists(path)) {
      Files.move(path, temporary.resolve("moved-" + path.getFileName()));
    }
    Files.createSymbolicLink(path, Path.of("/nowhere/disk"));
  }

  // ---------------------------------------------------------------- refused

  @Test
  void aFileInPlaceOfTheDirectory() throws Exception {
    replaceWith("", "mine");

    requireRefused("data directory DATA is not a directory");
    data = data.resolve("below");
    requireRefused("data directory DATA cannot be used: " + data.getParent() + " is in the way");
  }

  @Test
  void aLinkToNothingInPlaceOfTheDirectory() throws Exception {
    replaceWithDanglingLink("");

    String reason = data + ": a symbolic link to /nowhere/disk, where there is nothing";
    requireRefused("data directory DATA cannot be used: " + reason);
    data = data.resolve("below");
    requireRefused("data directory DATA cannot be used: " + reason);
  }

  @Test
  void somethingElseInPlaceOfTheLock() throws Exception {
    Files.delete(data.resolve("kaka.lock"));
    Files.createDirectory(data.resolve("kaka.lock"));
    requireRefused("DATA/kaka.lock is not a file");

    Files.delete(data.resolve("kaka.lock"));
    replaceWithDanglingLink("kaka.lock");
    requireRefused("data directory DATA cannot be used: DATA/kaka.lock: a symbolic link to /nowhere/disk, where there is nothing");
  }

  @Test
  void somethingElseInPlaceOfTheProperties() throws Exception {
    for (String name : List.of("kaka.properties", "kaka.properties.copy")) {
      Path file = data.resolve(name);
      Path kept = temporary.resolve(name);
      Files.move(file, kept);

      Files.createDirectory(file);
      requireRefused("DATA/" + name + " is not a file");
      Files.delete(file);
      assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
      requireRefused("DATA/" + name + " is not a file"); // whoever opens a pipe waits for ever
      Files.delete(file);
      replaceWithDanglingLink(name);
      requireRefused("data directory DATA cannot be used: DATA/" + name + ": a symbolic link to /nowhere/disk, where there is nothing");
      Files.delete(file);

      Files.move(kept, file);
    }
  }

  @Test
  void aNewerFormatOrAnotherBrokersProperties() throws Exception {
    UUID other = UUID.randomUUID();
    String mine = Files.readString(data.resolve("kaka.properties")).replaceAll("(?s).*broker.id=(\\S+).*", "$1");

    Files.writeString(data.resolve("kaka.properties"), "format.version=1\nbroker.id=" + other + "\n");
    requireRefused(
        "DATA/kaka.properties has broker.id=" + other + ", but DATA/kaka.properties.copy has " + mine
            + ": delete the one that does not belong to this directory");
    Files.writeString(data.resolve("kaka.properties"), "format.version=2\nbroker.id=" + other + "\n");
    requireRefused("DATA/kaka.properties has format.version=2, this kaka knows up to 1: use a newer one");
  }

  @Test
  void somethingElseInPlaceOfTheLogOfTopics() throws Exception {
    replaceWith("__topics-0", "mine");
    requireRefused("DATA/__topics-0 is not a directory");

    Files.delete(data.resolve("__topics-0"));
    replaceWithDanglingLink("__topics-0");
    requireRefused("data directory DATA cannot be used: DATA/__topics-0: a symbolic link to /nowhere/disk, where there is nothing");
  }

  @Test
  void aRunningBrokersDirectory() throws Exception {
    Broker broker = start();
    requireRefused("DATA/kaka.lock is held by pid " + ProcessHandle.current().pid() + " (this process)");
    broker.stop().toCompletableFuture().join();
  }

  @Test
  void aDirectoryThatMayNotBeWrittenOrRead() throws Exception {
    String user = System.getProperty("user.name");
    assumeFalse(user.equals("root"), "permissions do not hold root back; ops/checks/directory.sh drops it");

    for (String permissions : List.of("r-xr-xr-x", "r--r--r--", "---------")) {
      Files.setPosixFilePermissions(data, PosixFilePermissions.fromString(permissions));
      BrokerStartException refused = assertThrows(BrokerStartException.class, this::start);
      Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
      assertEquals("data directory " + data + " cannot be used: permission denied on " + data + " for " + user, refused.getMessage());
    }
    Files.setPosixFilePermissions(data.resolve("kaka.properties"), PosixFilePermissions.fromString("---------"));
    BrokerStartException refused = assertThrows(BrokerStartException.class, this::start);
    assertTrue(refused.getMessage().endsWith("permission denied on " + data.resolve("kaka.properties") + " for " + user));
  }

  // ---------------------------------------------------------------- served

  /** @param failing the message of the partition that does not open; empty if both do */
  private void requireServed(String failing) throws Exception {
    try (LogCapture log = new LogCapture()) {
      Broker broker = start();
      assertEquals(failing.isEmpty() ? List.of() : List.of(partition(0)), broker.report().failed());
      try (RawConnection connection = new RawConnection(broker.address())) {
        for (int i = failing.isEmpty() ? 0 : 1; i < 2; i++) {
          Records records = (Records) connection.ask(new Fetch(partition(i), 0, 1 << 20, 0, 0));
          assertTrue(records.entries().size() >= 4, "partition " + i);
          assertInstanceOf(ProduceAck.class, connection.ask(new Produce(partition(i), batch("more"))));
        }
        if (!failing.isEmpty()) {
          ErrorReply refusal = (ErrorReply) connection.ask(new Fetch(partition(0), 0, 1 << 20, 0, 0));
          assertEquals(ErrorCode.STORAGE.code(), refusal.code());
        }
      } finally {
        broker.stop().toCompletableFuture().join();
      }
      List<String> lines = log.troubles();
      assertEquals(failing.isEmpty() ? 0 : 1, lines.size(), lines.toString());
      if (!failing.isEmpty()) {
        String start = "ERROR partition failed to open partition=orders-0 reason=" + failing.replace("DATA", data.toString());
        assertTrue(lines.get(0).startsWith(start), lines.get(0));
        assertFalse(lines.get(0).contains("\n"), lines.get(0));
      }
    }
  }

  @Test
  void theLockOfADeadBrokerIsNoObstacle() throws Exception {
    Files.writeString(data.resolve("kaka.lock"), "99999999\n");

    requireServed("");
  }

  @Test
  void whatIsNotTheBrokersIsLetAlone() throws Exception {
    Path foreign = temporary.resolve("foreign");
    Files.createDirectories(foreign.resolve("deep"));
    Files.writeString(foreign.resolve("deep/file"), "mine");
    List<Path> places =
        List.of(data.resolve("backup-2024"), data.resolve("lost+found"), data.resolve("orders-0/old"), data.resolve("orders-2"));
    for (Path place : places) {
      Files.createDirectories(place.resolve("deep"));
      Files.writeString(place.resolve("deep/file"), "mine");
    }
    List<Path> files =
        List.of(
            data.resolve("README"), data.resolve("notes-1"), data.resolve("orders-0/notes.txt"),
            data.resolve("orders-0/" + FIRST + ".bak"), data.resolve("orders-0/99999999999999999999.log"),
            data.resolve("orders-1/" + FIRST.replace(".log", ".checkpoint")));
    for (Path file : files) {
      Files.writeString(file, "mine");
    }
    Path link = data.resolve("archive-7");
    Files.createSymbolicLink(link, Path.of("/nowhere/disk"));
    Map<Path, Map<String, String>> before = new java.util.HashMap<>();
    for (Path path : places) {
      before.put(path, FileTree.of(path));
    }
    for (Path path : files) {
      before.put(path, FileTree.of(path));
    }

    requireServed("");

    for (Map.Entry<Path, Map<String, String>> each : before.entrySet()) {
      assertEquals(each.getValue(), FileTree.of(each.getKey()), each.getKey().toString());
    }
    assertTrue(Files.isSymbolicLink(link));
    try (OfflineDirectory offline = OfflineDirectory.open(data)) {
      assertTrue(offline.check(bytes -> {}).findings().stream().noneMatch(kaka.log.Finding::isWrong));
    }
  }

  @Test
  void somethingElseInPlaceOfAPartitionCostsThatPartition() throws Exception {
    replaceWith("orders-0", "mine");
    Map<String, String> before = FileTree.of(data.resolve("orders-0"));
    requireServed("DATA/orders-0 is damaged at byte 0: it is not a directory");
    assertEquals(before, FileTree.of(data.resolve("orders-0")));

    Files.delete(data.resolve("orders-0"));
    replaceWithDanglingLink("orders-0");
    requireServed("DATA/orders-0: a symbolic link to /nowhere/disk, where there is nothing");
    assertEquals(1, FileTree.of(data.resolve("orders-0")).size());

    Files.delete(data.resolve("orders-0"));
    Files.move(temporary.resolve("moved-orders-0"), data.resolve("orders-0"));
    replaceWithDanglingLink("orders-0/" + FIRST);
    before = FileTree.of(data.resolve("orders-0"));
    requireServed("DATA/orders-0/" + FIRST + ": a symbolic link to /nowhere/disk, where there is nothing");
    assertEquals(before, FileTree.of(data.resolve("orders-0")));
  }
}
