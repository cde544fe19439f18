package kaka.checks;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** {@code BROKER TOPIC}: begins a transaction in partition 0, writes behind it without one, and never ends it. */
public final class OpenTransaction {
  private OpenTransaction() {}

  public static void main(String[] args) throws Exception {
    Map<String, Object> plain = Map.of("bootstrap.servers", args[0]);
    Map<String, Object> transactional = Map.of("bootstrap.servers", args[0], "transactional.id", "open", "transaction.timeout.ms", 600_000);
    StringSerializer strings = new StringSerializer();
    try (KafkaProducer<String, String> open = new KafkaProducer<>(transactional, strings, strings);
        KafkaProducer<String, String> after = new KafkaProducer<>(plain, strings, strings)) {
      open.initTransactions();
      open.beginTransaction();
      open.send(new ProducerRecord<>(args[1], 0, "k", "open")).get();
      after.send(new ProducerRecord<>(args[1], 0, "k", "behind it")).get();
      System.out.println("open");
      new CountDownLatch(1).await();
    }
  }
}
