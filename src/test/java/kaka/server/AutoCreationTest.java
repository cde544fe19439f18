package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static kaka.server.Requesting.fetch;
import static kaka.server.Requesting.produce;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.protocol.DeleteTopic;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.Metadata;
import kaka.protocol.MetadataReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.Records;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

/** Topics that come to be by being used. */
class AutoCreationTest {

  @Test
  void firstUseCreatesWithTheDefaultPartitions() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.default-partitions = 3");
        RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), connection.ask(produce(new TopicPartition("p", 2), "a")));
      assertEquals(new Records(0, List.of()), connection.ask(fetch(new TopicPartition("f", 1), 0)));
      assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(produce(new TopicPartition("p", 3), "a")));
      assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(produce(new TopicPartition("n", 3), "a")));
      MetadataReply all = (MetadataReply) connection.ask(new Metadata(List.of()));
      assertEquals(List.of("f", "p"), all.topics().stream().map(MetadataReply.Topic::name).toList());
      assertEquals(3, all.topics().get(0).partitions());
      broker.awaitBudgetEmpty();
    }
  }

  @Test
  void offMeansUnknown() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.topics.auto-create = false");
        RawConnection connection = new RawConnection(broker.address())) {
      assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(produce(ORDERS, "a")));
      assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(fetch(ORDERS, 0)));
      connection.ask(new CreateTopic("orders", 1, java.util.Map.of()));
      assertEquals(new ProduceAck(0), connection.ask(produce(ORDERS, "a")));
    }
  }

  @Test
  void illegalAndInternalNamesAreInvalid() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        RawConnection connection = new RawConnection(broker.address())) {
      for (String name : List.of("", ".", "..", "a/b", "ä", "a b", "__topics", "__offsets")) {
        assertError(ErrorCode.INVALID_TOPIC, connection.ask(produce(new TopicPartition(name, 0), "a")));
        assertError(ErrorCode.INVALID_TOPIC, connection.ask(fetch(new TopicPartition(name, 0), 0)));
        assertError(ErrorCode.INVALID_TOPIC, connection.ask(new CreateTopic(name, 1, java.util.Map.of())));
        assertError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(new DeleteTopic(name)));
      }
      assertEquals(List.of(), ((MetadataReply) connection.ask(new Metadata(List.of()))).topics());
    }
  }

  /** Twenty connections use it first, at once, each with three produces behind each other: one topic, each in its order. */
  @Test
  void manyFirstUsersGetOneTopic() throws Exception {
    try (TestBroker broker = TestBroker.start("")) {
      ConcurrentSkipListSet<UUID> ids = new ConcurrentSkipListSet<>();
      ConcurrentSkipListSet<Long> offsets = new ConcurrentSkipListSet<>();
      CompletableFuture<?>[] users = new CompletableFuture<?>[20];
      for (int u = 0; u < users.length; u++) {
        users[u] = CompletableFuture.runAsync(() -> use(broker, ids, offsets), task -> new Thread(task).start());
      }
      CompletableFuture.allOf(users).join();
      assertEquals(1, ids.size());
      assertEquals(60, offsets.size());
      assertEquals(59, offsets.last());
      broker.awaitBudgetEmpty();
    }
  }

  private static void use(TestBroker broker, ConcurrentSkipListSet<UUID> ids, ConcurrentSkipListSet<Long> offsets) {
    try (RawConnection connection = new RawConnection(broker.address())) {
      connection.send(
          Requesting.frames(produce(ORDERS, "1"), produce(ORDERS, "2"), produce(ORDERS, "3"), new DescribeTopic("orders")));
      long last = -1;
      for (int i = 0; i < 3; i++) {
        long offset = assertInstanceOf(ProduceAck.class, connection.receive()).baseOffset();
        assertEquals(true, offset > last, offset + " after " + last);
        last = offset;
        offsets.add(offset);
      }
      ids.add(((DescribeTopicReply) connection.receive()).topicId());
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Several use a topic while its deletion goes on: they wait for that, then share one new topic, which inherits nothing. */
  @Test
  void useDuringTheDeletionCreatesAfterIt() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk());
    try (TestBroker broker = TestBroker.start("", disk);
        RawConnection deleter = new RawConnection(broker.address());
        RawConnection first = new RawConnection(broker.address());
        RawConnection second = new RawConnection(broker.address())) {
      deleter.ask(produce(ORDERS, "old"));
      try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.DELETE, "00.log")) {
        deleter.send(new DeleteTopic("orders"));
        gate.awaitEntered();
        first.send(Requesting.frames(new Metadata(List.of()), produce(ORDERS, "1")));
        second.send(Requesting.frames(new Metadata(List.of()), produce(ORDERS, "2")));
        assertInstanceOf(MetadataReply.class, first.receive());
        assertInstanceOf(MetadataReply.class, second.receive());
      }
      assertInstanceOf(kaka.protocol.DeleteTopicReply.class, deleter.receive());
      assertInstanceOf(ProduceAck.class, first.receive());
      assertInstanceOf(ProduceAck.class, second.receive());
      assertEquals(2, ((Records) first.ask(fetch(ORDERS, 0))).entries().size());
    }
  }
}
