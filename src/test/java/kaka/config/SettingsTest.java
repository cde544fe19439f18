package kaka.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import kaka.config.ConfigSources.Flag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where settings come from, and that each place is named. */
class SettingsTest {
  private static final long GIB = 1L << 30;

  @TempDir
  private Path directory;

  @Test
  void eachSourceWinsOverTheWeakerOnes() throws Exception {
    Files.writeString(directory.resolve("application.conf"), """
        kaka {
          listen.port = 1
          log.dir = file
        }
        """);
    Map<String, String> properties = Map.of("kaka.listen.port", "2");
    Map<String, String> environment = Map.of("KAKA_LISTEN_PORT", "3");
    List<Flag> flags = List.of(new Flag("--port", "kaka.listen.port", "4"));

    assertPort(9092, "default", sources(Optional.of(empty()), Map.of(), Map.of(), List.of()));
    assertPort(1, directory + "/application.conf:2", sources(Optional.empty(), Map.of(), Map.of(), List.of()));
    assertPort(2, "-Dkaka.listen.port", sources(Optional.empty(), properties, Map.of(), List.of()));
    assertPort(3, "KAKA_LISTEN_PORT", sources(Optional.empty(), properties, environment, List.of()));
    assertPort(4, "--port", sources(Optional.empty(), properties, environment, flags));
    assertEquals("file", KakaConfig.load(sources(Optional.empty(), properties, environment, flags)).dir());
  }

  private static void assertPort(int port, String origin, ConfigSources sources) throws ConfigException {
    Settings settings = Settings.read(sources);

    assertEquals(port, KakaConfig.of(settings).server().port());
    assertEquals(origin, setting(settings, "kaka.listen.port").origin());
  }

  /** A value means the same from wherever it comes, also where only text can be given. */
  @Test
  void everyKeyCanBeSetByVariablePropertyAndFile() throws Exception {
    Map<String, String> variables = new HashMap<>();
    Map<String, String> properties = new HashMap<>();
    List<String> lines = new ArrayList<>();
    for (Settings.Setting key : Settings.read(sources(Optional.of(empty()), Map.of(), Map.of(), List.of())).inForce()) {
      String value = key.value().replace("\"", "");
      variables.put(variable(key.key()), value);
      properties.put(key.key(), value);
      lines.add(key.key() + " = " + key.value());
    }
    assertTrue(lines.size() > 50, lines.toString());
    Path file = Files.write(directory.resolve("all.conf"), lines);

    for (Settings.Setting set : valid(sources(Optional.of(empty()), Map.of(), variables, List.of()))) {
      assertEquals(variable(set.key()), set.origin());
    }
    for (Settings.Setting set : valid(sources(Optional.of(empty()), properties, Map.of(), List.of()))) {
      assertEquals("-D" + set.key(), set.origin());
    }
    for (Settings.Setting set : valid(sources(Optional.of(file), Map.of(), Map.of(), List.of()))) {
      assertEquals(file + ":" + (lines.indexOf(set.key() + " = " + set.value()) + 1), set.origin());
    }
  }

  private static String variable(String key) {
    return key.toUpperCase().replaceAll("[.-]", "_");
  }

  /** All settings, which are what they have to be. */
  private static List<Settings.Setting> valid(ConfigSources sources) throws ConfigException {
    Settings settings = Settings.read(sources);
    KakaConfig.of(settings);
    return settings.inForce();
  }

  @Test
  void variablesOfKeysAreDistinct() throws Exception {
    Set<String> variables = new HashSet<>();
    for (Settings.Setting setting : Settings.read(sources(Optional.of(empty()), Map.of(), Map.of(), List.of())).inForce()) {
      assertTrue(variables.add(KnownKeys.variable(setting.key())), setting.key());
    }
  }

  @Test
  void unknownVariableIsRefusedByName() {
    assertProblem("environment variable KAKA_LOG_DRI = x: unknown; nearest known: KAKA_LOG_DIR",
        sources(Optional.empty(), Map.of(), Map.of("KAKA_LOG_DRI", "x"), List.of()));
    assertProblem("environment variable KAKA_PORT = 9093: unknown; nearest known: KAKA_ADMIN_PORT",
        sources(Optional.empty(), Map.of(), Map.of("KAKA_PORT", "9093"), List.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"KAKA_BROKER", "KAKA_OPTS", "KAKA_SERVICE_HOST", "KAKA_SERVICE_PORT", "KAKA_SERVICE_PORT_NATIVE",
      "KAKA_PORT", "KAKA_PORT_9092_TCP", "KAKA_PORT_9092_TCP_ADDR", "KAKA_HEADLESS_SERVICE_HOST", "KAKAX", "PATH"})
  void otherVariablesAreLeftAlone(String name) throws ConfigException {
    KakaConfig.load(sources(Optional.empty(), Map.of(), Map.of(name, "tcp://10.0.0.1:9092"), List.of()));
  }

  @Test
  void unknownPropertyIsRefusedByName() {
    assertProblem("kaka.log.dri = \"x\" (-Dkaka.log.dri): unknown key; nearest known: kaka.log.dir",
        sources(Optional.empty(), Map.of("kaka.log.dri", "x", "user.dir", "y"), Map.of(), List.of()));
  }

  /** A misspelt section would be ignored as a whole. */
  @Test
  void unknownSectionInAFileIsRefusedByName() throws IOException {
    Path file = Files.writeString(directory.resolve("my.conf"), "akka.loglevel = INFO\nkafka.listen.port = 1\n");

    assertProblem("kafka = {\"listen\":{\"port\":1}} (" + file + ":2): unknown section; kaka's is kaka { ... }",
        sources(Optional.of(file), Map.of(), Map.of(), List.of()));
  }

  @Test
  void badFlagIsNamedAsTyped() {
    assertProblem("kaka.listen.port = \"http\" (--port): expected a whole number",
        sources(Optional.empty(), Map.of(), Map.of(), List.of(new Flag("--port", "kaka.listen.port", "http"))));
  }

  @Test
  void badValueInAFileIsNamedWithItsLine() throws IOException {
    Path file = Files.writeString(directory.resolve("my.conf"), "kaka {\n  log {\n    fsync-interval = often\n  }\n}\n");

    assertProblem("kaka.log.fsync-interval = \"often\" (" + file + ":3): expected a duration such as 500ms, 30s or 7d",
        sources(Optional.of(file), Map.of(), Map.of(), List.of()));
  }

  @Test
  void namedFileMustExistButApplicationConfNeedNot() throws ConfigException {
    Path missing = directory.resolve("missing.conf");

    assertEquals(9092, KakaConfig.load(sources(Optional.empty(), Map.of(), Map.of(), List.of())).server().port());
    assertProblem("configuration file " + missing + ": no such file",
        sources(Optional.of(missing), Map.of(), Map.of(), List.of()));
    assertProblem("configuration file " + directory + ": cannot be read as a file",
        sources(Optional.of(directory), Map.of(), Map.of(), List.of()));
  }

  @Test
  void fileThatIsNoHoconIsNamedWithItsLine() throws IOException {
    Path file = Files.writeString(directory.resolve("broken.conf"), "kaka {\n  listen.port = [\n}\n");

    ConfigException e = assertThrows(ConfigException.class,
        () -> KakaConfig.load(sources(Optional.of(file), Map.of(), Map.of(), List.of())));
    assertTrue(e.getMessage().startsWith(file + ": "), e.getMessage());
    assertFalse(e.getMessage().contains("\n"), e.getMessage());
  }

  @Test
  void missingSubstitutionIsNamedWithItsLine() throws IOException {
    Path file = Files.writeString(directory.resolve("s.conf"), "\nkaka.log.dir = ${NO_SUCH_VARIABLE}/data\n");

    ConfigException e = assertThrows(ConfigException.class,
        () -> KakaConfig.load(sources(Optional.of(file), Map.of(), Map.of(), List.of())));
    assertTrue(e.getMessage().startsWith(file + ": 2: "), e.getMessage());
    assertTrue(e.getMessage().contains("NO_SUCH_VARIABLE"), e.getMessage());
  }

  @Test
  void fileMayUseItsOwnVariablesAndOtherKeys() throws Exception {
    Path file = Files.writeString(directory.resolve("s.conf"),
        "base = /srv\nkaka.log { dir = ${base}/kaka, segment-bytes = ${kaka.connections.max-frame-bytes} }\n");

    KakaConfig config = KakaConfig.load(sources(Optional.of(file), Map.of(), Map.of(), List.of()));
    assertEquals("/srv/kaka", config.dir());
    assertEquals(64 << 20, config.log().segmentBytes());
  }

  @Test
  void printsWhatWasGivenForAkkaToo() throws Exception {
    Settings settings = Settings.read(sources(Optional.of(empty()), Map.of("akka.loglevel", "DEBUG"), Map.of(), List.of()));

    assertEquals(new Settings.Setting("akka.loglevel", "\"DEBUG\"", "-Dakka.loglevel"), setting(settings, "akka.loglevel"));
    assertEquals(1, settings.inForce().stream().filter(setting -> setting.key().startsWith("akka")).count());
  }

  /** What {@code kaka config} prints can be put into application.conf. */
  @Test
  void printedSettingsReadBackAsTheSame() throws Exception {
    Settings settings = Settings.read(sources(Optional.of(empty()), Map.of(), Map.of("KAKA_LOG_DIR", "a \"b\""), List.of()));
    StringBuilder printed = new StringBuilder();
    settings.inForce().forEach(setting -> printed.append(setting.key()).append(" = ").append(setting.value()).append("  # x\n"));
    Path file = Files.writeString(directory.resolve("printed.conf"), printed);

    KakaConfig again = KakaConfig.load(sources(Optional.of(file), Map.of(), Map.of(), List.of()));

    assertEquals("a \"b\"", again.dir());
    assertEquals(KakaConfig.of(settings).server(), again.server());
    assertEquals(KakaConfig.of(settings).log(), again.log());
  }

  private Path empty() throws IOException {
    return Files.writeString(directory.resolve("empty.conf"), "");
  }

  private ConfigSources sources(
      Optional<Path> file, Map<String, String> properties, Map<String, String> environment, List<Flag> flags) {
    return new ConfigSources(file, directory, properties, environment, flags, GIB);
  }

  private static Settings.Setting setting(Settings settings, String key) {
    return settings.inForce().stream().filter(setting -> setting.key().equals(key)).findFirst().orElseThrow();
  }

  private static void assertProblem(String problem, ConfigSources sources) {
    ConfigException e = assertThrows(ConfigException.class, () -> KakaConfig.load(sources));
    assertEquals(List.of(problem), e.problems());
  }
}
