package kaka.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import kaka.config.KakaConfig;
import kaka.log.BackupProgress;
import kaka.log.BackupRestore;
import kaka.log.DiskFile;
import kaka.log.Finding;
import kaka.log.ForwardingDisk;
import kaka.log.LogConfig;
import kaka.log.RealDisk;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a broker whose transactions begin or end at the worst moment of it. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class BackupOfTransactionsTest {
  private static final TopicPartition LOGS = new TopicPartition("logs", 0);

  private static final BackupProgress QUIET =
      new BackupProgress() {
        @Override
        public void copied(long bytes) {}

        @Override
        public void linked(long bytes) {}
      };

  /** Each look at it is a minute later: patience is over after one round. */
  private static final Clock HURRIED =
      new Clock() {
        private Instant now = Instant.now();

        @Override
        public synchronized Instant instant() {
          now = now.plusSeconds(60);
          return now;
        }

        @Override
        public ZoneId getZone() {
          return ZoneId.of("UTC");
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }
      };

  private static LogConfig config;

  @TempDir Path directory;

  @BeforeAll
  static void parseConfig() throws Exception {
    config = KakaConfig.parse("kaka.log.segment-bytes = 1KiB").log();
  }

  private Path data() {
    return directory.resolve("data");
  }

  private Path transactionsLog() {
    return data().resolve("__transactions-0/00000000000000000000.log");
  }

  private static TestBroker broker(Path dir, String segmentBytes) throws Exception {
    return TestBroker.start("kaka.log.dir = \"" + dir + "\", kaka.log.segment-bytes = " + segmentBytes);
  }

  private DirectoryBackup.Result backup(ForwardingDisk disk, Clock clock) throws IOException {
    return DirectoryBackup.run(disk, data(), directory.resolve("target"), config, 3, clock, QUIET);
  }

  private static KafkaProducer<String, String> transactional(TestBroker broker, String id) {
    KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", "127.0.0.1:" + broker.address().getPort(), "transactional.id", id, "enable.metrics.push", false),
            new StringSerializer(),
            new StringSerializer());
    producer.initTransactions();
    return producer;
  }

  private static void send(KafkaProducer<String, String> producer, String value) throws Exception {
    producer.send(new ProducerRecord<>(LOGS.topic(), LOGS.partition(), "k", value)).get();
  }

  private static void transaction(KafkaProducer<String, String> producer, String value) throws Exception {
    producer.beginTransaction();
    send(producer, value);
    producer.commitTransaction();
  }

  /** One with a record and a group's offset, which is not ended. */
  private static void begin(KafkaProducer<String, String> producer) throws Exception {
    producer.beginTransaction();
    send(producer, "under way");
    producer.sendOffsetsToTransaction(Map.of(LOGS, new OffsetAndMetadata(1)), new ConsumerGroupMetadata("group"));
  }

  private static List<String> committedValues(TestBroker broker, int count) {
    List<String> values = new ArrayList<>();
    Map<String, Object> config =
        Map.of("bootstrap.servers", "127.0.0.1:" + broker.address().getPort(), "isolation.level", "read_committed", "enable.metrics.push", false);
    StringDeserializer strings = new StringDeserializer();
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config, strings, strings)) {
      consumer.assign(List.of(LOGS));
      consumer.seekToBeginning(List.of(LOGS));
      while (values.size() < count) {
        consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }

  /** The copy is sound, and nothing that is open in it hides what is written behind. */
  private void requireReadable(DirectoryBackup.Result result, List<String> committed) throws Exception {
    try (OfflineDirectory offline = OfflineDirectory.openUnclaimed(result.backup())) {
      assertEquals(List.of(), offline.check(bytes -> {}).findings().stream().filter(Finding::isWrong).toList());
    }
    Path to = directory.resolve("restored");
    BackupRestore.run(new RealDisk(), result.backup(), to, QUIET);
    try (TestBroker copy = broker(to, "1KiB");
        KafkaProducer<String, String> next = transactional(copy, "t")) {
      transaction(next, "next");
      List<String> expected = new ArrayList<>(committed);
      expected.add("next");
      assertEquals(expected, committedValues(copy, expected.size()));
    }
  }

  /** Does something when the round has copied the partition and is about to copy the log of transactions. */
  private static final class AfterPartitions extends ForwardingDisk {
    private final Runnable what;
    private boolean isPartitionCopied;
    private boolean isDone;

    AfterPartitions(Runnable what) {
      super(new RealDisk());
      this.what = what;
    }

    @Override
    public DiskFile create(Path file) throws IOException {
      isPartitionCopied |= file.toString().contains("logs-0") && file.toString().endsWith(".log");
      return super.create(file);
    }

    @Override
    public List<String> list(Path path) throws IOException {
      if (isPartitionCopied && !isDone && path.endsWith("__transactions-0")) {
        isDone = true;
        what.run();
      }
      return super.list(path);
    }
  }

  /**
   * The copy of the partition has it open, that of the log of transactions says that it is over: without an end in the copy,
   * what is written behind it would be hidden for ever.
   */
  @Test
  void transactionThatEndsBetweenTwoCopiesHoldsNothingUp() throws Exception {
    try (TestBroker broker = broker(data(), "1KiB");
        KafkaProducer<String, String> producer = transactional(broker, "t")) {
      transaction(producer, "whole");
      begin(producer);
      AfterPartitions ending = new AfterPartitions(producer::commitTransaction);

      DirectoryBackup.Result result = backup(ending, HURRIED);

      assertTrue(ending.isDone);
      assertFalse(result.isWhole());
      assertEquals(2, result.endedCount()); // in the partition, and in the group's offsets
      requireReadable(result, List.of("whole"));
    }
  }

  /** The log of transactions is written over zeros that are in its file already: its size says nothing. */
  @Test
  void endThatLeavesTheLogsSizeIsSeen() throws Exception {
    try (TestBroker broker = broker(data(), "8MiB");
        KafkaProducer<String, String> producer = transactional(broker, "x".repeat(1000))) {
      List<String> whole = new ArrayList<>();
      while (transactionsLog().toFile().length() < 300 << 10) {
        whole.add("whole " + whole.size());
        transaction(producer, whole.get(whole.size() - 1));
      }
      begin(producer);
      long[] sizes = new long[2];
      AfterPartitions ending =
          new AfterPartitions(
              () -> {
                sizes[0] = transactionsLog().toFile().length();
                producer.commitTransaction();
                sizes[1] = transactionsLog().toFile().length();
              });

      DirectoryBackup.Result result = backup(ending, HURRIED);

      assertTrue(ending.isDone);
      assertEquals(sizes[0], sizes[1], "no zeros were there");
      assertFalse(result.isWhole());
      assertEquals(2, result.endedCount());
      requireReadable(result, whole);
    }
  }

  /** With patience the round is done again, and has all of it. */
  @Test
  void endMeanwhileIsWholeInTheNextRound() throws Exception {
    try (TestBroker broker = broker(data(), "1KiB");
        KafkaProducer<String, String> producer = transactional(broker, "t")) {
      transaction(producer, "whole");
      begin(producer);
      AfterPartitions ending = new AfterPartitions(producer::commitTransaction);

      DirectoryBackup.Result result = backup(ending, Clock.systemUTC());

      assertTrue(ending.isDone && result.isWhole());
      requireReadable(result, List.of("whole", "under way"));
    }
  }
}
