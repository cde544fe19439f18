package kaka.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import kaka.quota.QuotaConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code kaka.quotas}, and above all its list. */
class QuotaSettingsTest {
  @Test
  void quotasAreOffByDefault() throws ConfigException {
    assertEquals(QuotaConfig.OFF, KakaConfig.parse("").quotas());
  }

  @Test
  void everythingCanBeSet() throws ConfigException {
    String hocon =
        """
        kaka.quotas {
          per = address, produce-bytes-per-second = 1MiB, fetch-bytes-per-second = 2MiB, max-throttle = 3s, max-clients = 4
          overrides = [
            { client = "10.0.0.7", produce-bytes-per-second = 0 }
            { client = "::1", fetch-bytes-per-second = "5k" }
          ]
        }
        """;

    assertEquals(
        new QuotaConfig(
            QuotaConfig.Per.ADDRESS,
            1 << 20,
            2 << 20,
            Duration.ofSeconds(3),
            4,
            List.of(
                new QuotaConfig.Override("10.0.0.7", 0, 2 << 20),
                new QuotaConfig.Override("0:0:0:0:0:0:0:1", 1 << 20, 5 << 10))),
        KakaConfig.parse(hocon).quotas());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loader",
        "[loader]",
        "[{ produce-bytes-per-second = 1 }]",
        "[{ client = a }]",
        "[{ client = a, produce-bytes-per-second = fast }]",
        "[{ client = a, produce-bytes-per-second = -1 }]",
        "[{ client = a, produce = 1 }]",
        "[{ client = a, fetch-bytes-per-second = 1 }, { client = a, fetch-bytes-per-second = 2 }]"
      })
  void listThatIsWrongStopsTheStartAndIsNamed(String list) {
    ConfigException refused =
        assertThrows(ConfigException.class, () -> KakaConfig.parse("kaka.quotas.overrides = " + list));

    assertEquals(1, refused.problems().size(), refused.getMessage());
    assertTrue(refused.problems().get(0).startsWith("kaka.quotas.overrides = "), refused.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"per = user", "produce-bytes-per-second = -1", "fetch-bytes-per-second = fast", "max-throttle = 11m", "max-clients = 0"})
  void valueThatIsWrongStopsTheStartAndIsNamed(String setting) {
    ConfigException refused = assertThrows(ConfigException.class, () -> KakaConfig.parse("kaka.quotas." + setting));

    assertEquals(1, refused.problems().size(), refused.getMessage());
    assertTrue(refused.problems().get(0).startsWith("kaka.quotas." + setting.split(" ")[0] + " = "), refused.getMessage());
  }
}
