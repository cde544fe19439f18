package kaka.server;

import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.fetch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import kaka.broker.TestBroker;
import kaka.log.Disk;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.protocol.DeleteTopic;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.RecordBatches;
import kaka.protocol.Records;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

/** A compacted topic as a client sees it, in a broker that compacts while it is written and read. */
class CompactedTopicTest {
  private static final TopicPartition PRICES = new TopicPartition("prices", 0);
  private static final String OFTEN = "kaka.log.retention-check-interval = 20ms\nkaka.log.compaction.max-bytes-per-second = 0\n";
  private static final Map<String, String> SETTINGS =
      Map.of("cleanup.policy", "compact", "segment.bytes", "1024", "min.cleanable.dirty.ratio", "0");
  private static final int KEYS = 7;
  private static final int RECORDS = 400;

  private final Disk disk = new FaultyDisk(new MemoryDisk());

  private static RecordBatch batch(String key, String value) {
    return new RecordBatchBuilder(64).append(1000, bytes(key), bytes(value), List.of()).build();
  }

  private static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private static void fill(RawConnection connection, int from) throws IOException {
    for (int i = from; i < from + RECORDS; i++) {
      assertEquals(new ProduceAck(i), connection.ask(new Produce(PRICES, batch("k" + i % KEYS, i + "x".repeat(100)))));
    }
  }

  /** Reads as a client does, one small fetch after the other, from the start to the end; the newest value of each key. */
  private static Map<String, String> readBatches(RawConnection connection, long end) throws Exception {
    Map<String, String> found = new TreeMap<>();
    long lastOffset = -1;
    for (long next = 0; next < end; ) {
      RecordBatches answer =
          assertInstanceOf(RecordBatches.class, connection.ask(new FetchBatches(new Fetch(PRICES, next, 500, 0, 0))));
      assertTrue(!answer.batches().isEmpty(), "nothing at " + next);
      for (RecordBatch batch : answer.batches()) {
        assertTrue(batch.isCrcValid());
        for (Record record : batch.records()) {
          if (record.offset() >= next) {
            assertTrue(record.offset() > lastOffset);
            lastOffset = record.offset();
            found.put(text(record.key()), text(record.value()));
          }
        }
        next = Math.max(next, batch.lastOffset() + 1);
      }
    }
    return found;
  }

  private static List<Records.Entry> readRecords(RawConnection connection, long end) throws Exception {
    List<Records.Entry> all = new ArrayList<>();
    for (long next = 0; next < end; ) {
      Records answer = assertInstanceOf(Records.class, connection.ask(new Fetch(PRICES, next, 500, 0, 0)));
      assertTrue(!answer.entries().isEmpty(), "nothing at " + next);
      for (Records.Entry entry : answer.entries()) {
        assertTrue(entry.offset() >= next);
        all.add(entry);
        next = entry.offset() + 1;
      }
    }
    return all;
  }

  private static Map<String, String> expected(int end) {
    Map<String, String> expected = new TreeMap<>();
    for (int i = 0; i < end; i++) {
      expected.put("k" + i % KEYS, i + "x".repeat(100));
    }
    return expected;
  }

  private long storedBytes() {
    try {
      long sum = 0;
      for (String name : disk.list(Path.of("/kaka/prices-0"))) {
        if (name.endsWith(".log")) {
          sum += sizeOf(Path.of("/kaka/prices-0", name));
        }
      }
      return sum;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long sizeOf(Path file) throws IOException {
    if (!disk.exists(file)) {
      return 0;
    }
    try (kaka.log.DiskFile open = disk.openForReading(file)) {
      return open.sizeBytes();
    } catch (java.nio.file.NoSuchFileException e) { // replaced between the two calls
      return 0;
    }
  }

  @Test
  void aTopicIsCompactedWhileItIsWrittenAndRead() throws Exception {
    try (TestBroker broker = TestBroker.start(OFTEN, disk);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(new CreateTopic("prices", 1, SETTINGS));
      fill(connection, 0);
      TestBroker.awaitTrue("compacted", () -> storedBytes() < RECORDS * 100 / 5);
      assertEquals(expected(RECORDS), readBatches(connection, RECORDS));
      fill(connection, RECORDS);
      assertEquals(expected(2 * RECORDS), readBatches(connection, 2 * RECORDS));
      TestBroker.awaitTrue("compacted again", () -> storedBytes() < RECORDS * 100 / 5);

      List<Records.Entry> records = readRecords(connection, 2 * RECORDS);
      assertTrue(records.size() < 60, records.size() + " records");
      DescribeTopicReply described = (DescribeTopicReply) connection.ask(new DescribeTopic("prices"));
      assertTrue(
          described.settings().stream().anyMatch(s -> s.name().equals("cleanup.policy") && s.value().equals("compact")),
          described.settings().toString());
    }
    try (TestBroker broker = TestBroker.start(OFTEN, disk);
        RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(expected(2 * RECORDS), readBatches(connection, 2 * RECORDS));
      assertEquals(new ProduceAck(2 * RECORDS), connection.ask(new Produce(PRICES, batch("new", "1"))));
    }
  }

  @Test
  void recordsWithoutAKeyAreRefusedAndNothingIsStored() throws Exception {
    try (TestBroker broker = TestBroker.start(OFTEN, disk);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(new CreateTopic("prices", 1, SETTINGS));
      RecordBatch mixed =
          new RecordBatchBuilder(64)
              .append(1, bytes("k"), bytes("v"), List.of())
              .append(1, null, bytes("v"), List.of())
              .build();

      assertError(ErrorCode.BAD_REQUEST, connection.ask(new Produce(PRICES, mixed)));
      assertError(ErrorCode.BAD_REQUEST, connection.ask(new ProduceBatch(PRICES, mixed)));
      assertEquals(new ProduceAck(0), connection.ask(new Produce(PRICES, batch("", "an empty key is a key"))));
      assertEquals(new ProduceAck(1), connection.ask(new ProduceBatch(PRICES, batch("k", null))));
      assertEquals(2, ((Records) connection.ask(fetch(PRICES, 0))).entries().size());
      broker.awaitBudgetEmpty();
    }
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        RawConnection connection = new RawConnection(broker.address())) {
      for (Map<String, String> bad :
          List.of(
              Map.of("cleanup.policy", "compress"),
              Map.of("cleanup.policy", ""),
              Map.of("cleanup.policy", "compact,"),
              Map.of("delete.retention.ms", "-1"),
              Map.of("min.cleanable.dirty.ratio", "1.1"),
              Map.of("min.cleanable.dirty.ratio", "NaN"),
              Map.of("min.cleanable.dirty.ratio", "half"))) {
        assertError(ErrorCode.INVALID_TOPIC, connection.ask(new CreateTopic("prices", 1, bad)));
      }
    }
  }

  @Test
  void aTopicCanBeDeletedWhileItIsCompactedAndCreatedAgain() throws Exception {
    FaultyDisk faulty = (FaultyDisk) disk;
    try (TestBroker broker = TestBroker.start(OFTEN, disk);
        RawConnection connection = new RawConnection(broker.address())) {
      for (int round = 0; round < 5; round++) {
        connection.ask(new CreateTopic("prices", 1, SETTINGS));
        fill(connection, 0);
        connection.ask(new DeleteTopic("prices"));
        assertTrue(disk.list(Path.of("/kaka")).stream().noneMatch(name -> name.startsWith("prices")), "nothing is left");
      }
    }
    assertEquals(0, faulty.openCount());
  }
}
