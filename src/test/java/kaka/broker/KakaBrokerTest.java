package kaka.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import kaka.client.ClientConfig;
import kaka.client.Consumer;
import kaka.client.ConsumerConfig;
import kaka.client.KakaClient;
import kaka.client.Producer;
import kaka.client.ProducerConfig;
import kaka.client.ProducerRecord;
import kaka.client.StartPosition;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KakaBrokerTest {
  /** A second close does nothing; the directory is free after the first. */
  @Test
  void theNextOneInADirectoryGoesOnWithItsRecords(@TempDir Path directory) throws Exception {
    Path data = directory.resolve("with \"quotes\" and spaces");
    KakaBroker first = KakaBroker.in(data);
    try (KakaClient client = KakaClient.connect(ClientConfig.of(first.bootstrapServers()));
        Producer producer = client.producer(ProducerConfig.defaults())) {
      producer.send(ProducerRecord.of("greetings", "hello".getBytes(UTF_8))).join();
    }
    first.close();
    first.close();

    try (KakaBroker second = KakaBroker.in(data);
        KakaClient client = KakaClient.connect(ClientConfig.of(second.bootstrapServers()));
        Consumer consumer =
            client.consumer(ConsumerConfig.defaults(), Map.of(new TopicPartition("greetings", 0), StartPosition.EARLIEST))) {
      assertEquals("hello", new String(consumer.poll(Duration.ofSeconds(20)).iterator().next().value(), UTF_8));
    }
  }

  @Test
  void severalRunInOneJvmAndKnowNothingOfEachOther() throws Exception {
    try (KakaBroker one = KakaBroker.inMemory();
        KakaBroker other = KakaBroker.inMemory();
        KakaClient client = KakaClient.connect(ClientConfig.of(one.bootstrapServers()));
        KakaClient otherClient = KakaClient.connect(ClientConfig.of(other.bootstrapServers()))) {
      client.admin().createTopic("orders", 3, Map.of()).join();

      assertEquals(1, client.admin().listTopics().join().size());
      assertEquals(0, otherClient.admin().listTopics().join().size());
    }
  }
}
