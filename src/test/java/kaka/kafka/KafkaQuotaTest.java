package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import kaka.broker.TestBroker;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** Quotas over Kafka's protocol: clients are told how long to wait, and are not read meanwhile. */
class KafkaQuotaTest {
  private static final String TEST_CLIENT = "kaka.quotas { max-throttle = 10m, overrides = [{ client = test, ";

  private static ProduceRequestData produce(int valueBytes) {
    SimpleRecord record = new SimpleRecord(1000, new byte[1], new byte[valueBytes]);
    return KafkaRequests.produce("quota", 0, MemoryRecords.withRecords(Compression.NONE, record));
  }

  private static double metric(Map<MetricName, ? extends Metric> metrics, String name) {
    return metrics.entrySet().stream()
        .filter(each -> each.getKey().name().equals(name))
        .mapToDouble(each -> (double) each.getValue().metricValue())
        .max()
        .orElseThrow();
  }

  /** The answer is there at once and says how long to wait; a client that does not is not read. */
  @Test
  void produceIsAnsweredWithItsThrottleTimeAndTheConnectionIsMuted() throws Exception {
    try (TestBroker broker = TestBroker.start(TEST_CLIENT + "produce-bytes-per-second = 10000 }] }");
        KafkaSocket socket = new KafkaSocket(broker.address());
        KafkaConsumer<byte[], byte[]> observer = KafkaClients.bytesConsumer(broker.address(), Map.of())) {
      observer.partitionsFor("quota"); // creates it
      ProduceResponseData first = socket.ask(ProduceResponseData.class, 9, produce(5000));
      assertEquals(0, first.throttleTimeMs(), "a second's worth is free");
      ProduceResponseData second = socket.ask(ProduceResponseData.class, 9, produce(1_000_000));
      assertTrue(second.throttleTimeMs() > 90_000 && second.throttleTimeMs() < 110_000, second.throttleTimeMs() + " ms");

      socket.send(ApiKeys.PRODUCE, 9, produce(1));
      TopicPartition partition = new TopicPartition("quota", 0);
      assertEquals(2, observer.endOffsets(List.of(partition)).get(partition));
      assertEquals(0, broker.memory().usedBytes());
    }
  }

  /** With acks=0 nobody can be told; not to be read is all there is. */
  @Test
  void producerThatWantsNoAnswerIsMutedToo() throws Exception {
    try (TestBroker broker = TestBroker.start(TEST_CLIENT + "produce-bytes-per-second = 10 }] }");
        KafkaSocket socket = new KafkaSocket(broker.address());
        KafkaConsumer<byte[], byte[]> observer = KafkaClients.bytesConsumer(broker.address(), Map.of())) {
      ByteBuffer both = ByteBuffer.allocate(4096);
      both.put(KafkaSocket.frame(ApiKeys.PRODUCE, 9, 1, produce(100).setAcks((short) 0)));
      both.put(KafkaSocket.frame(ApiKeys.PRODUCE, 9, 2, produce(100).setAcks((short) 0)));
      TopicPartition partition = new TopicPartition("quota", 0);
      observer.partitionsFor("quota"); // creates it
      socket.send(Arrays.copyOf(both.array(), both.position()));

      KafkaClients.readFromStart(observer, partition);
      assertEquals(1, KafkaClients.poll(observer, 1).size());
      assertEquals(1, observer.endOffsets(List.of(partition)).get(partition), "the second is in the same read, and waits");
    }
  }

  @Test
  void fetchIsCutToTheRateAndAnsweredWithItsThrottleTime() throws Exception {
    try (TestBroker broker = TestBroker.start(TEST_CLIENT + "fetch-bytes-per-second = 10000 }] }");
        KafkaProducer<byte[], byte[]> producer = KafkaClients.bytesProducer(broker.address(), Map.of("linger.ms", 0));
        KafkaSocket socket = new KafkaSocket(broker.address())) {
      for (int i = 0; i < 20; i++) {
        KafkaClients.get(producer.send(new ProducerRecord<>("quota", 0, null, new byte[900])));
      }
      KafkaClients.get(producer.send(new ProducerRecord<>("quota", 0, null, new byte[500_000])));

      FetchResponseData some = socket.ask(FetchResponseData.class, 12, KafkaRequests.fetch("quota", 0, 0));
      int bytes = some.responses().get(0).partitions().get(0).records().sizeInBytes();
      assertTrue(bytes > 5000 && bytes <= 10_000, bytes + " bytes");
      assertEquals(0, some.throttleTimeMs());
      FetchResponseData large = socket.ask(FetchResponseData.class, 12, KafkaRequests.fetch("quota", 0, 20));
      assertTrue(large.throttleTimeMs() > 40_000 && large.throttleTimeMs() < 55_000, large.throttleTimeMs() + " ms");

      socket.send(ApiKeys.PRODUCE, 9, produce(1));
      try (KafkaConsumer<byte[], byte[]> observer = KafkaClients.bytesConsumer(broker.address(), Map.of())) {
        TopicPartition partition = new TopicPartition("quota", 0);
        assertEquals(21, observer.endOffsets(List.of(partition)).get(partition), "the connection is not read");
      }
    }
  }

  /** Kafka's own producer in a transaction, far above its rate however slow it is: it is told to wait, and everything is committed. */
  @Test
  void throttledTransactionIsCommittedWhole() throws Exception {
    Map<String, Object> config =
        Map.of("transactional.id", "t", "client.id", "loader", "batch.size", 20_000, "linger.ms", 5, "max.request.size", 40_000);
    try (TestBroker broker = TestBroker.start("kaka.quotas.produce-bytes-per-second = 1, kaka.quotas.max-throttle = 50ms");
        KafkaProducer<byte[], byte[]> producer = KafkaClients.bytesProducer(broker.address(), config);
        KafkaConsumer<byte[], byte[]> consumer =
            KafkaClients.bytesConsumer(broker.address(), Map.of("isolation.level", "read_committed"))) {
      producer.initTransactions();
      producer.beginTransaction();
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        sent.add(producer.send(new ProducerRecord<>("quota", 0, null, ByteBuffer.allocate(1000).putInt(i).array())));
      }
      producer.commitTransaction();

      assertTrue(metric(producer.metrics(), "produce-throttle-time-max") > 0, "it was told");
      for (int i = 0; i < 400; i++) {
        assertEquals(i, KafkaClients.get(sent.get(i)).offset());
      }
      KafkaClients.readFromStart(consumer, new TopicPartition("quota", 0));
      List<ConsumerRecord<byte[], byte[]>> records = KafkaClients.poll(consumer, 400);
      for (int i = 0; i < 400; i++) {
        assertEquals(i, ByteBuffer.wrap(records.get(i).value()).getInt());
      }
    }
  }

  @Test
  void throttledConsumerIsToldAndGetsEverything() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.quotas.fetch-bytes-per-second = 1, kaka.quotas.max-throttle = 50ms");
        KafkaProducer<byte[], byte[]> producer = KafkaClients.bytesProducer(broker.address(), Map.of("batch.size", 20_000, "linger.ms", 5));
        KafkaConsumer<byte[], byte[]> consumer = KafkaClients.bytesConsumer(broker.address(), Map.of("client.id", "reader"))) {
      for (int i = 0; i < 400; i++) {
        producer.send(new ProducerRecord<>("quota", 0, null, ByteBuffer.allocate(1000).putInt(i).array()));
      }
      producer.flush();

      KafkaClients.readFromStart(consumer, new TopicPartition("quota", 0));
      List<ConsumerRecord<byte[], byte[]>> records = KafkaClients.poll(consumer, 400);
      for (int i = 0; i < 400; i++) {
        assertEquals(i, ByteBuffer.wrap(records.get(i).value()).getInt());
      }
      assertTrue(metric(consumer.metrics(), "fetch-throttle-time-max") > 0, "it was told");
    }
  }
}
