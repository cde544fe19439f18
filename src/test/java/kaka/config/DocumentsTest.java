package kaka.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** README.md and application.conf say of every key what reference.conf says. */
class DocumentsTest {
  private static final Pattern TABLE_ROW = Pattern.compile("\\| `(kaka\\.[a-z.-]+)` \\| `([^`]+)` \\| \\S.*\\|");
  private static final Pattern COMMENTED = Pattern.compile("#(kaka\\.[a-z.-]+) = (.+)");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^):#]*)(?:#([a-z0-9-]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^##+ (.+)$");

  @Test
  void readmeHasEveryKeyWithItsDefault() throws Exception {
    assertEquals(defaults(), found(TABLE_ROW, "README.md"));
  }

  @Test
  void applicationConfHasEveryKeyWithItsDefaultCommentedOut() throws Exception {
    assertEquals(defaults(), found(COMMENTED, "application.conf"));
    assertEquals(KakaConfig.parse("").server(), KakaConfig.parse(Files.readString(Path.of("application.conf"))).server());
  }

  /** What it is, what more of it costs, why this default: at least something stands above each key. */
  @Test
  void referenceConfExplainsEveryKey() throws Exception {
    List<String> lines = Files.readAllLines(Path.of("src/main/resources/reference.conf"));
    for (int i = 1; i < lines.size(); i++) {
      if (lines.get(i).matches("\\s+[a-z-]+ = .*")) {
        assertTrue(lines.get(i - 1).matches("\\s+# .*\\."), "no sentence above line " + (i + 1) + ":" + lines.get(i));
      }
    }
  }

  @Test
  void everyCheckIsListed() throws Exception {
    Pattern row = Pattern.compile("\\| `ops/checks/([a-z-]+\\.sh)` \\| \\S.* \\|");
    List<String> listed =
        Files.readAllLines(Path.of("ops/checks/README.md")).stream().map(row::matcher).filter(Matcher::matches).map(found -> found.group(1)).sorted().toList();
    try (Stream<Path> scripts = Files.list(Path.of("ops/checks"))) {
      List<String> there =
          scripts.map(script -> script.getFileName().toString()).filter(name -> name.endsWith(".sh") && !List.of("lib.sh", "load.sh").contains(name)).sorted().toList();
      assertEquals(there, listed);
    }
  }

  /** Files are there, and what is asked for in a document is one of its headings. */
  @Test
  void linksLeadSomewhere() throws Exception {
    Set<String> astray = new TreeSet<>();
    int count = 0;
    for (String document : List.of("README.md", "METRICS.md", "ops/OPERATION.md", "ops/RUNBOOK.md", "ops/checks/README.md", "ops/perf/MICRO.md", "ops/perf/PROFILE.md")) {
      Matcher link = LINK.matcher(Files.readString(Path.of(document)));
      while (link.find()) {
        count++;
        Path target = link.group(1).isEmpty() ? Path.of(document) : Path.of(document).resolveSibling(link.group(1)).normalize();
        if (!Files.exists(target) || link.group(2) != null && !anchors(target).contains(link.group(2))) {
          astray.add(document + ": " + link.group());
        }
      }
    }
    assertTrue(count > 40, count + " links");
    assertEquals(Set.of(), astray);
  }

  /** As GitHub makes them of headings. */
  private static Set<String> anchors(Path document) throws IOException {
    return HEADING.matcher(Files.readString(document)).results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  private static Map<String, String> defaults() throws ConfigException {
    Map<String, String> defaults = new TreeMap<>();
    for (Settings.Setting setting : Settings.parse("", 1L << 30).inForce()) {
      defaults.put(setting.key(), plain(setting.value()));
    }
    return defaults;
  }

  private static Map<String, String> found(Pattern pattern, String file) throws IOException {
    Map<String, String> found = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of(file))) {
      Matcher matcher = pattern.matcher(line);
      if (matcher.matches()) {
        found.put(matcher.group(1), plain(matcher.group(2)));
      }
    }
    return found;
  }

  private static String plain(String value) {
    return value.replace("\"", "");
  }
}
