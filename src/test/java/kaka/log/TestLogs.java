package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.slf4j.LoggerFactory;

/** What the tests of this package share: small logs, batches of strings, and how to read them back. */
final class TestLogs {
  static final Path DIRECTORY = Path.of("orders-0");
  static final UUID TOPIC_ID = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");

  /** As many zeros ahead as there are bytes in the segment: with segments of some KiB there are zeros after most commits. */
  static final Preallocation EAGER = new Preallocation(1, 1, 1 << 20, 64 << 10, 1);

  /** Segments of 1 KiB, an index entry every 100 bytes or more, everything kept, many zeros. */
  static final LogConfig CONFIG = withSegmentBytes(1024);

  static { // thousands of recoveries would say what they found
    ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger("kaka.log")).setLevel(Level.OFF);
  }

  private TestLogs() {}

  static LogConfig withSegmentBytes(int segmentBytes) {
    return new LogConfig(segmentBytes, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ZERO, 0)
        .withPreallocation(EAGER);
  }

  static PartitionLog create(Disk disk) throws IOException {
    return PartitionLog.create(disk, DIRECTORY, TOPIC_ID, CONFIG, Clock.systemUTC());
  }

  /** One whose file is as long as its batches. */
  static PartitionLog createWithoutZeros(Disk disk) throws IOException {
    LogConfig without = CONFIG.withPreallocation(Preallocation.OFF);
    return PartitionLog.create(disk, DIRECTORY, TOPIC_ID, without, Clock.systemUTC());
  }

  static PartitionLog open(Disk disk) throws IOException {
    return PartitionLog.open(disk, DIRECTORY, TOPIC_ID, CONFIG, Clock.systemUTC());
  }

  static Path file(String name) {
    return DIRECTORY.resolve(name);
  }

  static RecordBatch batch(String... values) {
    return batchAt(1000, values);
  }

  /** Every record has this timestamp. */
  static RecordBatch batchAt(long timestampMs, String... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder(64);
    for (String value : values) {
      builder.append(timestampMs, null, value.getBytes(StandardCharsets.UTF_8), List.of());
    }
    return builder.build();
  }

  /** One record per timestamp. */
  static RecordBatch batchAt(long[] timestampsMs) {
    RecordBatchBuilder builder = new RecordBatchBuilder(64);
    for (long timestampMs : timestampsMs) {
      builder.append(timestampMs, null, ("t" + timestampMs).getBytes(StandardCharsets.UTF_8), List.of());
    }
    return builder.build();
  }

  /** A string of {@code size} characters that {@code seed} decides. */
  static String text(int seed, int size) {
    StringBuilder text = new StringBuilder(seed + ":");
    while (text.length() < size) {
      text.append((char) ('a' + (seed + text.length()) % 26));
    }
    return text.toString();
  }

  /** Values of all records from the log start on; their offsets are checked to be without gap, their batches intact. */
  static List<String> values(LogSnapshot snapshot) throws IOException {
    return values(snapshot, snapshot.logStartOffset());
  }

  /** The same, from the first record of the batch that holds {@code fetchOffset}, without those before it. */
  static List<String> values(LogSnapshot snapshot, long fetchOffset) throws IOException {
    List<String> values = new ArrayList<>();
    long expected = fetchOffset;
    for (Record record : records(snapshot, fetchOffset)) {
      if (record.offset() >= fetchOffset) {
        assertEquals(expected++, record.offset());
        values.add(new String(record.value(), StandardCharsets.UTF_8));
      }
    }
    assertEquals(snapshot.highWatermark(), expected, "records end at the high watermark");
    return values;
  }

  static List<Record> records(LogSnapshot snapshot, long fetchOffset) throws IOException {
    try (LogReader reader = snapshot.reader(fetchOffset)) {
      byte[] bytes = new byte[(int) reader.sizeBytes()];
      assertEquals(bytes.length, reader.read(ByteBuffer.wrap(bytes), 0));
      List<Record> records = new ArrayList<>();
      for (int at = 0; at < bytes.length; ) {
        RecordBatch batch = RecordBatch.frame(bytes, at, bytes.length);
        batch.validate();
        records.addAll(batch.records());
        at += batch.sizeBytes();
      }
      return records;
    } catch (InvalidBatchException e) {
      throw new IOException(e);
    }
  }

  static byte[] content(Disk disk, Path file) throws IOException {
    try (DiskFile in = disk.openForReading(file)) {
      byte[] content = new byte[(int) in.sizeBytes()];
      in.read(ByteBuffer.wrap(content), 0);
      return content;
    }
  }

  /** Makes the file hold just that. */
  static void setContent(Disk disk, Path file, byte[] content) throws IOException {
    try (DiskFile out = disk.exists(file) ? disk.openForWriting(file) : disk.create(file)) {
      out.truncate(0);
      out.write(ByteBuffer.wrap(content), 0);
    }
  }

  /** A copy of all files of the log, on a disk of its own. */
  static MemoryDisk copy(Disk disk) throws IOException {
    MemoryDisk copy = new MemoryDisk();
    copy.createDirectory(DIRECTORY);
    for (String name : disk.list(DIRECTORY)) {
      setContent(copy, file(name), content(disk, file(name)));
    }
    return copy;
  }
}
