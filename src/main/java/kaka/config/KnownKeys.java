package kaka.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The keys that kaka has: the leaves of {@code kaka} in reference.conf, in the order of that file. */
final class KnownKeys {
  static final String ROOT = "kaka";

  /** Variables of the launcher and of the client commands; no settings of the broker. */
  private static final List<String> OTHER_VARIABLES = List.of("KAKA_BROKER", "KAKA_ADMIN", "KAKA_OPTS", "KAKA_JAR", "KAKA_CACHE");

  /** Kubernetes and Docker set these in every container when a service is called kaka-something. */
  private static final Pattern SERVICE_LINK =
      Pattern.compile("KAKA_(\\w+_)?(SERVICE_(HOST|PORT(_\\w+)?)|PORT_\\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)");
  private static final Pattern SERVICE_LINK_PORT = Pattern.compile("KAKA_(\\w+_)?PORT=(tcp|udp)://.*");

  private final Map<String, ConfigValue> defaults = new LinkedHashMap<>();
  private final Map<String, String> keyByVariable = new LinkedHashMap<>();

  /** @param reference the merged reference.conf files, resolved or not */
  KnownKeys(Config reference) {
    List<Map.Entry<String, ConfigValue>> leaves = new ArrayList<>();
    collect(ROOT, reference.root().get(ROOT), leaves);
    leaves.sort(Comparator.comparingInt(leaf -> leaf.getValue().origin().lineNumber()));
    for (Map.Entry<String, ConfigValue> leaf : leaves) {
      defaults.put(leaf.getKey(), leaf.getValue());
      keyByVariable.put(variable(leaf.getKey()), leaf.getKey());
    }
  }

  private static void collect(String path, ConfigValue value, List<Map.Entry<String, ConfigValue>> leaves) {
    if (value instanceof ConfigObject section) {
      section.forEach((name, child) -> collect(path + "." + name, child, leaves));
    } else {
      leaves.add(Map.entry(path, value));
    }
  }

  /** In the order of reference.conf. */
  List<String> all() {
    return List.copyOf(defaults.keySet());
  }

  boolean contains(String key) {
    return defaults.containsKey(key);
  }

  boolean isSection(String path) {
    return defaults.keySet().stream().anyMatch(key -> key.startsWith(path + "."));
  }

  /** {@code kaka.log.segment-bytes} is {@code KAKA_LOG_SEGMENT_BYTES}. */
  static String variable(String key) {
    return key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  Optional<String> keyOfVariable(String variable) {
    return Optional.ofNullable(keyByVariable.get(variable));
  }

  /** Whether the variable starts with KAKA_, is no known key's and yet is rightly there. */
  static boolean isOtherVariable(String variable, String value) {
    return OTHER_VARIABLES.contains(variable)
        || SERVICE_LINK.matcher(variable).matches()
        || SERVICE_LINK_PORT.matcher(variable + "=" + value).matches();
  }

  /** Whether a section of that name is {@code kaka}, misspelt: kafka, kak, Kaka. */
  static boolean isNearRoot(String section) {
    return Spelling.changes(section, ROOT) <= 2;
  }

  /** The known key with the fewest letters to change. */
  String nearest(String unknown) {
    return Spelling.nearest(unknown, defaults.keySet()).orElseThrow();
  }

  String nearestVariable(String unknown) {
    return Spelling.nearest(unknown, keyByVariable.keySet()).orElseThrow();
  }
}
