package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import kaka.client.ConsumedRecord;
import kaka.client.StartPosition;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arguments with a grammar of their own, and what is made for people to read. */
class ClientArgumentsTest {
  private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-29T12:00:00Z"), ZoneOffset.UTC);
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  @Test
  void fromTakesNamesAndOffsets() {
    assertEquals(StartPosition.EARLIEST, FromPosition.parse("earliest", CLOCK, BERLIN));
    assertEquals(StartPosition.LATEST, FromPosition.parse("Latest", CLOCK, BERLIN));
    assertEquals(StartPosition.offset(0), FromPosition.parse("0", CLOCK, BERLIN));
    assertEquals(StartPosition.offset(20261129), FromPosition.parse("20261129", CLOCK, BERLIN));
  }

  @ParameterizedTest
  @CsvSource({
    "2026-11-29T15:04:05Z, 2026-11-29T15:04:05Z",
    "2026-11-29T15:04:05.123Z, 2026-11-29T15:04:05.123Z",
    "2026-11-29T15:04+02:00, 2026-11-29T13:04:00Z",
    "2026-11-29T15:04-02:00, 2026-11-29T17:04:00Z",
    "2026-11-29T15:04, 2026-11-29T14:04:00Z",
    "2026-07-01, 2026-06-30T22:00:00Z",
    "1796000000000ms, 2026-11-30T00:53:20Z",
    "-1h, 2026-11-29T11:00:00Z",
    "-90s, 2026-11-29T11:58:30Z",
    "-15m, 2026-11-29T11:45:00Z",
    "-7d, 2026-11-22T12:00:00Z",
    "-5ms, 2026-11-29T11:59:59.995Z"
  })
  void fromTakesTimesAndAges(String text, String instant) {
    assertEquals(StartPosition.time(Instant.parse(instant)), FromPosition.parse(text, CLOCK, BERLIN));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-", "-1", "+1h", "-1w", "1.5", "12:00", "2026-13-01", "2026-11-29T", "99999999999999999999", "now"})
  void fromRefusesTheRestAndSaysWhatItTakes(String text) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> FromPosition.parse(text, CLOCK, BERLIN));

    assertEquals(FromPosition.EXPECTED, refused.getMessage());
  }

  @Test
  void escapesStandForTheirBytes() {
    assertArrayEquals(new byte[] {'a', '\n', '\r', '\t', 0, '\\', (byte) 0xfF, 'z'}, Escapes.bytes("a\\n\\r\\t\\0\\\\\\xfFz"));
    assertArrayEquals("\u00e9:".getBytes(UTF_8), Escapes.bytes("\u00e9:"));
    assertEquals(0, Escapes.bytes("").length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\", "a\\", "\\q", "\\x", "\\x1", "\\x1g"})
  void unknownEscapesAreRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> Escapes.bytes(text));
  }

  private static String formatted(String format, byte[] key, byte[] value) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ConsumedRecord record = new ConsumedRecord(new TopicPartition("orders", 2), 41, 1_796_000_000_123L, key, value, List.of());
    RecordFormat.parse(format).write(record, out);
    return out.toString(UTF_8);
  }

  @Test
  void formatPutsThePartsInTheirPlaces() throws IOException {
    assertEquals(
        "orders-2@41 2026-11-30T00:53:20.123Z 1796000000123 k=v 100%\t\n",
        formatted("%s-%p@%o %t %T %k=%v 100%%\\t\\n", new byte[] {'k'}, new byte[] {'v'}));
    assertEquals("<><>", formatted("<%k><%v>", null, null));
    assertEquals("", formatted("", null, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"%", "%x", "a%", "% o", "\\q"})
  void unknownPartsOfAFormatAreRefused(String format) {
    assertThrows(IllegalArgumentException.class, () -> RecordFormat.parse(format));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "999, 999 B",
    "1000, 1.0 kB",
    "1234567, 1.2 MB",
    "99940000, 99.9 MB",
    "99960000, 100 MB",
    "999499999, 999 MB",
    "999600000, 1.0 GB",
    "9223372036854775807, 9.2 EB"
  })
  void bytesAreReadByPeople(long bytes, String text) {
    assertEquals(text, Amounts.bytes(bytes));
  }

  @Test
  void countsAndSecondsAreReadByPeople() {
    assertEquals("0 records", Amounts.records(0));
    assertEquals("1 record", Amounts.records(1));
    assertEquals("10000 records", Amounts.records(10_000));
    assertEquals("0.8 s", Amounts.seconds(812_000_000L));
  }

  @Test
  void jsonStringsAreEscaped() {
    assertEquals("\"a\\\"b\\\\c\\u000a\u00e9\"", Json.string("a\"b\\c\n\u00e9"));
    assertEquals("[{\"a\":1}]", Json.array(List.of(Json.object(Map.of("a", "1")))));
  }
}
