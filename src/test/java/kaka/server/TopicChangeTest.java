package kaka.server;

import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.fetch;
import static kaka.server.Requesting.frames;
import static kaka.server.Requesting.produce;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.AddPartitions;
import kaka.protocol.AddPartitionsReply;
import kaka.protocol.AlterTopic;
import kaka.protocol.AlterTopicReply;
import kaka.protocol.CreateTopic;
import kaka.protocol.CreateTopicReply;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.Records;
import kaka.protocol.Response;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

/** ADD_PARTITIONS and ALTER_TOPIC as a client sees them. */
class TopicChangeTest {
  private static final TopicPartition FIRST = new TopicPartition("orders", 0);
  private static final TopicPartition THIRD = new TopicPartition("orders", 2);

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  private static DescribeTopicReply describe(RawConnection connection) throws Exception {
    return (DescribeTopicReply) connection.ask(new DescribeTopic("orders"));
  }

  /** Sent together: a produce behind the change goes to a partition that was not there before it. */
  @Test
  void addedPartitionsAreThereAtOnceAndAfterARestart() throws Exception {
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(new CreateTopic("orders", 1, Map.of()));
      connection.ask(produce(FIRST, "old"));
      assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(produce(THIRD, "early")));
      connection.send(frames(new AddPartitions("orders", 3), produce(THIRD, "new")));

      assertEquals(new AddPartitionsReply(3), connection.receive());
      assertEquals(new ProduceAck(0), connection.receive());
      assertError(ErrorCode.INVALID_TOPIC, connection.ask(new AddPartitions("orders", 2)));
      assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(new AddPartitions("others", 2)));
    }
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(3, describe(connection).partitions().size());
      assertEquals(1, ((Records) connection.ask(fetch(THIRD, 0))).entries().size());
      assertEquals(1, ((Records) connection.ask(fetch(FIRST, 0))).entries().size());
    }
  }

  /** A segment of 1 KiB instead of 128 MiB makes the old ones go, which retention could not do before. */
  @Test
  void settingsAreInForceWithoutARestartAndAfterOne() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.log.retention-check-interval = 20ms", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      assertInstanceOf(CreateTopicReply.class, connection.ask(new CreateTopic("orders", 1, Map.of("retention.ms", "-1"))));
      connection.ask(produce(FIRST, 900));

      assertEquals(
          new AlterTopicReply(),
          connection.ask(new AlterTopic("orders", Map.of("segment.bytes", "1024", "retention.bytes", "0", "retention.ms", ""))));

      for (int i = 1; i < 5; i++) {
        assertEquals(new ProduceAck(i), connection.ask(produce(FIRST, 900)));
      }
      TestBroker.awaitTrue("retention", () -> startOf(connection) == 4);
      check(connection);
      assertError(ErrorCode.INVALID_TOPIC, connection.ask(new AlterTopic("orders", Map.of("segment.bytes", "x"))));
      assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(new AlterTopic("others", Map.of())));
    }
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection connection = new RawConnection(broker.address())) {
      check(connection);
      connection.ask(new AlterTopic("orders", Map.of("cleanup.policy", "compact")));
      Response refused = connection.ask(produce(FIRST, "without a key"));
      assertError(ErrorCode.BAD_REQUEST, refused);
      assertEquals("the topic is compacted, so every record needs a key: record 0 of the batch has none", ((ErrorReply) refused).message());
    }
  }

  private static long startOf(RawConnection connection) {
    try {
      return describe(connection).partitions().get(0).logStartOffset();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void check(RawConnection connection) throws Exception {
    Map<String, String> own = new java.util.TreeMap<>();
    for (DescribeTopicReply.Setting each : describe(connection).settings()) {
      if (each.source() == DescribeTopicReply.Source.TOPIC) {
        own.put(each.name(), each.value());
      }
    }
    assertEquals(Map.of("segment.bytes", "1024", "retention.bytes", "0"), own);
    assertTrue(startOf(connection) == 4);
  }
}
