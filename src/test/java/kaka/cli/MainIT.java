package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What scripts rely on: the ready line and the exit codes of the real jar. */
class MainIT {
  @TempDir
  private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT"})
  void brokerSaysReadyServesAndEndsWithZeroWhenAsked(String signal) throws Exception {
    try (KakaProcess broker = start("--port", "0", "--dir", "data")) {
      String ready = broker.awaitReady();
      assertTrue(ready.matches("kaka ready listen=127\\.0\\.0\\.1:\\d+ dir=data durability=every-ack"), ready);
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), KakaProcess.port(ready))) {
        assertTrue(socket.isConnected());
      }

      broker.signal(signal);

      assertEquals(0, broker.exitCode(), broker.stderr());
      assertEquals(List.of(), broker.stdout(), "the ready line is the last of a start");
      assertTrue(Files.isDirectory(directory.resolve("data")));
    }
  }

  /** Both are sent while the process is suspended, so that the second finds the stop at its very beginning. */
  @Test
  void secondSignalEndsAtOnceWithOne() throws Exception {
    try (KakaProcess broker = start("--port", "0", "--dir", "data")) {
      broker.awaitReady();

      broker.signal("STOP");
      broker.signal("TERM");
      broker.signal("INT");
      broker.signal("CONT");

      assertEquals(1, broker.exitCode(), broker.stderr());
      assertEquals("", broker.stderr());
    }
  }

  /** However late in the start the signal comes. */
  @Test
  void brokerStoppedInItsStartIsNeverReady() throws Exception {
    try (KakaProcess broker = KakaProcess.startMain(directory, StoppedInItsStart.class, "--port", "0", "--dir", "data")) {
      List<String> printed = broker.stdout();

      assertEquals(0, broker.exitCode(), broker.stderr());
      assertEquals(List.of(), printed);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "serve --port 0 --dir d, dir=d durability=every-ack",
    "--port=0 --dir=d --fsync-interval-ms=1000, dir=d durability=interval=1s",
    "--port 0 --dir d --fsync-interval-ms 250, dir=d durability=interval=250ms",
    "--port 0 --dir= --fsync-interval-ms 250, dir= durability=memory",
  })
  void readyLineSaysDirectoryAndDurability(String arguments, String expected) throws Exception {
    try (KakaProcess broker = start(arguments.split(" "))) {
      String ready = broker.awaitReady();

      assertEquals("kaka ready listen=127.0.0.1:" + KakaProcess.port(ready) + " " + expected, ready);
    }
  }

  @Test
  void settingsComeFromApplicationConfAndVariables() throws Exception {
    Files.writeString(directory.resolve("application.conf"), "kaka { listen.port = 0, log.dir = from-file }");

    try (KakaProcess broker = KakaProcess.start(directory, Map.of("KAKA_LISTEN_HOST", "localhost"))) {
      String ready = broker.awaitReady();

      assertTrue(ready.matches("kaka ready listen=localhost:\\d+ dir=from-file durability=every-ack"), ready);
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "--prot 9092 | kaka: no option '--prot', did you mean --port? (see kaka serve --help)",
    "serve now | kaka: 'now' is one argument too many (see kaka serve --help)",
    "--port | kaka: Missing required parameter for option '--port' (N) (see kaka serve --help)",
    "--port 70000 | kaka: kaka.listen.port = \"70000\" (--port): expected 0 to 65535",
    "--fsync-interval-ms often | kaka: kaka.log.fsync-interval = \"often\" (--fsync-interval-ms): expected a duration such as 500ms, 30s or 7d",
    "--config missing.conf | kaka: configuration file missing.conf: no such file",
    "--config bad.conf | kaka: kaka.log.dri = \"x\" (bad.conf:2): unknown key; nearest known: kaka.log.dir",
    "config --config bad.conf | kaka: kaka.log.dri = \"x\" (bad.conf:2): unknown key; nearest known: kaka.log.dir",
    "stauts | kaka: no command 'stauts', did you mean status? (see kaka --help)",
  })
  void wrongUsageOrConfigurationIsOneLineAndTwo(String arguments, String line) throws Exception {
    Files.writeString(directory.resolve("bad.conf"), "\nkaka.log.dri = x\n");

    try (KakaProcess kaka = start(arguments.split(" "))) {
      assertEquals(2, kaka.exitCode());
      assertEquals(line + "\n", kaka.stderr());
      assertEquals(List.of(), kaka.stdout());
    }
  }

  @Test
  void addressInUseIsOneLineAndOne() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        KakaProcess kaka = start("--port", Integer.toString(taken.getLocalPort()), "--dir", "d")) {
      assertEquals(1, kaka.exitCode());
      assertEquals(1, kaka.stderr().lines().count(), kaka.stderr());
      assertTrue(kaka.stderr().startsWith("kaka: "), kaka.stderr());
      assertTrue(kaka.stderr().contains("127.0.0.1:" + taken.getLocalPort()), kaka.stderr());
    }
  }

  @Test
  void directoryOfARunningBrokerIsOneLineAndOne() throws Exception {
    try (KakaProcess first = start("--port", "0", "--dir", "d")) {
      first.awaitReady();
      try (KakaProcess second = start("--port", "0", "--dir", "d")) {
        assertEquals(1, second.exitCode());
        assertEquals(1, second.stderr().lines().count(), second.stderr());
        assertTrue(second.stderr().contains("pid " + first.pid()), second.stderr());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--help, Usage: kaka",
    "serve --help, Usage: kaka serve",
    "--port 0 --help, Usage: kaka serve",
    "config --help, Usage: kaka config",
    "--version, kaka 0.1.0",
    "config, kaka.listen.host = ",
    "completion, #!/usr/bin/env bash",
  })
  void whatOnlyPrintsEndsWithZero(String arguments, String start) throws Exception {
    try (KakaProcess kaka = start(arguments.split(" "))) {
      String printed = String.join("\n", kaka.stdout());

      assertEquals(0, kaka.exitCode());
      assertTrue(printed.startsWith(start), printed);
      assertEquals("", kaka.stderr());
    }
  }

  private KakaProcess start(String... arguments) throws Exception {
    return KakaProcess.start(directory, Map.of(), arguments);
  }
}
