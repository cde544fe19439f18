package kaka.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kaka.broker.TestBroker;
import kaka.client.ClientConfig;
import kaka.client.ConsumedRecord;
import kaka.client.Consumer;
import kaka.client.ConsumerConfig;
import kaka.client.KakaClient;
import kaka.client.StartPosition;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.protocol.RecordBatches;
import kaka.protocol.Records;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Native clients see of a topic what is committed, and nothing behind a transaction that is open. */
class NativeReadersTest {
  private static TestBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static KafkaProducer<String, String> producer(String id) {
    return KafkaClients.producer(broker.address(), Map.of("transactional.id", id, "retry.backoff.ms", 10));
  }

  /** Offsets 0 a, 1 end, 2 gone, 3 gone too, 4 end, 5 b, 6 end, 7 open. */
  private static KafkaProducer<String, String> fill(String topic) throws Exception {
    KafkaProducer<String, String> producer = producer(topic);
    producer.initTransactions();
    producer.beginTransaction();
    send(producer, topic, "a");
    producer.commitTransaction();
    producer.beginTransaction();
    send(producer, topic, "gone");
    send(producer, topic, "gone too");
    producer.abortTransaction();
    producer.beginTransaction();
    send(producer, topic, "b");
    producer.commitTransaction();
    producer.beginTransaction();
    send(producer, topic, "open");
    return producer;
  }

  private static void send(KafkaProducer<String, String> producer, String topic, String value) throws Exception {
    KafkaClients.get(producer.send(new ProducerRecord<>(topic, 0, null, value)));
  }

  private static List<String> fetch(RawConnection connection, String topic, long offset, int maxWaitMs) throws Exception {
    Records records =
        (Records) connection.ask(new Fetch(new TopicPartition(topic, 0), offset, 1 << 20, maxWaitMs, maxWaitMs > 0 ? 1 : 0));
    List<String> values = new ArrayList<>();
    records.entries().forEach(each -> values.add(each.offset() + " " + new String(each.value(), StandardCharsets.UTF_8)));
    return values;
  }

  @Test
  void fetchGivesWhatIsCommitted() throws Exception {
    try (KafkaProducer<String, String> producer = fill("fetched");
        RawConnection connection = new RawConnection(broker.address())) {
      assertEquals(List.of("0 a", "5 b"), fetch(connection, "fetched", 0, 0));
      for (int offset = 1; offset <= 5; offset++) {
        assertEquals(List.of("5 b"), fetch(connection, "fetched", offset, 0), "from " + offset);
      }
      assertEquals(List.of(), fetch(connection, "fetched", 6, 0), "only the end of a transaction");
      assertEquals(List.of(), fetch(connection, "fetched", 7, 0), "it is open");
      assertEquals(
          new OffsetForTimeReply(7),
          connection.ask(new OffsetForTime(new TopicPartition("fetched", 0), OffsetForTime.LATEST)));
    }
  }

  /** At the end of a transaction there is nothing to give: it waits there, and is woken by the next commit. */
  @Test
  void fetchThatFindsNoRecordWaitsForOne() throws Exception {
    try (KafkaProducer<String, String> producer = fill("waited");
        RawConnection connection = new RawConnection(broker.address())) {
      connection.send(new Fetch(new TopicPartition("waited", 0), 6, 1 << 20, 20_000, 1));
      assertEquals(List.of(), fetch(new RawConnection(broker.address()), "waited", 6, 50), "until its time is up");
      producer.commitTransaction();
      Records records = (Records) connection.receive();
      assertEquals(1, records.entries().size());
      assertEquals(7, records.entries().get(0).offset());
    }
  }

  @Test
  void batchesOfAbortedTransactionsAreNotGiven() throws Exception {
    try (KafkaProducer<String, String> producer = fill("batches");
        RawConnection connection = new RawConnection(broker.address())) {
      List<Long> bases = new ArrayList<>();
      for (long offset = 0; offset < 7; ) {
        RecordBatches answer =
            (RecordBatches) connection.ask(new FetchBatches(new Fetch(new TopicPartition("batches", 0), offset, 1 << 20, 0, 0)));
        assertEquals(7, answer.highWatermark());
        for (kaka.record.RecordBatch batch : answer.batches()) {
          assertTrue(batch.isCrcValid());
          assertEquals(offset, batch.baseOffset());
          offset = batch.lastOffset() + 1;
          if (batch.recordCount() > 0 && !batch.isControl()) {
            bases.add(batch.baseOffset());
          }
        }
      }
      assertEquals(List.of(0L, 5L), bases);
    }
  }

  @Test
  void theConsumerGoesOnWhenATransactionEnds() throws Exception {
    InetSocketAddress address = broker.address();
    TopicPartition partition = new TopicPartition("consumed", 0);
    try (KafkaProducer<String, String> producer = fill("consumed");
        KakaClient client = KakaClient.connect(ClientConfig.of("127.0.0.1", address.getPort()));
        Consumer consumer = client.consumer(ConsumerConfig.defaults(), Map.of(partition, StartPosition.EARLIEST))) {
      assertEquals(List.of("a", "b"), poll(consumer, 2));
      producer.commitTransaction();
      assertEquals(List.of("open"), poll(consumer, 1));
      producer.beginTransaction();
      send(producer, "consumed", "never");
      producer.abortTransaction();
      producer.beginTransaction();
      send(producer, "consumed", "last");
      producer.commitTransaction();
      assertEquals(List.of("last"), poll(consumer, 1));
    }
  }

  private static List<String> poll(Consumer consumer, int count) {
    List<String> values = new ArrayList<>();
    long giveUp = System.nanoTime() + KafkaClients.PATIENCE_MS * 1_000_000;
    while (values.size() < count && System.nanoTime() - giveUp < 0) {
      for (ConsumedRecord record : consumer.poll(Duration.ofMillis(100))) {
        values.add(new String(record.value(), StandardCharsets.UTF_8));
      }
    }
    return values;
  }
}
