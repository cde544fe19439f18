package kaka.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import com.typesafe.config.ConfigValueType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The merged sources of one start, before they are given types: finds unknown keys, says where each value came from.
 * Weakest first: reference.conf of every jar, kaka-akka.conf, the file, system properties, environment, flags.
 */
public final class Settings {
  /**
   * One setting in force.
   *
   * @param value as HOCON
   * @param origin {@code default}, {@code application.conf:12}, {@code -Dkaka...}, {@code KAKA_...} or {@code --flag}
   */
  public record Setting(String key, String value, String origin) {}

  private static final Pattern FILE_AND_LINE = Pattern.compile("(.*): (\\d+)(?:-\\d+)?");

  private final KnownKeys known;
  private final Config defaults;
  private final Config given;
  private final Config merged;
  private final long maxHeapBytes;
  private final List<String> problems = new ArrayList<>();
  private final Set<String> refused = new LinkedHashSet<>();

  private Settings(KnownKeys known, Config defaults, Config given, Config merged, long maxHeapBytes) {
    this.known = known;
    this.defaults = defaults;
    this.given = given;
    this.merged = merged;
    this.maxHeapBytes = maxHeapBytes;
  }

  /**
   * Reads and merges all sources. What is wrong with single settings comes out in {@link KakaConfig#of}.
   *
   * @throws ConfigException if a file cannot be read or is no HOCON
   */
  public static Settings read(ConfigSources sources) throws ConfigException {
    Config reference = reference();
    KnownKeys known = new KnownKeys(reference);
    List<String> unknownVariables = new ArrayList<>();
    try {
      Config given = flags(sources.flags())
          .withFallback(environment(sources.environment(), known, unknownVariables))
          .withFallback(properties(sources.properties()))
          .withFallback(file(sources));
      Settings settings = merge(known, reference, given, sources.maxHeapBytes());
      settings.problems.addAll(unknownVariables);
      return settings;
    } catch (com.typesafe.config.ConfigException e) {
      throw new ConfigException(List.of(e.getMessage()));
    }
  }

  /** Only these settings over the defaults. */
  static Settings parse(String hocon, long maxHeapBytes) throws ConfigException {
    Config reference = reference();
    try {
      return merge(new KnownKeys(reference), reference, ConfigFactory.parseString(hocon), maxHeapBytes);
    } catch (com.typesafe.config.ConfigException e) {
      throw new ConfigException(List.of(e.getMessage()));
    }
  }

  private static Settings merge(KnownKeys known, Config reference, Config given, long maxHeapBytes) {
    Config akka = ConfigFactory.parseResources(
        Settings.class.getClassLoader(), "kaka-akka.conf", ConfigParseOptions.defaults().setAllowMissing(false));
    Config defaults = akka.withFallback(reference);
    Config merged = given.withFallback(defaults).resolve();
    Settings settings = new Settings(known, defaults, given.resolveWith(merged), merged, maxHeapBytes);
    settings.findUnknown();
    return settings;
  }

  /** The library keeps it, and Akka's start takes the kept one: it is parsed once. */
  private static Config reference() {
    return ConfigFactory.defaultReferenceUnresolved(Settings.class.getClassLoader());
  }

  private static Config flags(List<ConfigSources.Flag> flags) {
    Config config = ConfigFactory.empty();
    for (ConfigSources.Flag flag : flags) {
      config = config.withValue(flag.key(), ConfigValueFactory.fromAnyRef(flag.value(), flag.name()));
    }
    return config;
  }

  private static Config environment(Map<String, String> environment, KnownKeys known, List<String> unknown) {
    Config config = ConfigFactory.empty();
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      String name = variable.getKey();
      Optional<String> key = known.keyOfVariable(name);
      if (key.isPresent()) {
        config = config.withValue(key.get(), ConfigValueFactory.fromAnyRef(variable.getValue(), name));
      } else if (name.startsWith("KAKA_") && !KnownKeys.isOtherVariable(name, variable.getValue())) {
        unknown.add("environment variable " + name + " = " + variable.getValue()
            + ": unknown; nearest known: " + known.nearestVariable(name));
      }
    }
    return config;
  }

  private static Config properties(Map<String, String> properties) {
    Config config = ConfigFactory.empty();
    for (Map.Entry<String, String> property : new TreeMap<>(properties).entrySet()) {
      String name = property.getKey();
      if (name.startsWith("kaka.") || name.startsWith("akka.")) {
        config = config.withValue(name, ConfigValueFactory.fromAnyRef(property.getValue(), "-D" + name));
      }
    }
    return config;
  }

  private static Config file(ConfigSources sources) throws ConfigException {
    Path file = sources.file().orElse(sources.workingDirectory().resolve("application.conf"));
    if (!Files.exists(file)) {
      if (sources.file().isPresent()) {
        throw new ConfigException(List.of("configuration file " + file + ": no such file"));
      }
      return ConfigFactory.empty();
    }
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new ConfigException(List.of("configuration file " + file + ": cannot be read as a file"));
    }
    return ConfigFactory.parseFile(file.toFile(), ConfigParseOptions.defaults().setAllowMissing(false));
  }

  private void findUnknown() {
    new TreeMap<>(given.root()).forEach((name, value) -> {
      if (name.equals(KnownKeys.ROOT)) {
        findUnknown(name, value);
      } else if (value instanceof ConfigObject && !defaults.root().containsKey(name) && KnownKeys.isNearRoot(name)) {
        refuse(name, value, "unknown section; kaka's is kaka { ... }"); // others may be variables of the file's own
      }
    });
  }

  private void findUnknown(String path, ConfigValue value) {
    boolean isSection = known.isSection(path);
    if (value instanceof ConfigObject object && !known.contains(path) && (isSection || !object.isEmpty())) {
      new TreeMap<>(object).forEach((name, child) -> findUnknown(path + "." + name, child));
    } else if (isSection) {
      refuse(path, value, "a section, expected " + path + " { ... }");
    } else if (!known.contains(path)) {
      refuse(path, value, "unknown key; nearest known: " + known.nearest(path));
    } else if (value.valueType() == ConfigValueType.NULL) {
      refuse(path, value, "expected a value");
    }
  }

  private void refuse(String path, ConfigValue value, String why) {
    if (refused.add(path)) {
      problems.add(path + " = " + shown(value) + " (" + origin(value) + "): " + why);
    }
  }

  /** Notes a problem with the value of a key. From now on {@link #source} answers with that key's default. */
  void refuse(String key, String why) {
    if (merged.hasPathOrNull(key)) {
      refuse(key, merged.getValue(key), why);
    } else if (refused.add(key)) {
      problems.add(key + ": a section above it is set to something else: " + why);
    }
  }

  /** A problem that is not one key's. */
  void refuse(String problem) {
    problems.add(problem);
  }

  /** Where to read a key from: everything merged, or the defaults if what was given is refused already. */
  Config source(String key) {
    return isRefused(key) ? defaults.resolve() : merged;
  }

  /** Whether the key, or a section that it is in, is refused. */
  boolean isRefused(String key) {
    return refused.stream().anyMatch(path -> key.equals(path) || key.startsWith(path + "."));
  }

  long maxHeapBytes() {
    return maxHeapBytes;
  }

  boolean isGiven(String key) {
    return given.hasPath(key);
  }

  boolean isKnown(String key) {
    return known.contains(key);
  }

  List<String> problems() {
    return List.copyOf(problems);
  }

  /** Everything, Akka's own settings too, resolved. */
  Config merged() {
    return merged;
  }

  /** Every key of kaka's in the order of reference.conf, then those of Akka's that were given. */
  public List<Setting> inForce() {
    List<Setting> settings = new ArrayList<>();
    for (String key : known.all()) {
      settings.add(setting(key, merged.getValue(key)));
    }
    if (given.hasPath("akka")) {
      given.withOnlyPath("akka").entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .forEach(entry -> settings.add(setting(entry.getKey(), entry.getValue())));
    }
    return settings;
  }

  private Setting setting(String key, ConfigValue value) {
    return new Setting(key, shown(value), isGiven(key) ? origin(value) : "default");
  }

  private static String shown(ConfigValue value) {
    return value.render(ConfigRenderOptions.concise());
  }

  private static String origin(ConfigValue value) {
    ConfigOrigin origin = value.origin();
    Matcher line = FILE_AND_LINE.matcher(origin.description());
    return line.matches() ? line.group(1) + ":" + line.group(2) : origin.description();
  }
}
