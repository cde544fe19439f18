package kaka.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import kaka.record.Header;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;

/** The directories that Apache Kafka wrote, see README.txt beside them, and what is in them by how they were made. */
public final class KafkaPartitions {
  public static final Path DIRECTORY = Path.of("src/test/resources/kafka-partitions");

  private KafkaPartitions() {}

  /** Copies one to {@code target}, durably. */
  public static void copy(String name, Disk disk, Path target) throws IOException {
    WholeFile.createDirectories(disk, target);
    try (Stream<Path> files = Files.list(DIRECTORY.resolve(name))) {
      for (Path file : files.toList()) {
        write(disk, target.resolve(String.valueOf(file.getFileName())), Files.readAllBytes(file));
      }
    }
    disk.syncDirectory(target);
  }

  public static void write(Disk disk, Path file, byte[] bytes) throws IOException {
    if (disk.exists(file)) {
      disk.delete(file);
    }
    try (DiskFile out = disk.create(file)) {
      out.write(ByteBuffer.wrap(bytes), 0);
      out.sync();
    }
  }

  public static byte[] read(Disk disk, Path file) throws IOException {
    try (DiskFile in = disk.openForReading(file)) {
      byte[] bytes = new byte[(int) in.sizeBytes()];
      in.read(ByteBuffer.wrap(bytes), 0);
      return bytes;
    }
  }

  /** Records of a reader, by offset, markers left out; that the offsets of batches have no gap is checked. */
  public static TreeMap<Long, Record> records(LogSnapshot snapshot) throws IOException {
    TreeMap<Long, Record> records = new TreeMap<>();
    try {
      for (RecordBatch batch : CompactionLogs.batches(snapshot)) {
        assertEquals(0, batch.leaderEpoch());
        if (!batch.isControl()) {
          batch.records().forEach(record -> records.put(record.offset(), record));
        }
      }
    } catch (InvalidBatchException e) {
      throw new IOException(e);
    }
    return records;
  }

  /** Of none-0 to zstd-0. */
  public static List<Record> ofCodec() {
    List<Record> records = new ArrayList<>();
    for (int offset = 0; offset < 80; offset++) {
      records.add(record(offset, offset / 40, offset % 40));
    }
    return records;
  }

  /** Of txn-0, those of aborted transactions too: every sixth offset is a marker's. */
  public static List<Record> ofTxn() {
    List<Record> records = new ArrayList<>();
    for (int offset = 0; offset < 72; offset++) {
      if (offset % 6 != 5) {
        records.add(record(offset, offset / 36, offset % 36 / 6 * 5 + offset % 6));
      }
    }
    return records;
  }

  /** Of txn-0, without those of aborted transactions: every third was. */
  public static List<Record> ofCommittedTxn() {
    return ofTxn().stream().filter(record -> record.offset() / 6 % 3 != 2).toList();
  }

  /** What was written to compact-0 at {@code offset}. */
  public static Record ofCompact(long offset) {
    int i = (int) offset % 40;
    byte[] value = i % 11 == 10 ? null : value(i);
    return new Record(offset, 1_700_000_000_000L + i, ("k" + i % 9).getBytes(UTF_8), value, List.of());
  }

  private static Record record(long offset, int phase, int i) {
    byte[] key = i % 3 == 0 ? null : ("key-" + phase + "-" + i).getBytes(UTF_8);
    byte[] value = i % 5 == 4 ? null : value(i);
    List<Header> headers =
        i % 2 == 0 ? List.of() : List.of(new Header("trace", new byte[] {0, 10, -1}), new Header("none", null));
    return new Record(offset, 1_700_000_000_000L + phase * 1_000_000L + i, key, value, headers);
  }

  private static byte[] value(int i) {
    return ("v" + i + "-" + "abc".repeat(20)).getBytes(UTF_8);
  }

  public static void assertSame(List<Record> expected, List<Record> actual) {
    assertEquals(expected.stream().map(Record::offset).toList(), actual.stream().map(Record::offset).toList());
    for (int i = 0; i < expected.size(); i++) {
      Record want = expected.get(i);
      Record got = actual.get(i);
      assertEquals(want.timestampMs(), got.timestampMs(), "offset " + want.offset());
      assertArrayEquals(want.key(), got.key(), "offset " + want.offset());
      assertArrayEquals(want.value(), got.value(), "offset " + want.offset());
      assertEquals(want.headers().size(), got.headers().size(), "offset " + want.offset());
      for (int j = 0; j < want.headers().size(); j++) {
        assertEquals(want.headers().get(j).key(), got.headers().get(j).key());
        assertArrayEquals(want.headers().get(j).value(), got.headers().get(j).value());
      }
    }
  }

  /** Every key's newest record is there unless it deletes it, and each that is there is what was written. */
  public static void assertCompacted(TreeMap<Long, Record> records) {
    List<Record> expected = records.keySet().stream().map(KafkaPartitions::ofCompact).toList();
    assertSame(expected, new ArrayList<>(records.values()));
    for (int key = 0; key < 9; key++) {
      long newest = 79;
      while (newest % 40 % 9 != key) {
        newest--;
      }
      assertTrue(records.containsKey(newest) || ofCompact(newest).value() == null, "newest of key " + key);
    }
    assertTrue(records.size() < 80, "the cleaner had run");
  }
}
