package kaka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Keeps the floor plan: a package uses only floors below its own, and of those only what is listed here. Looks at the
 * source, not only at its imports: a name written out in full counts too; comments and strings do not.
 */
class FloorPlanTest {
  private static final Path SOURCES = Path.of("src/main/java/kaka");

  /** Comments, text blocks, strings and characters. */
  private static final Pattern NOT_CODE =
      Pattern.compile(
          "/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])*+'",
          Pattern.DOTALL);

  private static final Pattern USE = Pattern.compile("(?<![\\w.])kaka\\s*\\.\\s*([a-z]+)\\s*\\.");
  private static final Pattern AKKA = Pattern.compile("(?<![\\w.])akka\\s*\\.");

  /** What a package may use. Akka starts on floor 2, and never in the client. */
  private record Floor(int number, boolean isAkkaAllowed, Set<String> uses) {}

  private static final Map<String, Floor> FLOORS = new HashMap<>();

  static {
    floor(0, "record", false);
    floor(0, "metrics", false);
    floor(0, "quota", false);
    floor(1, "log", false, "record", "metrics");
    floor(1, "protocol", false, "record");
    floor(1, "socket", false);
    floor(2, "partition", true, "log", "record", "metrics");
    floor(2, "group", true, "log", "record", "metrics");
    floor(2, "client", false, "protocol", "record", "socket");
    floor(3, "streams", true, "client", "record");
    floor(3, "bench", false, "client", "protocol", "record");
    floor(3, "topic", true, "partition", "log", "record", "metrics");
    floor(3, "transaction", true, "partition", "group", "log", "record", "metrics");
    floor(4, "connection", true, "socket", "protocol", "topic", "transaction", "group", "partition", "log", "record", "metrics", "quota");
    floor(5, "server", true, "connection", "protocol", "topic", "transaction", "group", "partition", "log", "record", "metrics", "quota");
    floor(5, "kafka", true, "connection", "protocol", "topic", "transaction", "group", "partition", "log", "record", "metrics", "quota");
    floor(5, "console", true, "connection", "topic", "group", "partition", "log", "record", "metrics", "quota");
    String[] configured = {"connection", "server", "kafka", "console", "topic", "transaction", "group", "partition", "client", "log", "quota"};
    floor(6, "config", true, configured); // their *Config records
    Set<String> below = new HashSet<>(FLOORS.keySet());
    floor(7, "broker", true, below.toArray(String[]::new));
    floor(8, "junit", false, "broker");
    floor(8, "cli", true, "broker", "config", "bench", "client", "log", "protocol", "record", "metrics");
  }

  private static void floor(int number, String name, boolean isAkkaAllowed, String... uses) {
    FLOORS.put(name, new Floor(number, isAkkaAllowed, Set.of(uses)));
  }

  @Test
  void everySourceKeepsTheFloorPlan() throws IOException {
    List<String> breaches = new ArrayList<>();
    Set<String> packages = new HashSet<>();
    for (Path file : sources()) {
      String name = packageOf(file);
      packages.add(name);
      breaches.addAll(breaches(name, SOURCES.relativize(file).toString(), Files.readString(file)));
    }

    assertTrue(packages.contains("record") && packages.contains("protocol"), "read " + packages + " in " + SOURCES);
    assertEquals(List.of(), breaches);
  }

  @Test
  void everyPackageSaysWhatItIs() throws IOException {
    Set<String> without = sources().stream().map(FloorPlanTest::packageOf).collect(Collectors.toSet());

    without.removeIf(name -> Files.exists(SOURCES.resolve(name).resolve("package-info.java")));

    assertEquals(Set.of(), without, "packages without package-info.java");
  }

  @Test
  void everyUseInThePlanIsOfAFloorBelow() {
    FLOORS.forEach(
        (name, floor) ->
            floor.uses.forEach(
                used -> assertTrue(FLOORS.get(used).number < floor.number, name + " uses " + used)));
  }

  /** The checks above can fail. */
  @Test
  void breachesAreFound() {
    assertBreach("log", "import kaka.topic.TopicsConfig;", "kaka.topic");
    assertBreach("log", "import static kaka.protocol.MessageType.PRODUCE;", "kaka.protocol");
    assertBreach("server", "import kaka.kafka.Door;", "kaka.kafka");
    assertBreach("client", "class A { kaka.log.LogConfig config; }", "kaka.log");
    assertBreach("record", "import kaka.metrics.Counter;", "kaka.metrics");
    assertBreach("protocol", "import kaka . log . *;", "kaka.log");
    assertBreach("record", "import akka.util.ByteString;", "Akka");
    assertBreach("client", "class A { akka.actor.ActorSystem system; }", "Akka");
    assertBreach("util", "class A {}", "no such package");

    String harmless =
        """
        /* kaka.topic.A */ // kaka.topic.B
        import kaka.record.Record;
        class A { String key = "kaka.topic.auto-create", akka = "akka.loglevel"; char quote = '"'; kaka.log.A own; }
        """;
    assertEquals(List.of(), breaches("log", "A.java", harmless));
  }

  private static void assertBreach(String name, String source, String what) {
    List<String> breaches = breaches(name, "A.java", source);
    assertEquals(1, breaches.size(), source + ": " + breaches);
    assertTrue(breaches.get(0).contains(what), breaches.get(0));
  }

  private static List<String> breaches(String name, String file, String source) {
    Floor floor = FLOORS.get(name);
    if (floor == null) {
      return List.of(file + ": no such package in the floor plan: " + name);
    }
    String code = NOT_CODE.matcher(source).replaceAll("\"\"");
    List<String> breaches = new ArrayList<>();
    Matcher use = USE.matcher(code);
    while (use.find()) {
      String used = use.group(1);
      if (!used.equals(name) && !floor.uses.contains(used)) {
        breaches.add(file + ": " + name + " (floor " + floor.number + ") uses kaka." + used);
      }
    }
    if (!floor.isAkkaAllowed && AKKA.matcher(code).find()) {
      breaches.add(file + ": " + name + " (floor " + floor.number + ") uses Akka");
    }
    return breaches;
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().collect(Collectors.toList());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** The first directory under the sources: {@code kaka} has no packages within packages. */
  private static String packageOf(Path file) {
    Path relative = SOURCES.relativize(file);
    return relative.getNameCount() < 2 ? "" : relative.getName(0).toString();
  }
}
