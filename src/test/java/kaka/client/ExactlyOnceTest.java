package kaka.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import kaka.TestSeed;
import kaka.broker.Broker;
import kaka.config.KakaConfig;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Producers over connections that are cut again and again, against a real broker: each record is there once, in its order. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExactlyOnceTest {
  private static final int PRODUCERS = 3;
  private static final int PARTITIONS = 3;
  private static final int CUTS = 60;

  private final long seed = TestSeed.get();

  private record Sent(String value, TopicPartition partition, CompletableFuture<RecordMetadata> future) {}

  @Test
  void eachRecordIsThereOnceInOrderHoweverOftenConnectionsAreCut() throws Exception {
    System.out.println("ExactlyOnceTest -Dkaka.seed=" + seed);
    Random random = new Random(seed);
    Broker broker =
        Broker.start(
            KakaConfig.parse("kaka.admin.port = off, kaka.listen.port = 0, kaka.log.dir = \"\", kaka.log.segment-bytes = 64KiB"));
    try (CuttingProxy proxy = new CuttingProxy(broker.address().getPort(), 60_000, random);
        KakaClient direct = KakaClient.connect(ClientConfig.of("127.0.0.1", broker.address().getPort()))) {
      direct.admin().createTopic("t", PARTITIONS, Map.of()).join();
      ClientConfig config =
          ClientConfig.of("127.0.0.1", proxy.port()).withRetryBackoff(Duration.ofMillis(1), Duration.ofMillis(5));
      List<Sent> sent = new ArrayList<>();
      try (KakaClient client = connect(config)) {
        List<Producer> producers = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
          producers.add(client.producer(ProducerConfig.defaults().withBatchBytes(1024).withBufferBytes(32 * 1024)));
        }
        for (int i = 0; proxy.cuts() < CUTS; i++) {
          for (int p = 0; p < PRODUCERS; p++) {
            TopicPartition to = new TopicPartition("t", random.nextInt(PARTITIONS));
            String value = p + ":" + i + "x".repeat(random.nextInt(300));
            sent.add(new Sent(value, to, producers.get(p).send(ProducerRecord.of(to, null, value.getBytes(UTF_8)))));
          }
        }
        proxy.stopCutting();
        for (Producer producer : producers) {
          producer.close();
        }
      }
      assertTrue(sent.size() > 1000, "only " + sent.size() + " records");
      check(sent, direct);
    } finally {
      broker.stop().toCompletableFuture().join();
    }
  }

  /** The client's own connection can be cut as well. */
  private static KakaClient connect(ClientConfig config) {
    while (true) {
      try {
        return KakaClient.connect(config);
      } catch (KakaException e) {
        if (!e.isRetriable()) {
          throw e;
        }
      }
    }
  }

  private void check(List<Sent> sent, KakaClient direct) {
    Map<TopicPartition, List<String>> stored = new HashMap<>();
    for (int p = 0; p < PARTITIONS; p++) {
      TopicPartition partition = new TopicPartition("t", p);
      stored.put(partition, read(direct, partition));
    }
    Map<TopicPartition, Integer> counts = new HashMap<>();
    Map<String, Long> lastOffsets = new HashMap<>();
    for (Sent each : sent) {
      RecordMetadata metadata = each.future().join();
      assertEquals(each.partition(), metadata.topicPartition());
      assertEquals(each.value(), stored.get(each.partition()).get((int) metadata.offset()), "seed " + seed);
      counts.merge(each.partition(), 1, Integer::sum);
      String producer = each.value().charAt(0) + " " + each.partition();
      long last = lastOffsets.getOrDefault(producer, -1L);
      assertTrue(metadata.offset() > last, "order of " + producer + "; seed " + seed);
      lastOffsets.put(producer, metadata.offset());
    }
    counts.forEach((partition, count) -> assertEquals(count, stored.get(partition).size(), "stored twice; seed " + seed));
  }

  private static List<String> read(KakaClient client, TopicPartition partition) {
    long end = client.admin().latestOffset(partition).join();
    List<String> values = new ArrayList<>();
    try (Consumer consumer =
        client.consumer(ConsumerConfig.defaults(), Map.of(partition, StartPosition.EARLIEST))) {
      while (values.size() < end) {
        consumer.poll(Duration.ofSeconds(10)).forEach(record -> values.add(new String(record.value(), UTF_8)));
      }
    }
    return values;
  }
}
