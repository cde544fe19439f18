package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import kaka.broker.TestBroker;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Offsets by time through Kafka's protocol. */
class KafkaListOffsetsTest {
  private static final TopicPartition PARTITION = new TopicPartition("times", 0);

  /** Five records at 1000, 2000, ..., in one batch. */
  private static void fill(TestBroker broker, String compression) {
    try (KafkaProducer<String, String> producer =
        KafkaClients.producer(broker.address(), Map.of("compression.type", compression, "linger.ms", 100))) {
      for (int i = 1; i <= 5; i++) {
        producer.send(new ProducerRecord<>("times", 0, i * 1000L, "k", "v" + i));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "zstd"})
  void consumerFindsOffsetsByTime(String compression) throws Exception {
    try (TestBroker broker = TestBroker.start("")) {
      fill(broker, compression);
      try (KafkaConsumer<String, String> consumer = KafkaClients.consumer(broker.address(), Map.of())) {
        OffsetAndTimestamp found = consumer.offsetsForTimes(Map.of(PARTITION, 2001L)).get(PARTITION);

        assertEquals(2, found.offset());
        assertEquals(3000, found.timestamp());
        assertNull(consumer.offsetsForTimes(Map.of(PARTITION, 5001L)).get(PARTITION));
        assertEquals(0L, consumer.beginningOffsets(java.util.Set.of(PARTITION)).get(PARTITION));
        assertEquals(5L, consumer.endOffsets(java.util.Set.of(PARTITION)).get(PARTITION));
      }
    }
  }

  /** What the special times mean, and from which version on they are known. */
  @Test
  void specialTimesAreKnownFromTheirVersionOn() throws Exception {
    try (TestBroker broker = TestBroker.start("")) {
      fill(broker, "none");
      try (KafkaSocket socket = new KafkaSocket(broker.address())) {
        assertFound(5, -1, ask(socket, 1, -1));
        assertFound(0, -1, ask(socket, 1, -2));
        assertFound(4, 5000, ask(socket, 7, -3));
        assertFound(0, -1, ask(socket, 8, -4));
        assertFound(-1, -1, ask(socket, 9, -5));
        assertFound(-1, -1, ask(socket, 11, -6));
        for (int[] early : new int[][] {{6, -3}, {7, -4}, {8, -5}, {10, -6}, {11, -7}}) {
          assertEquals(Errors.UNSUPPORTED_VERSION.code(), ask(socket, early[0], early[1]).errorCode(), "time " + early[1]);
        }
      }
    }
  }

  @Test
  void unknownPartitionsAndNewerEpochsAreRefused() throws Exception {
    try (TestBroker broker = TestBroker.start("")) {
      fill(broker, "none");
      try (KafkaSocket socket = new KafkaSocket(broker.address())) {
        ListOffsetsRequestData newer = KafkaRequests.listOffsets("times", 0, -1);
        newer.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(3);

        assertEquals(Errors.UNKNOWN_LEADER_EPOCH.code(), ask(socket, 6, newer).errorCode());
        assertEquals(
            Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), ask(socket, 6, KafkaRequests.listOffsets("times", 1, -1)).errorCode());
      }
    }
  }

  private static ListOffsetsPartitionResponse ask(KafkaSocket socket, int version, long time) throws Exception {
    return ask(socket, version, KafkaRequests.listOffsets("times", 0, time));
  }

  private static ListOffsetsPartitionResponse ask(KafkaSocket socket, int version, ListOffsetsRequestData request)
      throws Exception {
    return socket.ask(ListOffsetsResponseData.class, version, request).topics().get(0).partitions().get(0);
  }

  private static void assertFound(long offset, long timestampMs, ListOffsetsPartitionResponse answer) {
    assertEquals(0, answer.errorCode());
    assertEquals(offset, answer.offset());
    assertEquals(timestampMs, answer.timestamp());
  }
}
