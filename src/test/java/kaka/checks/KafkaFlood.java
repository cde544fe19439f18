package kaka.checks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Produces by Kafka's own producer, idempotent and with acks=all, and journals every ack. It goes on when the broker comes back on
 * the same port; a record that is not acknowledged in the end, though the broker came back, is counted as failed.
 */
final class KafkaFlood {
  /** What a producer may have under way. */
  private static final int WINDOW = 2000;

  private final InetSocketAddress broker;
  private final String topic;
  private final int partitions;
  private final int valueBytes;
  private final AckJournal journal;
  private final long run = ThreadLocalRandom.current().nextLong() >>> 1;
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong acked = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  KafkaFlood(InetSocketAddress broker, String topic, int partitions, int valueBytes, AckJournal journal) {
    this.broker = broker;
    this.topic = topic;
    this.partitions = partitions;
    this.valueBytes = valueBytes;
    this.journal = journal;
  }

  /** Stops sending; what is under way is waited for. */
  void stop() {
    stop.set(true);
  }

  long ackedRecords() {
    return acked.get();
  }

  long failedRecords() {
    return failed.get();
  }

  /** Runs until it is stopped or {@code maxMillis} have passed. */
  void run(int producers, long maxMillis) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
      admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
    }
    long deadlineNs = System.nanoTime() + maxMillis * 1_000_000;
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      int number = i;
      threads.add(new Thread(() -> produce(number, deadlineNs), "kafka-flood-" + i));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    journal.handOver();
  }

  private String bootstrap() {
    return broker.getHostString() + ":" + broker.getPort();
  }

  private void produce(int number, long deadlineNs) {
    Map<String, Object> config =
        Map.of("bootstrap.servers", bootstrap(), "acks", "all", "linger.ms", 1, "reconnect.backoff.max.ms", 200, "client.id", "flood-" + number);
    Semaphore window = new Semaphore(WINDOW);
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (long sequence = 0; !stop.get() && System.nanoTime() < deadlineNs; sequence++) {
        window.acquire();
        send(producer, window, number, sequence);
      }
      producer.flush();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void send(KafkaProducer<byte[], byte[]> producer, Semaphore window, int number, long sequence) {
    int partition = (int) (sequence % partitions);
    byte[] value = Flood.RecordValue.encode(run, number, sequence, valueBytes);
    producer.send(
        new ProducerRecord<>(topic, partition, null, value),
        (metadata, failure) -> {
          window.release();
          if (failure == null) {
            note(new AckJournal.Ack(topic, partition, run, number, sequence, metadata.offset(), 1, System.currentTimeMillis()));
            acked.incrementAndGet();
          } else {
            failed.incrementAndGet();
          }
        });
  }

  private void note(AckJournal.Ack ack) {
    try {
      journal.add(ack);
      journal.handOver();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
