package kaka.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import kaka.TestSeed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VarintTest {
  /** Protocol Buffers' encoding guide, and the ends of each range. */
  @ParameterizedTest
  @CsvSource({
    "0, 00", "-1, 01", "1, 02", "-2, 03", "63, 7e", "-64, 7f", "64, 8001", "-65, 8101", "2147483647, feffffff0f",
    "-2147483648, ffffffff0f", "9223372036854775807, feffffffffffffffff01", "-9223372036854775808, ffffffffffffffffff01"
  })
  void numbersHaveTheirEncoding(long value, String hex) {
    byte[] into = new byte[12];

    int end = Varint.put(into, 1, value);

    assertEquals(hex, HexFormat.of().formatHex(into, 1, end));
    assertEquals(end - 1, Varint.sizeOf(value));
  }

  /** As a timestamp delta, through a batch: every length of encoding comes back. */
  @Test
  void everyNumberReadsBack() throws InvalidBatchException {
    long seed = TestSeed.get();
    Random random = new Random(seed);
    RecordBatchBuilder builder = new RecordBatchBuilder(16);
    long[] timestampsMs = new long[2000];
    for (int i = 1; i < timestampsMs.length; i++) {
      timestampsMs[i] = random.nextLong() >> random.nextInt(64);
    }
    for (long timestampMs : timestampsMs) {
      builder.append(timestampMs, null, null, List.of());
    }

    RecordBatch batch = builder.build();

    batch.validate();
    assertArrayEquals(
        timestampsMs, batch.records().stream().mapToLong(Record::timestampMs).toArray(), "seed " + seed);
  }
}
