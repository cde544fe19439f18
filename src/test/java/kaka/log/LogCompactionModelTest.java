package kaka.log;

import static kaka.log.CompactionLogs.keyed;
import static kaka.log.CompactionLogs.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import kaka.record.BatchCompression;
import kaka.record.Codec;
import kaka.record.Record;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random lives of a compacted log against the list of all that was written: append, tombstones, compaction that is let run,
 * interleaved, cancelled or crashed, restart, power cut. Reading all of the log always gives the map that the list gives.
 */
class LogCompactionModelTest extends CompactedLife<LogCompactionModelTest.Entry> {
  record Entry(String key, String value) {}

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void theLogGivesTheMap(int round) throws IOException {
    live(round, 3000, 300, 10);
  }

  @Override
  void step() throws IOException {
    int choice = random.nextInt(100);
    if (choice < 50) {
      append();
    } else if (choice < 60) {
      flush();
    } else if (choice < 63) {
      log.rollIfAged();
    } else if (choice < 85) {
      compactSome();
    } else if (choice < 93) {
      check();
    } else if (choice < 95) {
      restart();
    } else if (choice < 97) {
      crash();
    } else {
      cutPower();
    }
  }

  private void append() throws IOException {
    int count = 1 + random.nextInt(4);
    String[] keysAndValues = new String[count * 2];
    for (int i = 0; i < count; i++) {
      String key = "k" + random.nextInt(random.nextInt(10) == 0 ? 200 : 12);
      String value = random.nextInt(6) == 0 ? null : TestLogs.text(written.size(), random.nextInt(200));
      keysAndValues[2 * i] = key;
      keysAndValues[2 * i + 1] = value;
      written.add(new Entry(key, value));
    }
    Codec codec = Codec.values()[random.nextInt(Codec.values().length)];
    log.append(BatchCompression.compress(keyed(clock.millis(), keysAndValues), codec));
  }

  @Override
  void check() throws IOException {
    LogSnapshot snapshot = log.snapshot();
    Map<String, String> expected = new TreeMap<>();
    for (Entry entry : written.subList(0, (int) snapshot.highWatermark())) {
      put(expected, entry.key(), entry.value());
    }
    Map<String, String> found = new TreeMap<>();
    for (Record record : CompactionLogs.records(snapshot).values()) {
      Entry entry = written.get((int) record.offset());
      assertEquals(entry, new Entry(text(record.key()), text(record.value())), "offset " + record.offset());
      put(found, entry.key(), entry.value());
    }
    assertEquals(expected, found);
    if (snapshot.highWatermark() > 0) {
      long from = random.nextInt((int) snapshot.highWatermark());
      assertTrue(
          CompactionLogs.recordsFrom(snapshot, from).stream().anyMatch(record -> record.offset() >= from),
          "no record from " + from + " on");
    }
  }
}
