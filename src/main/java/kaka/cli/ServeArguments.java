package kaka.cli;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import kaka.config.ConfigSources;

/** The flags of one {@code serve} with their values. */
record ServeArguments(Map<ServeFlag, String> values) {
  ServeArguments {
    values = Map.copyOf(values);
  }

  /**
   * Reads plain {@code --flag value} and {@code --flag=value}. Whatever else there is (help, a mistake) is picocli's to
   * explain, which is not loaded for a plain start as it takes 0.1 s.
   *
   * @return empty if the arguments are not that plain
   */
  static Optional<ServeArguments> ofPlain(List<String> arguments) {
    Map<ServeFlag, String> values = new EnumMap<>(ServeFlag.class);
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      int equals = argument.indexOf('=');
      Optional<ServeFlag> flag = ServeFlag.of(equals < 0 ? argument : argument.substring(0, equals));
      boolean hasValue = equals >= 0 || i + 1 < arguments.size();
      if (flag.isEmpty() || !hasValue) {
        return Optional.empty();
      }
      String value = equals >= 0 ? argument.substring(equals + 1) : arguments.get(++i);
      if (value.startsWith("--") || values.put(flag.get(), value) != null) {
        return Optional.empty();
      }
    }
    return Optional.of(new ServeArguments(values));
  }

  ConfigSources sources() {
    List<ConfigSources.Flag> flags = values.entrySet().stream()
        .filter(entry -> entry.getKey() != ServeFlag.CONFIG)
        .map(entry -> new ConfigSources.Flag(
            entry.getKey().flag(), entry.getKey().key(), entry.getKey().toSetting(entry.getValue())))
        .toList();
    return ConfigSources.ofProcess(Optional.ofNullable(values.get(ServeFlag.CONFIG)).map(Path::of), flags);
  }
}
