package kaka.config;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where settings come from, besides the defaults in the jar. Later components win over earlier ones.
 *
 * @param file read as HOCON and must exist; when empty, {@code application.conf} in the working directory is read if there
 *     is one
 * @param workingDirectory where application.conf is looked for
 * @param properties those that start with {@code kaka.} and {@code akka.} count
 * @param environment those that start with {@code KAKA_} count
 * @param flags from the command line
 * @param maxHeapBytes the JVM's limit, of which the memory budget is a part
 */
public record ConfigSources(
    Optional<Path> file,
    Path workingDirectory,
    Map<String, String> properties,
    Map<String, String> environment,
    List<Flag> flags,
    long maxHeapBytes) {

  /**
   * One flag of the command line.
   *
   * @param name as typed, {@code --port}
   * @param key what it stands for, {@code kaka.listen.port}
   * @param value in the syntax of the key
   */
  public record Flag(String name, String key, String value) {}

  public ConfigSources {
    properties = Map.copyOf(properties);
    environment = Map.copyOf(environment);
    flags = List.copyOf(flags);
  }

  /**
   * This process's: its working directory, system properties and environment.
   *
   * @param file given by {@code --config}; when empty, the system property {@code config.file} may name it
   */
  public static ConfigSources ofProcess(Optional<Path> file, List<Flag> flags) {
    Map<String, String> properties = new LinkedHashMap<>();
    for (String name : System.getProperties().stringPropertyNames()) {
      properties.put(name, System.getProperty(name));
    }
    return new ConfigSources(
        file.or(() -> Optional.ofNullable(properties.get("config.file")).map(Path::of)),
        Path.of(""),
        properties,
        System.getenv(),
        flags,
        Runtime.getRuntime().maxMemory());
  }
}
