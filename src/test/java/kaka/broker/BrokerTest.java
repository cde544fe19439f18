package kaka.broker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import kaka.config.KakaConfig;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;
import kaka.protocol.Fetch;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.protocol.Records;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerTest {
  private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

  @TempDir Path directory;

  @Test
  void whatWasAckedIsThereAfterRestart() throws Exception {
    Path data = directory.resolve("data");
    Broker first = start(data);
    try (RawConnection connection = new RawConnection(first.address())) {
      assertEquals(new ProduceAck(0), connection.ask(new Produce(ORDERS, batch("a", "b"))));
      assertEquals(new ProduceAck(2), connection.ask(new Produce(ORDERS, batch("c"))));
    }
    stop(first);

    Broker second = start(data);
    assertEquals(1, second.report().topicCount());
    try (RawConnection connection = new RawConnection(second.address())) {
      Records records = (Records) connection.ask(new Fetch(ORDERS, 1, 1 << 20, 0, 0));
      assertEquals(2, records.entries().size());
      assertArrayEquals("b".getBytes(StandardCharsets.UTF_8), records.entries().get(0).value());
      assertEquals(2, records.entries().get(1).offset());
      assertEquals(new ProduceAck(3), connection.ask(new Produce(ORDERS, batch("d"))));
    }
    stop(second);
  }

  @Test
  void inMemoryBrokerServesAndLeavesNoFile() throws Exception {
    Broker broker = Broker.start(KakaConfig.parse("kaka.admin.port = off, kaka.listen.port = 0, kaka.log.dir = \"\""));
    try (RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(new ProduceAck(0), connection.ask(new Produce(ORDERS, batch("a"))));
      assertInstanceOf(DescribeTopicReply.class, connection.ask(new DescribeTopic("orders")));
    }
    stop(broker);
    assertEquals(0, Files.list(directory).count());
  }

  @Test
  void secondBrokerOnTheDirectoryIsRefusedWithPid() throws Exception {
    Broker broker = start(directory);

    BrokerStartException refused = assertThrows(BrokerStartException.class, () -> start(directory));

    assertTrue(refused.getMessage().contains("pid " + ProcessHandle.current().pid()), refused.getMessage());
    stop(broker);
    stop(start(directory));
  }

  @Test
  void portInUseIsRefusedAndDirectoryReleased() throws Exception {
    Broker broker = start(directory.resolve("a"));
    String hocon = "kaka.admin.port = off, kaka.listen.port = " + broker.address().getPort() + ", kaka.log.dir = \"" + directory.resolve("b") + "\"";

    BrokerStartException refused = assertThrows(BrokerStartException.class, () -> Broker.start(KakaConfig.parse(hocon)));

    assertTrue(refused.getMessage().contains("cannot listen on 127.0.0.1:" + broker.address().getPort()), refused.getMessage());
    stop(start(directory.resolve("b")));
    stop(broker);
  }

  @Test
  void partitionThatDoesNotExistIsNeverCreated() throws Exception {
    Broker broker = start(directory);
    try (RawConnection connection = new RawConnection(broker.address())) {
      TopicPartition second = new TopicPartition("orders", 1);
      ErrorReply unknown = (ErrorReply) connection.ask(new Produce(second, batch("a")));
      assertEquals(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code(), unknown.code());
      ErrorReply none = (ErrorReply) connection.ask(new DescribeTopic("orders"));
      assertEquals(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code(), none.code());

      assertEquals(new ProduceAck(0), connection.ask(new Produce(ORDERS, batch("a"))));
      ErrorReply still = (ErrorReply) connection.ask(new Produce(second, batch("a")));
      assertEquals(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code(), still.code());
    }
    stop(broker);
  }

  private static Broker start(Path data) throws Exception {
    return Broker.start(KakaConfig.parse("kaka.admin.port = off, kaka.listen.port = 0, kaka.log.dir = \"" + data + "\""));
  }

  private static void stop(Broker broker) {
    broker.stop().toCompletableFuture().join();
  }

  private static RecordBatch batch(String... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder(256);
    for (String value : values) {
      builder.append(0, null, value.getBytes(StandardCharsets.UTF_8), List.of());
    }
    return builder.build();
  }
}
