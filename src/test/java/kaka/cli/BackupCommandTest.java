package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import kaka.broker.Broker;
import kaka.config.KakaConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code kaka backup} beside a running broker: what it prints and how it ends. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class BackupCommandTest {
  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Broker broker;

  @BeforeEach
  void startBroker() throws Exception {
    broker = start(data());
    assertEquals(0, kaka("one\ntwo\nthree\n", "produce", "lines", "--broker", "127.0.0.1:" + broker.address().getPort()));
  }

  @AfterEach
  void stopBroker() {
    broker.stop().toCompletableFuture().join();
  }

  private static Broker start(Path dir) throws Exception {
    return Broker.start(KakaConfig.parse("kaka.admin.port = off, kaka.listen.port = 0, kaka.log.dir = \"" + dir + "\""));
  }

  private Path data() {
    return directory.resolve("data");
  }

  private String target() {
    return directory.resolve("target").toString();
  }

  private int kaka(String in, String... arguments) {
    out.reset();
    err.reset();
    InputStream input = new java.io.ByteArrayInputStream(in.getBytes(UTF_8));
    return Main.commandLine(new Streams(input, out, new PrintStream(err, true, UTF_8), false, false, stop -> {})).execute(arguments);
  }

  private int backup(String... more) {
    String[] all = java.util.Arrays.copyOf(new String[] {"backup", "--dir", data().toString(), target()}, 4 + more.length);
    System.arraycopy(more, 0, all, 4, more.length);
    return kaka("", all);
  }

  @Test
  void backupIsTakenVerifiedAndRestored() throws Exception {
    assertEquals(0, backup("--max-rate", "50MiB"), err.toString(UTF_8));
    assertTrue(out.toString(UTF_8).matches(".*/target/000001-\\d{8}T\\d{6}Z: 1 partition, 4 segments copied \\(.*\\), 0 segments unchanged \\(.*\\)\n"), out.toString(UTF_8));
    assertEquals(0, kaka("", "backup", "verify", target()), err.toString(UTF_8));
    assertTrue(out.toString(UTF_8).contains("nothing is wrong"), out.toString(UTF_8));
    Path restored = directory.resolve("restored");

    assertEquals(0, kaka("", "backup", "restore", target(), restored.toString()), err.toString(UTF_8));

    assertTrue(out.toString(UTF_8).matches("(?s).*/restored: .* restored from .*/000001-.*"), out.toString(UTF_8));
    assertEquals(0, kaka("", "log", "check", restored.toString()), err.toString(UTF_8));
    Broker second = start(restored);
    try {
      String address = "127.0.0.1:" + second.address().getPort();
      assertEquals(0, kaka("", "consume", "lines", "--from", "earliest", "--broker", address), err.toString(UTF_8));
      assertEquals("one\ntwo\nthree\n", out.toString(UTF_8));
    } finally {
      second.stop().toCompletableFuture().join();
    }
    assertEquals(1, kaka("", "backup", "restore", target(), restored.toString()));
  }

  @Test
  void olderBackupIsRestoredByItsName() throws Exception {
    assertEquals(0, backup());
    String first = out.toString(UTF_8).split(": ")[0];
    assertEquals(0, kaka("four\n", "produce", "lines", "--broker", "127.0.0.1:" + broker.address().getPort()));
    assertEquals(0, backup("--keep", "2"));

    assertEquals(0, kaka("", "backup", "restore", first, directory.resolve("restored").toString()), err.toString(UTF_8));
    assertEquals(0, kaka("", "backup", "verify", target(), "--all"));
    assertEquals(2, out.toString(UTF_8).lines().count());

    assertEquals(0, kaka("", "log", "dump", directory.resolve("restored/lines-0").toString(), "--records"), err.toString(UTF_8));
    assertTrue(out.toString(UTF_8).contains("three"), out.toString(UTF_8));
    assertFalse(out.toString(UTF_8).contains("four"), out.toString(UTF_8));
  }

  @Test
  void damagedBackupDoesNotVerify() throws Exception {
    assertEquals(0, backup());
    Path log = Path.of(out.toString(UTF_8).split(": ")[0]).resolve("lines-0/00000000000000000000.log");
    byte[] bytes = Files.readAllBytes(log);
    bytes[bytes.length - 1] ^= 1;
    Files.write(log, bytes);

    assertEquals(1, kaka("", "backup", "verify", target()));

    assertTrue(out.toString(UTF_8).contains("DAMAGE  " + log), out.toString(UTF_8));
  }

  @Test
  void damagedSourceIsSaidAndTheExitCodeIsOne() throws Exception {
    broker.stop().toCompletableFuture().join();
    Path log = data().resolve("lines-0/00000000000000000000.log");
    byte[] bytes = Files.readAllBytes(log);
    bytes[70] ^= 1;
    Files.write(log, bytes);

    assertEquals(1, backup());

    assertTrue(err.toString(UTF_8).contains(log + " is damaged at byte 0"), err.toString(UTF_8));
    assertTrue(err.toString(UTF_8).contains("copied as it is"), err.toString(UTF_8));
  }

  @Test
  void wrongUsageIsTwoAndChangesNothing() throws Exception {
    assertEquals(2, kaka("", "backup"));
    assertEquals(2, backup("--keep", "0"));
    assertEquals(2, backup("--max-rate", "fast"));
    assertEquals(2, backup("--max-rate", "0"));
    assertEquals(2, kaka("", "backup", "--dir", directory.resolve("nowhere").toString(), target()));
    assertEquals(2, kaka("", "backup", "--dir", data().toString(), data().resolve("backups").toString()));
    assertEquals(2, kaka("", "backup", "--dir", data().toString(), directory.toString()));
    assertEquals(2, kaka("", "backup", "verify", directory.toString()));
    assertEquals(2, kaka("", "backup", "restore", directory.toString(), target()));
    assertEquals(1, kaka("", "backup", "--dir", directory.toString(), directory.resolveSibling("elsewhere").toString()));
    assertFalse(Files.exists(Path.of(target())));
    assertFalse(Files.exists(data().resolve("backups")));
  }

  /** A way round by a symbolic link is one, too. */
  @Test
  void targetThatIsInTheSourceByAnotherNameIsRefused() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("link"), data());

    assertEquals(2, kaka("", "backup", "--dir", data().toString(), link.resolve("backups").toString()));
  }
}
