package kaka.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The dashboard and the alert rules ask for metrics that there are, with labels that those have. */
class OpsFilesTest {
  private static final Pattern NAME = Pattern.compile("\\b(?:kaka|jvm|process|system)_[a-z0-9_]+\\b(?!\\s*=)");
  private static final Pattern SELECTOR = Pattern.compile("\\b(kaka_[a-z_]+)\\{([^}]*)}");
  private static final Pattern LABEL = Pattern.compile("([a-z]+)\\s*=~?\\s*\"");
  private static final Pattern RULE = Pattern.compile("(?m)^        expr: (.*)$");
  private static final Pattern ALERT = Pattern.compile("(?m)^      - alert: (\\w+)$");

  @Test
  void theDashboardAsksForWhatThereIs() throws IOException {
    Config dashboard =
        ConfigFactory.parseString(
            Files.readString(Path.of("ops/grafana/kaka.json")), ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
    List<String> expressions = new ArrayList<>();
    Set<Integer> ids = new HashSet<>();
    for (Config panel : dashboard.getConfigList("panels")) {
      assertTrue(ids.add(panel.getInt("id")), "panel " + panel.getInt("id") + " twice");
      if (!panel.getString("type").equals("row")) {
        panel.getConfigList("targets").forEach(target -> expressions.add(target.getString("expr")));
      }
    }

    assertTrue(expressions.size() > 30, expressions.size() + " expressions");
    assertKnown(expressions);
  }

  @Test
  void theAlertsAskForWhatThereIs() throws IOException {
    String rules = Files.readString(Path.of("ops/prometheus/kaka-alerts.yml"));
    List<String> expressions = RULE.matcher(rules).results().map(found -> found.group(1)).toList();

    assertEquals(ALERT.matcher(rules).results().count(), expressions.size());
    assertTrue(expressions.size() > 10, expressions.size() + " rules");
    assertKnown(expressions);
  }

  private static void assertKnown(List<String> expressions) {
    Set<String> unknown = new TreeSet<>();
    for (String expression : expressions) {
      NAME.matcher(expression).results().map(found -> found.group()).filter(name -> !known().contains(name)).forEach(unknown::add);
      Matcher selector = SELECTOR.matcher(expression);
      while (selector.find()) {
        for (String label : LABEL.matcher(selector.group(2)).results().map(found -> found.group(1)).toList()) {
          if (!label.equals("instance") && !label.equals("job") && !labelsOf(selector.group(1)).contains(label)) {
            unknown.add(selector.group(1) + " has no label " + label);
          }
        }
      }
    }
    assertEquals(Set.of(), unknown);
  }

  private static Set<String> known() {
    Set<String> known = new HashSet<>();
    for (Metric metric : Metric.values()) {
      known.add(metric.text());
      if (metric.kind().isHistogram()) {
        known.addAll(List.of(metric.text() + "_bucket", metric.text() + "_sum", metric.text() + "_count"));
      }
    }
    for (JvmMetric metric : JvmMetric.values()) {
      known.add(metric.text());
      if (metric.type().equals("summary")) {
        known.addAll(List.of(metric.text() + "_sum", metric.text() + "_count"));
      }
    }
    return known;
  }

  private static List<String> labelsOf(String name) {
    for (Metric metric : Metric.values()) {
      if (name.equals(metric.text()) || metric.kind().isHistogram() && name.matches(metric.text() + "_(bucket|sum|count)")) {
        return metric.kind().isHistogram() ? concat(metric.labels()) : metric.labels();
      }
    }
    return List.of();
  }

  private static List<String> concat(List<String> labels) {
    List<String> all = new ArrayList<>(labels);
    all.add("le");
    return all;
  }
}
