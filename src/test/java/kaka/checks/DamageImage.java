package kaka.checks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import kaka.broker.Broker;
import kaka.config.KakaConfig;
import kaka.protocol.Commit;
import kaka.protocol.CommitAck;
import kaka.protocol.CreateTopic;
import kaka.protocol.CreateTopicReply;
import kaka.protocol.DescribeTopic;
import kaka.protocol.DescribeTopicReply;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.protocol.OffsetForTime;
import kaka.protocol.OffsetForTimeReply;
import kaka.protocol.Offsets;
import kaka.protocol.Response;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;

/**
 * A data directory with something of everything, as its files were when all below had been acknowledged, and what was
 * acknowledged: several topics, partitions and segments, a log whose start has moved, an empty one, settings of a topic's own,
 * offsets that groups have committed.
 */
final class DamageImage {
  static final int TIME_STEP_MS = 10;
  private static final int SMALL_TOPICS = 4;
  private static final int COMMITS = 1500; // several segments of the log of offsets, and a compaction

  /** What one partition has acknowledged. */
  static final class Expected {
    final List<byte[]> values = new ArrayList<>(); // by offset
    long logStartOffset;

    /** Every record has this timestamp, by its offset. */
    static long timestampMs(long offset) {
      return 1_000_000 + offset * TIME_STEP_MS;
    }
  }

  /** Path in the directory to contents. */
  final Map<String, byte[]> files = new TreeMap<>();

  final Map<TopicPartition, Expected> partitions;

  /** A group's offset in a partition, committed last. */
  final Map<Offsets, Long> committed = new LinkedHashMap<>();

  private DamageImage(Map<TopicPartition, Expected> partitions) {
    this.partitions = partitions;
  }

  /** Of a broker that was stopped, or, if {@code killed}, of one in the moment after its last ack. */
  static DamageImage make(Path work, boolean killed, Random random) throws Exception {
    Path data = work.resolve("image");
    Broker broker = Broker.start(KakaConfig.parse(config(data) + ", kaka.log.retention-check-interval = 20ms"));
    Map<TopicPartition, Expected> partitions = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    DamageImage image = new DamageImage(partitions);
    try (RawConnection connection = new RawConnection(broker.address())) {
      create(connection, "orders", 3, Map.of("segment.bytes", "16384"));
      create(connection, "events-by-day", 2, Map.of("segment.bytes", "32768", "retention.ms", "-1"));
      create(connection, "audit", 1, Map.of());
      create(connection, "empty", 1, Map.of());
      create(connection, "retained", 1, Map.of("segment.bytes", "4096", "retention.bytes", "12000"));
      for (int i = 0; i < SMALL_TOPICS; i++) {
        create(connection, "small-" + i, 1, Map.of("segment.bytes", "2048"));
      }
      image.fill(connection, "orders", 3, 60, random);
      image.fill(connection, "events-by-day", 2, 60, random);
      image.fill(connection, "audit", 1, 30, random);
      image.fill(connection, "empty", 1, 0, random);
      image.fill(connection, "retained", 1, 60, random);
      for (int i = 0; i < SMALL_TOPICS; i++) {
        image.fill(connection, "small-" + i, 1, i % 4, random);
      }
      image.commit(connection, random);
      image.awaitRetention(connection);
      if (killed) {
        image.read(data);
      }
    }
    broker.stop().toCompletableFuture().join();
    if (!killed) {
      image.read(data);
    }
    image.findLogStart(data.resolveSibling("undamaged"));
    return image;
  }

  static String config(Path data) {
    return "kaka.admin.port = off, kaka.listen.port = 0, kaka.log.index-interval-bytes = 512, kaka.log.segment-bytes = 16KiB, kaka.groups.compact-bytes = 64KiB, kaka.log.dir = \"" + data + "\"";
  }

  private static void create(RawConnection connection, String topic, int partitions, Map<String, String> settings)
      throws IOException {
    Response answer = connection.ask(new CreateTopic(topic, partitions, settings));
    if (!(answer instanceof CreateTopicReply)) {
      throw new IOException("not created: " + answer);
    }
  }

  private void fill(RawConnection connection, String topic, int partitionCount, int batchCount, Random random)
      throws IOException {
    for (int p = 0; p < partitionCount; p++) {
      TopicPartition partition = new TopicPartition(topic, p);
      Expected expected = new Expected();
      partitions.put(partition, expected);
      for (int i = 0; i < batchCount; i++) {
        long base = expected.values.size();
        Response answer = connection.ask(new ProduceBatch(partition, batch(partition, expected, 1 + random.nextInt(12), random)));
        if (!(answer instanceof ProduceAck ack) || ack.baseOffset() != base) {
          throw new IOException("not acknowledged: " + answer);
        }
      }
    }
  }

  /** The next records of a partition; they are {@code expected} from now on. */
  static RecordBatch batch(TopicPartition partition, Expected expected, int count, Random random) {
    RecordBatchBuilder builder = new RecordBatchBuilder(4096);
    for (int i = 0; i < count; i++) {
      long offset = expected.values.size();
      byte[] noise = new byte[random.nextInt(120)];
      random.nextBytes(noise);
      byte[] name = (partition + "/" + offset + "/").getBytes(StandardCharsets.UTF_8);
      byte[] value = ByteBuffer.allocate(name.length + noise.length).put(name).put(noise).array();
      builder.append(Expected.timestampMs(offset), partition.topic().getBytes(StandardCharsets.UTF_8), value, List.of());
      expected.values.add(value);
    }
    return builder.build();
  }

  /** Often, of few: pipelined, so that a sync is many commits. */
  private void commit(RawConnection connection, Random random) throws IOException {
    List<TopicPartition> of = List.copyOf(partitions.keySet());
    ByteArrayOutputStream pipelined = new ByteArrayOutputStream();
    for (int i = 0; i < COMMITS; i++) {
      Offsets whose = new Offsets("group-" + random.nextInt(5), of.get(random.nextInt(of.size())));
      committed.put(whose, (long) i);
      pipelined.writeBytes(new Commit(whose.group(), whose.partition(), i).toFrame());
    }
    connection.send(pipelined.toByteArray());
    for (int i = 0; i < COMMITS; i++) {
      Response answer = connection.receive();
      if (!(answer instanceof CommitAck)) {
        throw new IOException("not committed: " + answer);
      }
    }
  }

  /** Until the timer has deleted what may go; nothing more can go then. */
  private void awaitRetention(RawConnection connection) throws IOException {
    Expected retained = partitions.get(new TopicPartition("retained", 0));
    DescribeTopicReply.Partition described;
    do {
      described = ((DescribeTopicReply) connection.ask(new DescribeTopic("retained"))).partitions().get(0);
    } while (described.sizeBytes() >= 12000 + 4096 + 2000);
    retained.logStartOffset = described.logStartOffset();
    if (retained.logStartOffset == 0) {
      throw new IOException("retention has deleted nothing");
    }
  }

  /** As a kill leaves them: from under the running broker, whose retention may unlink one meanwhile; then again. */
  private void read(Path data) throws IOException {
    boolean isWhole = false;
    while (!isWhole) {
      files.clear();
      try (Stream<Path> all = Files.walk(data)) {
        for (Path file : all.filter(Files::isRegularFile).toList()) {
          files.put(data.relativize(file).toString(), Files.readAllBytes(file));
        }
        isWhole = true;
      } catch (NoSuchFileException e) {
        isWhole = false;
      } catch (UncheckedIOException e) {
        if (!(e.getCause() instanceof NoSuchFileException)) {
          throw e;
        }
      }
    }
  }

  /** Retention may have gone on until the files were read, and unlinks lag behind it: a broker on these very files knows. */
  private void findLogStart(Path copy) throws Exception {
    writeTo(copy);
    Broker broker = Broker.start(KakaConfig.parse(config(copy)));
    TopicPartition retained = new TopicPartition("retained", 0);
    try (RawConnection connection = new RawConnection(broker.address())) {
      Response answer = connection.ask(new OffsetForTime(retained, OffsetForTime.EARLIEST));
      partitions.get(retained).logStartOffset = ((OffsetForTimeReply) answer).offset();
    }
    broker.stop().toCompletableFuture().join();
    delete(copy);
  }

  /** Puts the files into {@code data}, which is made anew. */
  void writeTo(Path data) throws IOException {
    delete(data);
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path path = data.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, file.getValue());
    }
  }

  static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(path);
        }
      }
    }
  }
}
