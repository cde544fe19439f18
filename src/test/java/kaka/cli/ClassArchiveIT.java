package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
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

  private static final String KAFKAS = "org.apache.kafka.common.message.FetchRequestData ";

  /** To stdout, so that what comes before the ready line was loaded before it was written. */
  private boolean isLoadedBeforeReady(String javaOptions, boolean readOn) throws Exception {
    try (KakaProcess kaka = serve(javaOptions + " -Xlog:class+load:stdout")) {
      boolean sawOurs = false;
      boolean sawKafkas = false;
      for (String line = kaka.stdoutLine(); !line.startsWith("kaka ready"); line = kaka.stdoutLine()) {
        sawOurs |= line.contains("kaka.broker.Broker ");
        sawKafkas |= line.contains(KAFKAS);
      }
      assertTrue(sawOurs, "classes are told");
      for (boolean isToCome = readOn; isToCome; ) {
        isToCome = !kaka.stdoutLine().contains(KAFKAS);
      }
      kaka.signal("TERM");
      assertFalse(kaka.stdout().isEmpty(), "what it tells to its end is read, or it waits");
      assertEquals(0, kaka.exitCode());
      return sawKafkas;
    }
  }

  /** They take longer to load than all else; nobody has spoken Kafka's protocol yet. */
  @Test
  void kafkasClassesAreLoadedOnceTheBrokerIsReady() throws Exception {
    assertFalse(isLoadedBeforeReady("", true));
  }

  /** The launcher's first run, which ends at the ready line. */
  @Test
  void kafkasClassesAreInTheLaunchersArchive() throws Exception {
    assertTrue(isLoadedBeforeReady("-Dstart-ahead.archived=true", false));
  }

  /** As with another Java, or after a change that the list does not know. */
  @Test
  void aStartGoesOnWithoutListedClasses() throws Exception {
    Path list = directory.resolve("kaka/cli/start-classes.txt");
    Files.createDirectories(list.getParent());
    Files.writeString(list, "no.such.Class\nakka.Gone\n");
    Files.writeString(list.resolveSibling("first-client-classes.txt"), "no.such.Class\n");
    try (KakaProcess kaka = KakaProcess.startMain(directory, directory, "kaka.cli.Main", "--port", "0", "--dir", "kaka-data")) {
      kaka.awaitReady();
      kaka.signal("TERM");
      assertEquals(0, kaka.exitCode());
    }
  }
}
