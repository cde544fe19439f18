package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a start loads, and that a first run's classes can be archived beside its data for later ones, as README says. */
class ClassArchiveIT {
  @TempDir
  private Path directory;

  private KakaProcess serve(String javaOptions) throws Exception {
    return KakaProcess.start(directory, Map.of("JDK_JAVA_OPTIONS", javaOptions), "--port", "0", "--dir", "kaka-data");
  }

  @Test
  void theSecondStartUsesTheFirstOnesArchive() throws Exception {
    Path archive = directory.resolve("kaka-data/kaka.jsa");
    try (KakaProcess first = serve("-XX:ArchiveClassesAtExit=" + archive)) {
      first.awaitReady();
      first.signal("TERM");
      assertEquals(0, first.exitCode());
    }
    assertTrue(Files.size(archive) > 1 << 20, "an archive was written");

    try (KakaProcess second = serve("-XX:SharedArchiveFile=" + archive + " -Xshare:on")) { // on: or it does not start
      second.awaitReady();
      second.signal("TERM");
      assertEquals(0, second.exitCode());
    }
  }

  /** Nobody has spoken Kafka's protocol yet. */
  @Test
  void kafkasClassesAreNotLoadedByAStart() throws Exception {
    Path loaded = directory.resolve("loaded.txt");
    try (KakaProcess kaka = serve("-Xlog:class+load:file=" + loaded)) {
      kaka.awaitReady();
      kaka.signal("TERM");
      assertEquals(0, kaka.exitCode());
    }

    List<String> classes = Files.readAllLines(loaded);
    assertTrue(classes.stream().anyMatch(line -> line.contains("kaka.broker.Broker ")), "the log has our classes");
    assertEquals(List.of(), classes.stream().filter(line -> line.contains("org.apache.kafka.")).toList());
  }

  /** As with another Java, or after a change that the list does not know. */
  @Test
  void aStartGoesOnWithoutListedClasses() throws Exception {
    Path list = directory.resolve("kaka/cli/start-classes.txt");
    Files.createDirectories(list.getParent());
    Files.writeString(list, "no.such.Class\nakka.Gone\n");
    try (KakaProcess kaka = KakaProcess.startMain(directory, directory, "kaka.cli.Main", "--port", "0", "--dir", "kaka-data")) {
      kaka.awaitReady();
      kaka.signal("TERM");
      assertEquals(0, kaka.exitCode());
    }
  }
}
