package kaka.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The runbook has a section for each alert, whole, and each alert names its section. */
class RunbookTest {
  private static final Pattern ALERT = Pattern.compile("(?m)^      - alert: (\\w+)$");
  private static final Pattern METRIC = Pattern.compile("\\bkaka_[a-z_]+\\b");
  private static final Pattern LINK = Pattern.compile("\\]\\(#([a-z-]+)\\)");

  private final String rules = read("ops/prometheus/kaka-alerts.yml");
  private final String book = read("ops/RUNBOOK.md");

  private static String read(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private List<String> alerts() {
    return ALERT.matcher(rules).results().map(found -> found.group(1)).toList();
  }

  /** From its heading to the next one; empty if there is none. */
  private String section(String heading) {
    int from = book.indexOf("\n### " + heading + "\n");
    int to = from < 0 ? -1 : book.indexOf("\n##", from + 1);
    return from < 0 ? "" : book.substring(from, to < 0 ? book.length() : to);
  }

  @Test
  void everyAlertHasASectionAndEverySectionAnAlert() {
    String alertPart = book.substring(book.indexOf("\n## Alerts"), book.indexOf("\n## Faults"));
    Set<String> sections = Pattern.compile("(?m)^### (\\w+)$").matcher(alertPart).results().map(found -> found.group(1)).collect(Collectors.toCollection(TreeSet::new));

    assertEquals(new TreeSet<>(alerts()), sections);
    for (String alert : alerts()) {
      for (String part : List.of("**Means:**", "**Users see:**", "**Find out:**", "**Do:**", "**Over when:**")) {
        assertTrue(section(alert).contains(part), alert + " has no " + part);
      }
    }
  }

  @Test
  void everyAlertNamesItsSection() {
    String[] each = rules.split("(?m)^      - alert: ");
    for (String rule : Arrays.copyOfRange(each, 1, each.length)) {
      String name = rule.lines().findFirst().orElseThrow();
      String expected = "          runbook: \"ops/RUNBOOK.md#" + name.toLowerCase(Locale.ROOT) + "\"";
      assertTrue(rule.lines().anyMatch(expected::equals), name);
    }
  }

  @Test
  void itsMetricsAndLinksAreThere() {
    Set<String> known = Arrays.stream(Metric.values()).map(Metric::text).collect(Collectors.toSet());
    Set<String> unknown = METRIC.matcher(book).results().map(found -> found.group()).filter(name -> !known.contains(name)).collect(Collectors.toSet());
    assertEquals(Set.of(), unknown);

    Set<String> anchors =
        Pattern.compile("(?m)^### (.+)$").matcher(book).results()
            .map(found -> found.group(1).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
            .collect(Collectors.toSet());
    List<String> links = LINK.matcher(book).results().map(found -> found.group(1)).toList();
    assertTrue(links.size() > 3 && anchors.containsAll(links), links.toString());
  }
}
