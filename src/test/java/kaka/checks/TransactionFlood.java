package kaka.checks;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Transactions by Kafka's own producers, one after another in each: some records into every partition, the transaction's number as the
 * offset of a group, and a commit or, every third time, an abort. What has been answered is journalled. Goes on when the broker comes
 * back; a producer that gets an error in the middle begins again under the same transactional id.
 */
final class TransactionFlood {
  static final String TOPIC = "transactions";
  static final int PARTITIONS = 3;
  static final int RECORDS_PER_PARTITION = 4;

  private final String bootstrap;
  private final String run;
  private final TransactionJournal journal;
  private final AtomicBoolean stop = new AtomicBoolean();

  TransactionFlood(String bootstrap, String run, TransactionJournal journal) {
    this.bootstrap = bootstrap;
    this.run = run;
    this.journal = journal;
  }

  static String group(String producer) {
    return "offsets-of-" + producer;
  }

  void stop() {
    stop.set(true);
  }

  /** Runs until it is stopped. */
  void run(int producers) throws Exception {
    createTopic();
    Thread[] threads = new Thread[producers];
    for (int i = 0; i < producers; i++) {
      String producer = run + "-" + i;
      threads[i] = new Thread(() -> produce(producer), producer);
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void createTopic() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1))).all().get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }

  private void produce(String producer) {
    Random random = new Random();
    long number = 1;
    while (!stop.get()) {
      try (KafkaProducer<String, String> transactional = transactional(producer)) {
        transactional.initTransactions();
        while (!stop.get()) {
          transaction(transactional, new TransactionJournal.Id(producer, number++), random);
        }
      } catch (KafkaException e) { // the broker was gone for too long, or has aborted it: its outcome is not known
        System.err.println(producer + " begins again: " + e);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private KafkaProducer<String, String> transactional(String producer) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", bootstrap);
    config.put("transactional.id", producer);
    config.put("transaction.timeout.ms", 5000);
    config.put("reconnect.backoff.max.ms", 200);
    config.put("max.block.ms", 10_000);
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  private void transaction(KafkaProducer<String, String> producer, TransactionJournal.Id id, Random random) throws IOException {
    journal.note(TransactionJournal.BEGUN, id);
    producer.beginTransaction();
    for (int i = 0; i < PARTITIONS * RECORDS_PER_PARTITION; i++) {
      producer.send(new ProducerRecord<>(TOPIC, i % PARTITIONS, null, id + " " + i));
    }
    producer.sendOffsetsToTransaction(
        Map.of(new TopicPartition(TOPIC, 0), new OffsetAndMetadata(id.number())), new ConsumerGroupMetadata(group(id.producer())));
    producer.flush(); // or an abort would not even send it
    if (random.nextInt(3) == 0) {
      producer.abortTransaction();
      journal.note(TransactionJournal.ABORTED, id);
    } else {
      producer.commitTransaction();
      journal.note(TransactionJournal.COMMITTED, id);
    }
  }
}
