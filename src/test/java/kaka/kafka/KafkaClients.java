package kaka.kafka;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Apache Kafka's own clients, as anybody would make them, pointed at a broker of a test. */
final class KafkaClients {
  static final long PATIENCE_MS = 120_000;

  private KafkaClients() {}

  static String at(InetSocketAddress address) {
    return "127.0.0.1:" + address.getPort();
  }

  private static Map<String, Object> config(InetSocketAddress address, Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", at(address));
    config.put("enable.metrics.push", false);
    config.putAll(more);
    return config;
  }

  static KafkaProducer<String, String> producer(InetSocketAddress address, Map<String, Object> more) {
    return new KafkaProducer<>(config(address, more), new StringSerializer(), new StringSerializer());
  }

  static KafkaProducer<byte[], byte[]> bytesProducer(InetSocketAddress address, Map<String, Object> more) {
    return new KafkaProducer<>(config(address, more), new ByteArraySerializer(), new ByteArraySerializer());
  }

  static KafkaConsumer<String, String> consumer(InetSocketAddress address, Map<String, Object> more) {
    return new KafkaConsumer<>(config(address, more), new StringDeserializer(), new StringDeserializer());
  }

  static KafkaConsumer<byte[], byte[]> bytesConsumer(InetSocketAddress address, Map<String, Object> more) {
    return new KafkaConsumer<>(config(address, more), new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  static Admin admin(InetSocketAddress address) {
    return Admin.create(config(address, Map.of()));
  }

  /** What a future comes to, or the cause of its failure. */
  static <T> T get(Future<T> future) throws Exception {
    return future.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
  }

  /** Why a future fails. */
  static Throwable failure(Future<?> future) throws Exception {
    try {
      Object result = get(future);
      throw new AssertionError("no failure but " + result);
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /** Polls until {@code count} records have come. */
  static <K, V> List<ConsumerRecord<K, V>> poll(KafkaConsumer<K, V> consumer, int count) {
    List<ConsumerRecord<K, V>> records = new ArrayList<>();
    long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
    while (records.size() < count) {
      if (System.nanoTime() - giveUp > 0) {
        throw new AssertionError(records.size() + " of " + count + " records after " + PATIENCE_MS + " ms");
      }
      consumer.poll(Duration.ofMillis(200)).forEach(records::add);
    }
    return records;
  }

  static void readFromStart(KafkaConsumer<?, ?> consumer, TopicPartition... partitions) {
    consumer.assign(List.of(partitions));
    consumer.seekToBeginning(List.of(partitions));
  }
}
