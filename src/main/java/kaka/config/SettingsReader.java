package kaka.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Gives settings their types. A value that does not fit is noted in the {@link Settings} and its default is answered in its
 * place, so that one start reports all that is wrong with it.
 */
final class SettingsReader {
  private static final Pattern WHOLE_NUMBER = Pattern.compile("\\s*-?\\d+\\s*");

  private final Settings settings;

  SettingsReader(Settings settings) {
    this.settings = settings;
  }

  private interface Getter<T> {
    T get(Config config);
  }

  private <T> T get(String key, String expected, Getter<T> getter) {
    try {
      return getter.get(settings.source(key));
    } catch (com.typesafe.config.ConfigException | ArithmeticException | NumberFormatException e) {
      settings.refuse(key, "expected " + expected);
      return getter.get(settings.source(key));
    }
  }

  String text(String key) {
    return get(key, "text", config -> config.getString(key));
  }

  boolean flag(String key) {
    return get(key, "true or false", config -> config.getBoolean(key));
  }

  int count(String key) {
    return get(key, "a whole number", config -> new BigDecimal(config.getString(key).trim()).intValueExact());
  }

  /** A number, or -1 for {@code off}. */
  int countOrOff(String key) {
    return get(
        key,
        "a whole number, or off",
        config -> {
          String text = config.getString(key).trim();
          return text.equals("off") ? -1 : new BigDecimal(text).intValueExact();
        });
  }

  Duration duration(String key) {
    return get(key, "a duration such as 500ms, 30s or 7d", config -> config.getDuration(key));
  }

  /** Bytes; negative only as a plain number, which HOCON's own reader of sizes refuses. */
  long size(String key) {
    return get(key, "a size such as 64MiB, 512k or plain bytes", config -> sizeOf(config, key));
  }

  int intSize(String key) {
    return get(key, "a size such as 64MiB, below 2 GiB", config -> Math.toIntExact(sizeOf(config, key)));
  }

  static long sizeOf(Config config, String key) {
    ConfigValue value = config.getValue(key);
    String text = value.unwrapped().toString();
    return WHOLE_NUMBER.matcher(text).matches() ? Long.parseLong(text.trim()) : config.getBytes(key);
  }

  /** A list of sections, or a text of one, where only text can be given. */
  List<? extends Config> sections(String key, String expected) {
    return get(
        key,
        expected,
        config ->
            config.getValue(key).valueType() == ConfigValueType.STRING
                ? ConfigFactory.parseString("list = " + config.getString(key)).getConfigList("list")
                : config.getConfigList(key));
  }

  /** Refuses the value of {@code key} unless {@code valid}. */
  void check(boolean valid, String key, String expected) {
    if (!valid) {
      settings.refuse(key, "expected " + expected);
    }
  }

  /**
   * Makes a record that checks itself. When its constructor refuses a component, {@code "segment-bytes 5: at least 1 KiB"},
   * the problem is put to that component's key, its default takes its place, and the record is made again.
   *
   * @param section where a component's key is {@code section.component-name}
   * @param elsewhere the key of each component that has another one, by the component's name in kebab case
   */
  <T> T record(String section, Map<String, String> elsewhere, Supplier<T> maker) {
    while (true) {
      try {
        return maker.get();
      } catch (IllegalArgumentException e) {
        String component = e.getMessage().split(" ", 2)[0];
        String key = elsewhere.getOrDefault(component, section + "." + component);
        if (!settings.isKnown(key) || settings.isRefused(key)) {
          throw e; // the record's message and this table disagree, or a default is wrong: ours to mend
        }
        int colon = e.getMessage().indexOf(": ");
        settings.refuse(key, "expected " + (colon < 0 ? "another value" : e.getMessage().substring(colon + 2)));
      }
    }
  }
}
