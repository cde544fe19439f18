package kaka.server;

import static kaka.server.Requesting.ORDERS;
import static kaka.server.Requesting.assertError;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import kaka.broker.TestBroker;
import kaka.protocol.Commit;
import kaka.protocol.CommitAck;
import kaka.protocol.CommittedOffset;
import kaka.protocol.CreateTopic;
import kaka.protocol.CreateTopicReply;
import kaka.protocol.DeleteTopic;
import kaka.protocol.DeleteTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.Offsets;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** COMMIT and OFFSETS over a real socket, and what becomes of offsets when the broker, or their topic, goes. */
class CommitTest {
  @TempDir private Path directory;

  private static final CommittedOffset NONE = new CommittedOffset(OptionalLong.empty());

  private static CommittedOffset at(long offset) {
    return new CommittedOffset(OptionalLong.of(offset));
  }

  private String onDisk() {
    return "kaka.log.dir = \"" + directory + "\"";
  }

  private static CreateTopic create() {
    return new CreateTopic("orders", 2, Map.of());
  }

  @Test
  void commitsAreReadBackInOrderAndPerGroupAndPartition() throws Exception {
    TopicPartition other = new TopicPartition("orders", 1);
    try (TestBroker broker = TestBroker.start(""); RawConnection connection = new RawConnection(broker.address())) {
      assertInstanceOf(CreateTopicReply.class, connection.ask(create()));
      ByteArrayOutputStream pipelined = new ByteArrayOutputStream();
      for (int i = 1; i <= 50; i++) {
        pipelined.writeBytes(new Commit("billing", ORDERS, i).toFrame());
      }
      pipelined.writeBytes(new Commit("shipping", ORDERS, 7).toFrame());
      pipelined.writeBytes(new Offsets("billing", ORDERS).toFrame());
      connection.send(pipelined.toByteArray());

      for (int i = 1; i <= 51; i++) {
        assertEquals(new CommitAck(), connection.receive());
      }
      assertEquals(at(50), connection.receive());
      assertEquals(at(7), connection.ask(new Offsets("shipping", ORDERS)));
      assertEquals(NONE, connection.ask(new Offsets("billing", other)));
      assertEquals(NONE, connection.ask(new Offsets("nobody", ORDERS)));
    }
  }

  /** Somebody has deleted it, or it was left out of a copy: offsets are gone, and that is said; a new directory is nothing to tell. */
  @Test
  void aLogOfOffsetsThatIsMissingBesideTopicsIsTold() throws Exception {
    String told = "log of offsets made anew beside topics that exist: committed offsets, if there were any, are gone";
    try (LogCapture log = new LogCapture()) {
      try (TestBroker broker = TestBroker.start(onDisk()); RawConnection connection = new RawConnection(broker.address())) {
        assertInstanceOf(CreateTopicReply.class, connection.ask(create()));
        assertEquals(new CommitAck(), connection.ask(new Commit("g", ORDERS, 1)));
      }
      assertEquals(List.of(), log.troubles());
      Files.move(directory.resolve("__offsets-0"), directory.resolve("moved"));

      try (TestBroker broker = TestBroker.start(onDisk()); RawConnection connection = new RawConnection(broker.address())) {
        assertEquals(NONE, connection.ask(new Offsets("g", ORDERS)));
      }
      assertTrue(log.troubles().stream().anyMatch(line -> line.contains(told)), log.troubles()::toString);
    }
  }

  @Test
  void whatCannotBeCommittedIsRefused() throws Exception {
    try (TestBroker broker = TestBroker.start(""); RawConnection connection = new RawConnection(broker.address())) {
      assertInstanceOf(CreateTopicReply.class, connection.ask(create()));

      assertError(
          ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(new Commit("g", new TopicPartition("none", 0), 1)));
      assertError(
          ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, connection.ask(new Commit("g", new TopicPartition("orders", 2), 1)));
      assertError(ErrorCode.INVALID_GROUP, connection.ask(new Commit("", ORDERS, 1)));
      assertEquals(NONE, connection.ask(new Offsets("g", new TopicPartition("none", 0))));
    }
  }

  @Test
  void offsetsOutliveARestart() throws Exception {
    try (TestBroker broker = TestBroker.start(onDisk()); RawConnection connection = new RawConnection(broker.address())) {
      assertInstanceOf(CreateTopicReply.class, connection.ask(create()));
      assertEquals(new CommitAck(), connection.ask(new Commit("billing", ORDERS, 1)));
      assertEquals(new CommitAck(), connection.ask(new Commit("billing", ORDERS, 42)));
    }

    try (TestBroker broker = TestBroker.start(onDisk()); RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(at(42), connection.ask(new Offsets("billing", ORDERS)));
    }
  }

  @Test
  void aTopicCreatedAgainInheritsNoOffset() throws Exception {
    try (TestBroker broker = TestBroker.start(onDisk()); RawConnection connection = new RawConnection(broker.address())) {
      assertInstanceOf(CreateTopicReply.class, connection.ask(create()));
      assertEquals(new CommitAck(), connection.ask(new Commit("billing", ORDERS, 42)));
      assertInstanceOf(DeleteTopicReply.class, connection.ask(new DeleteTopic("orders")));
      assertEquals(NONE, connection.ask(new Offsets("billing", ORDERS)));
      assertInstanceOf(CreateTopicReply.class, connection.ask(create()));

      assertEquals(NONE, connection.ask(new Offsets("billing", ORDERS)));
    }
    try (TestBroker broker = TestBroker.start(onDisk()); RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(NONE, connection.ask(new Offsets("billing", ORDERS)));
    }
  }

  @Test
  void groupsTakeOfTheMemoryBudgetAndGiveBack() throws Exception {
    try (TestBroker broker = TestBroker.start(""); RawConnection connection = new RawConnection(broker.address())) {
      assertInstanceOf(CreateTopicReply.class, connection.ask(create()));
      long before = broker.memory().usedBytes();
      assertEquals(new CommitAck(), connection.ask(new Commit("billing", ORDERS, 42)));
      long with = broker.memory().usedBytes();
      assertEquals(new CommitAck(), connection.ask(new Commit("billing", ORDERS, 43)));
      long again = broker.memory().usedBytes();
      assertInstanceOf(DeleteTopicReply.class, connection.ask(new DeleteTopic("orders")));

      assertEquals(true, with > before, with + " bytes");
      assertEquals(with, again);
      broker.awaitBudgetEmpty();
    }
  }

  @Test
  void moreOffsetsThanTheMemoryForGroupsAreRefused() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.groups.max-bytes = 64KiB");
        RawConnection connection = new RawConnection(broker.address())) {
      assertInstanceOf(CreateTopicReply.class, connection.ask(create()));
      int committed = 0;
      while (connection.ask(new Commit("group-" + committed, ORDERS, 1)) instanceof CommitAck) {
        committed++;
      }

      assertEquals(true, committed > 50 && committed < 200, committed + " groups");
      assertError(ErrorCode.MEMORY, connection.ask(new Commit("one-more", ORDERS, 1)));
      assertEquals(at(1), connection.ask(new Offsets("group-0", ORDERS)));
    }
  }
}
