package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import kaka.broker.TestBroker;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A topic gets more partitions while it is written and read. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NewPartitionsTest {
  private static final Duration LONG = Duration.ofSeconds(120);

  private static KakaClient connect(TestBroker broker, Duration refresh) {
    return KakaClient.connect(ClientConfig.of("127.0.0.1", broker.address().getPort()).withMetadataRefresh(refresh));
  }

  /** The consumer's client is not the one that adds them, so nobody tells it. */
  @Test
  void aRunningConsumerReadsThemFromTheirFirstRecord() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        KakaClient other = connect(broker, Duration.ofHours(1));
        KakaClient client = connect(broker, Duration.ofMillis(5))) {
      other.admin().createTopic("orders", 1, Map.of()).join();
      Map<TopicPartition, StartPosition> first = Map.of(new TopicPartition("orders", 0), StartPosition.EARLIEST);
      try (Consumer consumer = client.consumer(ConsumerConfig.defaults(), first);
          Producer producer = other.producer(ProducerConfig.defaults())) {
        consumer.includeNewPartitions("orders", 1);

        assertEquals(4, other.admin().addPartitions("orders", 4).join());
        for (int partition = 3; partition >= 0; partition--) {
          String value = "in " + partition;
          producer.send(ProducerRecord.of(new TopicPartition("orders", partition), null, value.getBytes(UTF_8))).join();

          ConsumedRecord record = consumer.poll(LONG).get(0);

          assertEquals(value, new String(record.value(), UTF_8));
          assertEquals(partition, record.topicPartition().partition());
          assertEquals(0, record.offset());
        }
      }
    }
  }

  /** Records without key go to one partition after the other, so those that are new get some once they are known. */
  @Test
  void aRunningProducerWritesToThem() throws Exception {
    try (TestBroker broker = TestBroker.start("");
        KakaClient other = connect(broker, Duration.ofHours(1));
        KakaClient client = connect(broker, Duration.ofMillis(1));
        Producer producer = client.producer(ProducerConfig.defaults())) {
      other.admin().createTopic("orders", 1, Map.of()).join();
      assertEquals(0, send(producer));

      other.admin().addPartitions("orders", 2).join();

      TestBroker.awaitTrue("a record in partition 1", () -> send(producer) == 1);
      assertTrue(client.admin().latestOffset(new TopicPartition("orders", 1)).join() > 0);
    }
  }

  private static int send(Producer producer) {
    return producer.send(ProducerRecord.of("orders", "v".getBytes(UTF_8))).join().topicPartition().partition();
  }
}
