package kaka.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import kaka.quota.QuotaConfig;

/**
 * {@code kaka.quotas.overrides}: a list of sections {@code { client = "...", produce-bytes-per-second = 10MiB,
 * fetch-bytes-per-second = 0 }}, of which one rate may be left out, and is that of all others then.
 */
final class QuotaOverrides {
  private static final String CLIENT = "client";
  private static final String PRODUCE = "produce-bytes-per-second";
  private static final String FETCH = "fetch-bytes-per-second";
  private static final Set<String> KEYS = Set.of(CLIENT, PRODUCE, FETCH);
  private static final String EXPECTED =
      "a list of { client = \"name\", produce-bytes-per-second = 10MiB, fetch-bytes-per-second = 10MiB }, of which one rate may be left out";

  private QuotaOverrides() {}

  static List<QuotaConfig.Override> read(SettingsReader in, String key) {
    long produceBytesPerSecond = in.size("kaka.quotas." + PRODUCE);
    long fetchBytesPerSecond = in.size("kaka.quotas." + FETCH);
    List<QuotaConfig.Override> overrides = new ArrayList<>();
    for (Config section : in.sections(key, EXPECTED)) {
      boolean isSound = KEYS.containsAll(section.root().keySet()) && section.hasPath(CLIENT);
      isSound &= section.hasPath(PRODUCE) || section.hasPath(FETCH);
      try {
        if (isSound) {
          overrides.add(
              new QuotaConfig.Override(
                  section.getString(CLIENT),
                  section.hasPath(PRODUCE) ? SettingsReader.sizeOf(section, PRODUCE) : produceBytesPerSecond,
                  section.hasPath(FETCH) ? SettingsReader.sizeOf(section, FETCH) : fetchBytesPerSecond));
        }
      } catch (ConfigException | NumberFormatException e) {
        isSound = false;
      }
      if (!isSound) {
        in.check(false, key, EXPECTED);
        return List.of();
      }
    }
    return overrides;
  }
}
