package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.fetch;
import static kaka.server.Requesting.frames;
import static kaka.server.Requesting.produce;
import static kaka.server.Requesting.waiting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.FaultyDisk.Operation;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.protocol.DeleteRecords;
import kaka.protocol.DeleteRecordsReply;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.Metadata;
import kaka.protocol.MetadataReply;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.RecordBatches;
import kaka.protocol.Records;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

/** DELETE_RECORDS as a client sees it. */
class DeleteRecordsTest {
  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  private static List<String> values(RawConnection connection, long offset) throws IOException {
    Records records = assertInstanceOf(Records.class, connection.ask(fetch(ORDERS, offset)));
    return records.entries().stream().map(e -> new String(e.value(), StandardCharsets.UTF_8)).toList();
  }

  private static DescribeTopicReply.Partition described(RawConnection connection) throws IOException {
    return ((DescribeTopicReply) connection.ask(new DescribeTopic("orders"))).partitions().get(0);
  }

  @Test
  void recordsBelowTheOffsetAreGoneForEverybodyAlsoAfterARestart() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(produce(ORDERS, "a", "b", "c"));
      connection.ask(produce(ORDERS, "d", "e", "f"));

      assertEquals(new DeleteRecordsReply(4), connection.ask(new DeleteRecords(ORDERS, 4)));

      check(connection);
      assertEquals(new DeleteRecordsReply(4), connection.ask(new DeleteRecords(ORDERS, 2)), "below the start: as it is");
      assertError(ErrorCode.OFFSET_OUT_OF_RANGE, connection.ask(new DeleteRecords(ORDERS, 7)));
      check(connection);
    }
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      check(connection);
    }
  }

  private static void check(RawConnection connection) throws IOException {
    assertEquals(List.of("e", "f"), values(connection, 0), "from the oldest kept");
    assertEquals(List.of("f"), values(connection, 5));
    RecordBatches batches = (RecordBatches) connection.ask(new FetchBatches(new Fetch(ORDERS, 0, 1 << 20, 0, 0)));
    assertEquals(4, batches.logStartOffset());
    assertEquals(1, batches.batches().size());
    assertEquals(3, batches.batches().get(0).baseOffset(), "a batch is never cut");
    assertEquals(new OffsetForTimeReply(4), connection.ask(new OffsetForTime(ORDERS, OffsetForTime.EARLIEST)));
    assertEquals(new OffsetForTimeReply(4), connection.ask(new OffsetForTime(ORDERS, 0)));
    assertEquals(new OffsetForTimeReply(6), connection.ask(new OffsetForTime(ORDERS, OffsetForTime.LATEST)));
    assertEquals(4, described(connection).logStartOffset());
  }

  /** Sent together, so that only their order tells which records are meant. */
  @Test
  void whatIsSentBeforeIsDeletedAndWhatIsSentBehindIsNot() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(produce(ORDERS, "first"));
      for (int i = 1; i < 100; i += 2) {
        connection.send(
            frames(produce(ORDERS, "before " + i), new DeleteRecords(ORDERS, DeleteRecords.ALL), produce(ORDERS, "behind " + i)));

        assertEquals(new ProduceAck(i), connection.receive());
        assertEquals(new DeleteRecordsReply(i + 1), connection.receive());
        assertEquals(new ProduceAck(i + 1), connection.receive());
        assertEquals(List.of("behind " + i), values(connection, 0));
      }
    }
  }

  @Test
  void aFetchThatWaitsGetsTheNextRecord() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection reader = new RawConnection(broker.address());
        RawConnection writer = new RawConnection(broker.address())) {
      writer.ask(produce(ORDERS, "a", "b"));
      reader.send(frames(waiting(ORDERS, 2)));
      assertEquals(new DeleteRecordsReply(2), writer.ask(new DeleteRecords(ORDERS, DeleteRecords.ALL)));
      assertEquals(0, described(writer).sizeBytes());

      assertEquals(new ProduceAck(2), writer.ask(produce(ORDERS, "c")));

      Records records = assertInstanceOf(Records.class, reader.receive());
      assertEquals(2, records.entries().get(0).offset());
    }
  }

  @Test
  void aTopicThatIsNotThereIsNotCreated() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.auto-create = true", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(new DeleteRecords(ORDERS, 0)));
      assertEquals(List.of(), ((MetadataReply) connection.ask(new Metadata(List.of()))).topics());
      connection.ask(produce(ORDERS, "a"));
      assertError(
          ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(new DeleteRecords(new TopicPartition("orders", 1), 0)));
      assertEquals(new ProduceAck(1), connection.ask(produce(ORDERS, "the connection goes on")));
    }
  }

  @Test
  void ofACompactedTopicTheNewestValuesStay() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(new CreateTopic("orders", 1, Map.of("cleanup.policy", "compact")));

      assertError(ErrorCode.POLICY_VIOLATION, connection.ask(new DeleteRecords(ORDERS, 0)));
    }
  }

  /** What fills the disk can be made to go through the front door, and then records are taken again. */
  @Test
  void aFullDiskIsFreed() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.log.min-free-bytes = 1000", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(produce(ORDERS, 10_000));
      disk.setUsableBytes(0);
      disk.failFrom(EnumSet.of(Operation.CREATE), "", 1);

      assertEquals(new DeleteRecordsReply(1), connection.ask(new DeleteRecords(ORDERS, DeleteRecords.ALL)));

      disk.heal();
      assertEquals(new DeleteRecordsReply(1), connection.ask(new DeleteRecords(ORDERS, DeleteRecords.ALL)));
      assertEquals(List.of(), values(connection, 0));
    }
  }

  /** A partition that failed still lets its sealed segments go, and says so of the rest. */
  @Test
  void aFailedPartitionDeletesWhatIsSealed() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.auto-create = false", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(new CreateTopic("orders", 1, Map.of("segment.bytes", "1024")));
      connection.ask(produce(ORDERS, 800));
      connection.ask(produce(ORDERS, 300));
      disk.failNext(Operation.SYNC, ".log");
      assertError(ErrorCode.STORAGE, connection.ask(produce(ORDERS, 300)));

      ErrorReply refused = assertInstanceOf(ErrorReply.class, connection.ask(new DeleteRecords(ORDERS, DeleteRecords.ALL)));
      assertTrue(refused.message().contains("only what is before offset 1 can be deleted"), refused.message());
      assertEquals(new DeleteRecordsReply(1), connection.ask(new DeleteRecords(ORDERS, 1)));

      assertEquals(1, described(connection).logStartOffset());
      assertEquals(DescribeTopicReply.State.FAILED, described(connection).state());
      TestBroker.awaitTrue("unlinked", () -> !exists("/kaka/orders-0/00000000000000000000.log"));
    }
  }

  private boolean exists(String path) {
    try {
      return disk.exists(Path.of(path));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The log start cannot be written: nothing is deleted, and the partition goes on. */
  @Test
  void aRefusalOfTheDiskIsAnswered() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(produce(ORDERS, "a", "b"));
      disk.failNext(Operation.WRITE, "log-start-offset");

      assertError(ErrorCode.STORAGE, connection.ask(new DeleteRecords(ORDERS, 1)));

      assertEquals(List.of("a", "b"), values(connection, 0));
      assertEquals(new ProduceAck(2), connection.ask(produce(ORDERS, "c")));
      assertEquals(new DeleteRecordsReply(1), connection.ask(new DeleteRecords(ORDERS, 1)));
    }
  }
}
