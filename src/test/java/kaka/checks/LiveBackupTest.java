package kaka.checks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import kaka.broker.DirectoryBackup;
import kaka.broker.TestBroker;
import kaka.client.ClientConfig;
import kaka.client.Consumer;
import kaka.client.ConsumerConfig;
import kaka.client.KakaClient;
import kaka.client.Producer;
import kaka.client.ProducerConfig;
import kaka.client.ProducerRecord;
import kaka.client.StartPosition;
import kaka.config.KakaConfig;
import kaka.log.BackupProgress;
import kaka.log.BackupRestore;
import kaka.log.RealDisk;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The short form of {@code ops/checks/backup.sh}: backups of a broker under load, each restored and compared with the acks. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class LiveBackupTest {
  private static final int BACKUPS = 4;
  private static final int KEYS = 20;

  private static final BackupProgress QUIET =
      new BackupProgress() {
        @Override
        public void copied(long bytes) {}

        @Override
        public void linked(long bytes) {}
      };

  @TempDir Path directory;

  private final Map<String, Integer> newest = new ConcurrentHashMap<>(); // of each key, acknowledged

  private TestBroker broker(String name) throws Exception {
    return TestBroker.start(
        "kaka.log.dir = \"" + directory.resolve(name) + "\", kaka.log.segment-bytes = 1MiB, kaka.topics.default-partitions = 3");
  }

  /** What was acknowledged when a backup began. */
  private record Moment(Path backup, List<AckJournal.Ack> acks, Map<String, Integer> newest) {}

  @Test
  void everyAckBeforeABackupIsInIt() throws Exception {
    Moment[] moments = new Moment[BACKUPS];
    Path file = directory.resolve("journal");
    try (TestBroker broker = broker("data");
        AckJournal journal = new AckJournal(file)) {
      createCompacted(broker);
      Flood flood = new Flood(new Flood.Plan(broker.address(), "flood", 3, 6, 16, 10, 200, 120_000), journal);
      AtomicBoolean stop = new AtomicBoolean();
      Thread flooding = new Thread(() -> run(flood), "flood");
      Thread updating = new Thread(() -> update(broker, stop), "update");
      flooding.start();
      updating.start();
      for (int i = 0; i < BACKUPS; i++) {
        flood.awaitAcked((i + 1) * 20_000L);
        journal.handOver();
        List<AckJournal.Ack> acks = AckJournal.read(file);
        Map<String, Integer> before = new HashMap<>(newest);
        Path backup =
            DirectoryBackup.run(
                    new RealDisk(), directory.resolve("data"), directory.resolve("target"), KakaConfig.parse("").log(), 2, Clock.systemUTC(), QUIET)
                .backup();
        Path to = directory.resolve("restored-" + i);
        BackupRestore.run(new RealDisk(), backup, to, QUIET);
        moments[i] = new Moment(to, acks, before);
      }
      flood.stop();
      stop.set(true);
      flooding.join();
      updating.join();
    }
    for (Moment moment : moments) {
      assertTrue(moment.acks().size() > 0 && moment.newest().size() == KEYS);
      try (TestBroker restored = broker(moment.backup().getFileName().toString())) {
        Verification result = Verification.of(restored.address(), moment.acks());
        assertTrue(result.isGood(), moment.backup() + ": " + result);
        newest(restored, moment.newest()).forEach((key, value) -> assertTrue(value >= moment.newest().get(key), key + " is " + value));
      }
    }
  }

  private static void run(Flood flood) {
    try {
      flood.run();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static KakaClient connect(TestBroker broker) {
    return KakaClient.connect(ClientConfig.of("127.0.0.1:" + broker.address().getPort()));
  }

  private static void createCompacted(TestBroker broker) {
    Map<String, String> settings =
        Map.of("cleanup.policy", "compact", "segment.bytes", "65536", "min.cleanable.dirty.ratio", "0.01");
    try (KakaClient client = connect(broker)) {
      client.admin().createTopic("newest", 1, settings).join();
    }
  }

  private void update(TestBroker broker, AtomicBoolean stop) {
    try (KakaClient client = connect(broker);
        Producer producer = client.producer(ProducerConfig.defaults())) {
      for (int i = 0; !stop.get(); i++) {
        String key = "key-" + i % KEYS;
        int value = i;
        byte[] padded = (value + " " + "x".repeat(500)).getBytes(UTF_8);
        producer.send(ProducerRecord.of("newest", key.getBytes(UTF_8), padded)).join();
        newest.put(key, value);
      }
    }
  }

  private static Map<String, Integer> newest(TestBroker broker, Map<String, Integer> wanted) {
    Map<String, Integer> found = new HashMap<>();
    try (KakaClient client = connect(broker)) {
      TopicPartition partition = new TopicPartition("newest", 0);
      long end = client.admin().describeTopic("newest").join().partitions().get(0).highWatermark();
      try (Consumer consumer = client.consumer(ConsumerConfig.defaults(), Map.of(partition, StartPosition.EARLIEST))) {
        long[] next = {0};
        while (next[0] < end) {
          consumer
              .poll(Duration.ofSeconds(5))
              .forEach(
                  record -> {
                    found.put(new String(record.key(), UTF_8), Integer.parseInt(new String(record.value(), UTF_8).split(" ")[0]));
                    next[0] = record.offset() + 1;
                  });
        }
      }
    }
    assertEquals(wanted.keySet(), found.keySet());
    return found;
  }
}
