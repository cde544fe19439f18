package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServeArgumentsTest {
  @Test
  void everyFlagIsReadInBothForms() {
    for (ServeFlag flag : ServeFlag.values()) {
      Optional<ServeArguments> expected = Optional.of(new ServeArguments(Map.of(flag, "-1")));

      assertEquals(expected, ServeArguments.ofPlain(List.of(flag.flag(), "-1")));
      assertEquals(expected, ServeArguments.ofPlain(List.of(flag.flag() + "=-1")));
    }
  }

  /** Whatever is not plain goes to picocli, which explains it. */
  @ParameterizedTest
  @ValueSource(strings = {"--help", "--prot 1", "--port", "--port 1 --port 2", "--port --host", "data"})
  void anythingElseIsNotPlain(String arguments) {
    assertEquals(Optional.empty(), ServeArguments.ofPlain(List.of(arguments.split(" "))));
  }

  /** Both ways of reading serve's flags give the same. */
  @Test
  void picocliReadsTheSameFlags() {
    for (ServeFlag flag : ServeFlag.values()) {
      picocli.CommandLine serve = new picocli.CommandLine(ServeCommand.spec());

      serve.parseArgs(flag.flag(), "x");

      assertEquals("x", serve.getParseResult().matchedOptionValue(flag.flag(), ""));
    }
    assertEquals(
        ServeFlag.values().length + 1, ServeCommand.spec().options().size(), "serve's flags are ServeFlag's and --help");
  }

  @Test
  void millisecondsBecomeADuration() {
    assertEquals("250ms", ServeFlag.FSYNC_INTERVAL_MS.toSetting("250"));
    assertEquals("often", ServeFlag.FSYNC_INTERVAL_MS.toSetting("often"));
    assertEquals("250", ServeFlag.RETENTION_BYTES.toSetting("250"));
  }
}
