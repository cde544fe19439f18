package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import kaka.broker.TestBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ops/kaka}: what it keeps of class archives, and what becomes of a signal while it makes one. */
class LauncherIT {
  @TempDir
  private Path directory;

  /** The same jar by another path, which is another installation's. */
  private Path installed(String name) throws IOException {
    return Files.createSymbolicLink(directory.resolve(name), Path.of(KakaProcess.jar()));
  }

  private Set<String> archivesAfterRunning(Path jar) throws Exception {
    Path cache = directory.resolve("cache");
    Map<String, String> environment = Map.of("KAKA_CACHE", cache.toString(), "KAKA_JAR", jar.toString());
    try (KakaProcess kaka = KakaProcess.startLauncher(directory, environment, "--version")) {
      assertTrue(kaka.stdout().get(0).startsWith("kaka "));
      assertEquals(0, kaka.exitCode());
    }
    try (Stream<Path> files = Files.list(cache)) {
      return new TreeSet<>(files.map(each -> each.getFileName().toString()).toList());
    }
  }

  @Test
  void anArchiveGoesWhenItsOwnJarIsReplacedAndNoOther() throws Exception {
    Path one = installed("one.jar");
    Set<String> ofOne = archivesAfterRunning(one);
    assertEquals(1, ofOne.size(), ofOne.toString());

    Set<String> ofBoth = archivesAfterRunning(installed("other.jar"));

    assertEquals(2, ofBoth.size(), ofBoth.toString());
    assertTrue(ofBoth.containsAll(ofOne), ofBoth.toString());
    assertEquals(0, new ProcessBuilder("touch", "-h", "-d", "2026-01-01", one.toString()).start().waitFor());
    Set<String> after = archivesAfterRunning(one);
    ofBoth.removeAll(ofOne);
    assertEquals(2, after.size(), after.toString());
    assertTrue(after.containsAll(ofBoth), "the other's is left: " + after);
  }

  /** As a service is stopped in its first second. */
  @Test
  void aBrokerThatIsStoppedWhileItsArchiveIsMadeEndsAsAnyOther() throws Exception {
    Map<String, String> environment =
        Map.of("KAKA_CACHE", directory.resolve("cache").toString(), "KAKA_JAR", KakaProcess.jar());
    try (KakaProcess kaka = KakaProcess.startLauncher(directory, environment, "serve", "--port", "0", "--dir", "d")) {
      TestBroker.awaitTrue("the archive is being made", () -> kaka.descendants().stream().anyMatch(LauncherIT::makesArchive));
      List<ProcessHandle> started = kaka.descendants();

      kaka.signal("TERM");

      assertEquals(0, kaka.exitCode(), kaka.stderr());
      TestBroker.awaitTrue("nothing goes on behind it", () -> started.stream().noneMatch(ProcessHandle::isAlive));
    }
  }

  /** As in a service of Type=notify; ops/checks/service.sh has a real systemd. */
  @Test
  void systemdIsToldWhenTheBrokerIsReady() throws Exception {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    Path notify = Files.writeString(bin.resolve("systemd-notify"), "#!/bin/sh\necho \"$@\" > \"$NOTIFY_SOCKET.part\" && mv \"$NOTIFY_SOCKET.part\" \"$NOTIFY_SOCKET\"\n");
    assertTrue(notify.toFile().setExecutable(true));
    Path told = directory.resolve("told");
    Map<String, String> environment =
        Map.of("PATH", bin + ":" + System.getenv("PATH"), "NOTIFY_SOCKET", told.toString(), "KAKA_CACHE", "", "KAKA_JAR", KakaProcess.jar());
    try (KakaProcess kaka = KakaProcess.startLauncher(directory, environment, "serve", "--port", "0", "--dir", "d")) {
      String ready = kaka.awaitReady();

      TestBroker.awaitTrue("it is told", () -> Files.exists(told));
      assertEquals(List.of("--ready --status=" + ready.substring("kaka ".length())), Files.readAllLines(told));
      kaka.signal("TERM"); // to the process that was started, which is the broker itself
      assertEquals(0, kaka.exitCode(), kaka.stderr());
    }
  }

  private static boolean makesArchive(ProcessHandle process) {
    return process.info().commandLine().orElse("").contains("ArchiveClassesAtExit");
  }
}
