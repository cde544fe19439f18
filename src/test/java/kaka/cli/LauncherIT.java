package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import kaka.broker.TestBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ops/kaka}: what it keeps of class archives, and what becomes of one that is not finished. */
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
      assertEquals("", kaka.stderr(), "which is no terminal");
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

  /** A person who waits is told once what for. */
  @Test
  void aClientsFirstRunSaysOnATerminalThatItTakesLonger() throws Exception {
    ProcessBuilder builder = new ProcessBuilder("script", "-qec", Path.of("ops/kaka").toAbsolutePath() + " --version", "/dev/null");
    builder.environment().put("KAKA_CACHE", directory.resolve("cache").toString());
    builder.environment().put("KAKA_JAR", KakaProcess.jar());
    List<Long> toldOf = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      Process terminal = builder.redirectErrorStream(true).start();
      List<String> said = terminal.inputReader().lines().toList();
      assertEquals(0, terminal.waitFor(), said.toString());
      assertTrue(said.stream().anyMatch(line -> line.startsWith("kaka 0")), said.toString());
      toldOf.add(said.stream().filter(line -> line.contains("the first run with this jar")).count());
    }
    assertEquals(List.of(1L, 0L), toldOf);
  }

  /** A power cut leaves of a file that was only renamed what the disk had of it; the JVM is killed where a part of an archive is missing. */
  @Test
  void anArchiveHasItsNameOnlyOnceItIsOnDisk() throws Exception {
    Path synced = directory.resolve("synced");
    Path sync = Files.writeString(Files.createDirectory(directory.resolve("bin")).resolve("sync"), "#!/bin/sh\necho \"$@\" > " + synced + "\nexit 1\n");
    assertTrue(sync.toFile().setExecutable(true));
    String path = sync.getParent() + ":" + System.getenv("PATH");
    Map<String, String> environment = Map.of("KAKA_CACHE", directory.resolve("cache").toString(), "KAKA_JAR", KakaProcess.jar(), "PATH", path);
    try (KakaProcess kaka = KakaProcess.startLauncher(directory, environment, "--version")) {
      assertEquals(0, kaka.exitCode(), kaka.stderr());
    }
    assertEquals(Set.of(), inCache(), "of one that the disk did not take nothing is left");
    assertTrue(Files.readString(synced).strip().matches(".*/client-[-0-9]+\\.jsa\\.[0-9]+"), Files.readString(synced));
  }

  /** README's own example, with nobody to talk to. */
  @Test
  void benchHasHeapForLargeFetches() throws Exception {
    Map<String, String> environment = Map.of("KAKA_CACHE", "", "KAKA_JAR", KakaProcess.jar());
    try (KakaProcess bench = KakaProcess.startLauncher(directory, environment, "bench", "fetch", "--fetch-bytes", "16m", "--broker", "127.0.0.1:1")) {
      assertEquals(1, bench.exitCode(), bench.stderr());
      assertFalse(bench.stderr().contains("heap"), bench.stderr());
    }
  }

  @Test
  void ownOptionsWinOverItsCollectorAndHeap() throws Exception {
    for (String command : List.of("serve", "bench", "produce")) {
      Map<String, String> environment =
          Map.of(
              "KAKA_CACHE",
              "",
              "KAKA_JAR",
              KakaProcess.jar(),
              "KAKA_OPTS",
              "-XX:+UseParallelGC -XX:MaxRAMPercentage=10 -XX:+PrintCommandLineFlags");
      try (KakaProcess kaka = KakaProcess.startLauncher(directory, environment, command, "--help")) {
        List<String> said = kaka.stdout();
        assertEquals(0, kaka.exitCode(), kaka.stderr() + said);
        assertTrue(said.get(0).contains("-XX:+UseParallelGC"), said.get(0));
        long heapBytes = Long.parseLong(said.get(0).replaceAll(".*-XX:MaxHeapSize=([0-9]+).*", "$1"));
        assertFalse(Set.of(1L << 30, 256L << 20).contains(heapBytes), "the launcher's: " + said.get(0));
      }
    }
  }

  @Test
  void optionsThatOnlyLookLikeACollectorLeaveItsOwn() throws Exception {
    String options = "-XX:+UseStringDeduplication -XX:MaxGCPauseMillis=50 -XX:+UseGCOverheadLimit -XX:+PrintCommandLineFlags";
    Map<String, String> environment = Map.of("KAKA_CACHE", "", "KAKA_JAR", KakaProcess.jar(), "KAKA_OPTS", options);
    try (KakaProcess kaka = KakaProcess.startLauncher(directory, environment, "serve", "--help")) {
      String flags = kaka.stdout().get(0);
      assertEquals(0, kaka.exitCode(), kaka.stderr());
      assertTrue(flags.contains("-XX:MaxNewSize=16777216"), flags);
    }
  }

  private KakaProcess serve(String... environment) throws IOException {
    Map<String, String> all = new HashMap<>(Map.of("KAKA_CACHE", directory.resolve("cache").toString(), "KAKA_JAR", KakaProcess.jar()));
    for (int i = 0; i < environment.length; i += 2) {
      all.put(environment[i], environment[i + 1]);
    }
    return KakaProcess.startLauncher(directory, all, "serve", "--port", "0", "--dir", "d");
  }

  private Set<String> inCache() {
    return Set.of(directory.resolve("cache").toFile().list());
  }

  private List<ProcessHandle> makers() {
    String unfinished = "ArchiveClassesAtExit=" + directory.resolve("cache");
    return ProcessHandle.allProcesses().filter(process -> process.info().commandLine().orElse("").contains(unfinished)).toList();
  }

  private static void stop(KakaProcess kaka) throws Exception {
    kaka.signal("TERM");
    assertEquals(0, kaka.exitCode(), kaka.stderr());
  }

  @Test
  void aBrokersFirstRunMakesTheArchiveOfItsSecond() throws Exception {
    try (KakaProcess first = serve()) {
      first.awaitReady();
      TestBroker.awaitTrue("the archive is there", () -> inCache().stream().anyMatch(name -> name.matches("serve-.*\\.jsa")));
      stop(first);
    }
    assertEquals(1, inCache().size(), "nothing is left beside it");

    Path loaded = directory.resolve("loaded");
    try (KakaProcess second = serve("KAKA_OPTS", "-Xlog:class+load:file=" + loaded)) {
      second.awaitReady();
      stop(second);
    }
    try (Stream<String> lines = Files.lines(loaded)) {
      assertTrue(lines.anyMatch(line -> line.contains("kaka.broker.Broker source: shared objects file (top)")), "it is used");
    }
  }

  /** The JVM that makes it has more to say of that than a pipe takes which nobody reads. */
  @Test
  void aJarWithASpaceInItsPathGetsAnArchive() throws Exception {
    Path jar = Files.copy(Path.of(KakaProcess.jar()), Files.createDirectory(directory.resolve("a space")).resolve("kaka.jar"));
    try (KakaProcess first = serve("KAKA_JAR", jar.toString())) {
      first.awaitReady();
      TestBroker.awaitTrue("the archive is there", () -> inCache().stream().anyMatch(name -> name.matches("serve-.*\\.jsa")));
      stop(first);
    }
  }

  /** With a maker that never comes to an end: the broker does not wait for it, and takes it along. */
  @Test
  void aBrokerDoesNotWaitForItsArchive() throws Exception {
    Path started = directory.resolve("started");
    Path nice = Files.writeString(Files.createDirectory(directory.resolve("bin")).resolve("nice"), "#!/bin/sh\necho $$ > " + started + "\nexec sleep 1000\n");
    assertTrue(nice.toFile().setExecutable(true));
    try (KakaProcess kaka = serve("PATH", nice.getParent() + ":" + System.getenv("PATH"))) {
      kaka.awaitReady();
      TestBroker.awaitTrue("the maker runs", () -> started.toFile().length() > 0);
      ProcessHandle maker = ProcessHandle.of(Long.parseLong(Files.readString(started).strip())).orElseThrow();
      assertTrue(maker.isAlive());

      stop(kaka);

      TestBroker.awaitTrue("nothing goes on behind it", () -> !maker.isAlive());
    }
  }

  /** No trap is run: what makes the archive sees it by itself. */
  @Test
  void aBrokerThatIsKilledWhileItsArchiveIsMadeLeavesNothing() throws Exception {
    try (KakaProcess kaka = serve()) {
      TestBroker.awaitTrue("the archive is being made", () -> !makers().isEmpty());

      kaka.signal("KILL");
      kaka.exitCode();

      TestBroker.awaitTrue("nothing goes on behind it", () -> makers().isEmpty());
      TestBroker.awaitTrue("nothing is left", () -> inCache().isEmpty());
    }
  }

  @Test
  void unfinishedArchivesGoOnceTheirMakerHas() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    Path cache = Files.createDirectory(directory.resolve("cache"));
    for (String name : List.of("serve-1-2-3.jsa." + ended.pid(), "client-1-2-3.jsa." + ended.pid())) {
      Files.writeString(cache.resolve(name), "unfinished");
    }
    List<String> others = List.of("serve-1-2-3.jsa." + ProcessHandle.current().pid(), "serve-1-2-3.jsa", "serve-1-2-3.jsa.old", "x.jsa." + ended.pid());
    for (String name : others) {
      Files.writeString(cache.resolve(name), "another's");
    }

    Set<String> after = archivesAfterRunning(Path.of(KakaProcess.jar()));

    assertTrue(after.containsAll(others), after.toString());
    assertEquals(others.size() + 1, after.size(), after.toString());
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
}
