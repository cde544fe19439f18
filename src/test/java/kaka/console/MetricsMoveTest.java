package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import kaka.broker.TestBroker;
import kaka.log.FaultyDisk;
import kaka.log.MemoryDisk;
import kaka.log.RealDisk;
import kaka.metrics.Metric;
import kaka.protocol.Commit;
import kaka.protocol.CreateTopic;
import kaka.protocol.ErrorReply;
import kaka.protocol.Fetch;
import kaka.protocol.FetchBatches;
import kaka.protocol.Hello;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.protocol.ProduceBatch;
import kaka.record.BatchCompression;
import kaka.record.Codec;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every metric is caused, and seen to move on the page; the last check is that none was left out, and that each had two values. */
class MetricsMoveTest {
  private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
  private static final String LABELS = "{partition=\"0\",topic=\"orders\"}";

  /** What tests have asked for by its name. */
  private static final Set<Metric> ASKED = Collections.synchronizedSet(EnumSet.noneOf(Metric.class));

  /** Values that each series had, on a broker's first page and when a test looked. */
  private static final Map<String, Set<Double>> SEEN = new ConcurrentHashMap<>();

  /** The same for all brokers of this process. */
  private static final Set<Metric> FIXED = EnumSet.of(Metric.BUILD_INFO, Metric.FILES_MAX);

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());

  @AfterAll
  static void noneWasLeftOut() {
    Set<Metric> left = EnumSet.allOf(Metric.class);
    left.removeAll(ASKED);
    assertEquals(Set.of(), left, "no test asks for these");
    left.addAll(EnumSet.complementOf(EnumSet.copyOf(FIXED)));
    left.removeIf(MetricsMoveTest::hasMoved);
    assertEquals(Set.of(), left, "no test moves these");
  }

  private static boolean hasMoved(Metric metric) {
    return SEEN.entrySet().stream()
        .anyMatch(
            seen -> {
              String name = seen.getKey().split("\\{")[0];
              return seen.getValue().size() > 1 && (name.equals(metric.text()) || name.equals(metric.text() + "_count"));
            });
  }

  private static double saw(String series, double value) {
    SEEN.computeIfAbsent(series, unseen -> ConcurrentHashMap.newKeySet()).add(value);
    return value;
  }

  /** A broker with an admin server, a connection to it, and what the page says. */
  private static final class World implements AutoCloseable {
    final TestBroker broker;
    final AdminClient admin;
    final RawConnection connection;
    private final Map<String, Double> first;

    World(String hocon, kaka.log.Disk disk) throws Exception {
      broker = TestBroker.start("kaka.admin.port = 0\n" + hocon, disk);
      admin = new AdminClient(broker.adminAddress().orElseThrow());
      first = admin.scrape();
      first.forEach(MetricsMoveTest::saw);
      connection = new RawConnection(broker.address());
    }

    double of(Metric metric, String labels) throws Exception {
      return value(metric, metric.text() + labels);
    }

    /** Of a histogram. */
    double countOf(Metric metric, String labels) throws Exception {
      return value(metric, metric.text() + "_count" + labels);
    }

    private double value(Metric metric, String series) throws Exception {
      ASKED.add(metric);
      saw(series, first.getOrDefault(series, 0.0)); // one that was not there has come
      return saw(series, admin.scrape().getOrDefault(series, 0.0));
    }

    void await(Metric metric, String labels, double expected) throws Exception {
      BooleanSupplier isThere =
          () -> {
            try {
              return of(metric, labels) == expected;
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          };
      TestBroker.awaitTrue(metric + labels + " = " + expected, isThere);
    }

    @Override
    public void close() throws Exception {
      connection.close();
      broker.close();
    }
  }

  private static RecordBatch batch(String... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder(256);
    for (String value : values) {
      builder.append(0, null, value.getBytes(StandardCharsets.UTF_8), List.of());
    }
    return builder.build();
  }

  private static RecordBatch keyed(String key, String value) {
    return new RecordBatchBuilder(64)
        .append(1000, key.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8), List.of())
        .build();
  }

  @Test
  void producesAndFetches() throws Exception {
    try (World world = new World("", disk)) {
      RecordBatch three = batch("a", "b", "c");
      assertEquals(new ProduceAck(0), world.connection.ask(new ProduceBatch(ORDERS, three)));
      world.connection.ask(new Fetch(ORDERS, 0, 1 << 20, 0, 0));
      world.connection.ask(new FetchBatches(new Fetch(ORDERS, 0, 1 << 20, 0, 0)));

      assertEquals(3, world.of(Metric.PRODUCED_RECORDS, LABELS));
      assertEquals(three.sizeBytes(), world.of(Metric.PRODUCED_BYTES, LABELS));
      assertEquals(1, world.of(Metric.PRODUCED_BATCHES, LABELS));
      assertEquals(6, world.of(Metric.FETCHED_RECORDS, LABELS));
      assertTrue(world.of(Metric.FETCHED_BYTES, LABELS) > three.sizeBytes());
      assertEquals(three.sizeBytes(), world.of(Metric.LOG_SIZE, LABELS));
      assertEquals(3, world.of(Metric.LOG_HIGH_WATERMARK, LABELS));
      assertEquals(3, world.of(Metric.LOG_LAST_STABLE, LABELS));
      assertEquals(1, world.countOf(Metric.REQUEST_SECONDS, "{protocol=\"native\",request=\"produce_batch\"}"));
      assertEquals(1, world.countOf(Metric.REQUEST_SECONDS, "{protocol=\"native\",request=\"fetch_batches\"}"));
      for (String stage : List.of("queue", "write", "sync", "total")) {
        assertEquals(1, world.countOf(Metric.COMMIT_SECONDS, "{stage=\"" + stage + "\"}"), stage);
      }
      Map<String, Double> page = world.admin.scrape();
      assertEquals(three.sizeBytes(), page.get(Metric.COMMIT_BYTES.text() + "_sum"));
      assertEquals(3, page.get(Metric.COMMIT_RECORDS.text() + "_sum"));
      assertEquals(1, world.countOf(Metric.COMMIT_BYTES, ""));
      assertEquals(1, world.countOf(Metric.COMMIT_RECORDS, ""));
    }
  }

  /** Ten in one go are ten requests, though they are counted together. */
  @Test
  void pipelinedRequestsAreCountedEach() throws Exception {
    try (World world = new World("", disk)) {
      world.connection.ask(new Produce(ORDERS, batch("first")));
      byte[] one = new Produce(ORDERS, batch("x")).toFrame();
      byte[] ten = new byte[one.length * 10];
      for (int i = 0; i < 10; i++) {
        System.arraycopy(one, 0, ten, i * one.length, one.length);
      }
      world.connection.send(ten);
      for (int i = 1; i <= 10; i++) {
        assertEquals(new ProduceAck(i), world.connection.receive());
      }

      assertEquals(11, world.countOf(Metric.REQUEST_SECONDS, "{protocol=\"native\",request=\"produce\"}"));
      assertEquals(11, world.of(Metric.PRODUCED_RECORDS, LABELS));
    }
  }

  @Test
  void theBrokerItself() throws Exception {
    long before = System.currentTimeMillis() / 1000;
    try (World world = new World("kaka.connections.max = 77", disk)) {
      assertEquals(1, world.of(Metric.BUILD_INFO, "{java=\"" + Runtime.version() + "\",version=\"dev\"}"));
      assertTrue(world.of(Metric.START_TIME, "") >= before);
      assertEquals(1, world.of(Metric.READY, ""));
      assertEquals(0, world.of(Metric.TOPICS, ""));
      assertTrue(world.of(Metric.RECOVERY_SECONDS, "") > 0);
      assertEquals(77, world.of(Metric.CONNECTIONS_MAX, ""));
      double pages = world.of(Metric.SCRAPES, "");
      assertEquals(pages + 1, world.of(Metric.SCRAPES, ""));
      world.connection.ask(new CreateTopic("a", 2, Map.of()));
      assertEquals(1, world.of(Metric.TOPICS, ""));
      assertEquals(2, world.of(Metric.PARTITIONS, "{state=\"writable\"}"));
      assertTrue(world.of(Metric.FILES_OPEN, "") >= 2);
      assertTrue(world.of(Metric.FILES_MAX, "") > world.of(Metric.FILES_OPEN, ""));
    }
  }

  @Test
  void aDiskThatFailsOrIsFull() throws Exception {
    try (World world = new World("kaka.log.min-free-bytes = 1000", disk)) {
      world.connection.ask(new Produce(ORDERS, batch("a")));
      assertEquals(1000, world.of(Metric.DISK_MIN_FREE, ""));
      disk.setUsableBytes(999);
      assertEquals(999, world.of(Metric.DISK_FREE, ""));
      disk.setTotalBytes(5000);
      assertEquals(5000, world.of(Metric.DISK_SIZE, ""));
      assertEquals(1, world.of(Metric.PROBLEMS, "{problem=\"disk_nearly_full\"}"));
      disk.setUsableBytes(-1);
      assertEquals(0, world.of(Metric.PROBLEMS, "{problem=\"disk_nearly_full\"}"));

      disk.failNext(FaultyDisk.Operation.SYNC, "orders-0/00000000000000000000.log");
      assertInstanceOf(ErrorReply.class, world.connection.ask(new Produce(ORDERS, batch("b"))));

      assertEquals(1, world.of(Metric.PARTITION_FAILED, LABELS));
      assertEquals(1, world.of(Metric.PARTITIONS, "{state=\"failed\"}"));
      assertEquals(0, world.of(Metric.READY, ""));
      assertEquals(1, world.of(Metric.APPENDS_REFUSED, "{reason=\"storage_failed\"}"));
      assertEquals(1, world.of(Metric.REQUESTS_REFUSED, "{protocol=\"native\",reason=\"storage\"}"));
    }
  }

  /** It has to wait, as all of the threads are occupied. */
  @Test
  void checkWaitsForAThread() throws Exception {
    try (World world = new World("", disk)) {
      TestBroker.Occupation occupied = world.broker.occupy("kaka.dispatchers.checks", Runtime.getRuntime().availableProcessors());
      world.connection.send(compressed(10));
      world.await(Metric.CHECKS_QUEUED, "{pool=\"checks\"}", 1);
      assertEquals(0, world.of(Metric.CHECKS_RUNNING, "{pool=\"checks\"}"));
      occupied.close();

      assertEquals(new ProduceAck(0), world.connection.receive());
      world.await(Metric.CHECKS_QUEUED, "{pool=\"checks\"}", 0);
    }
  }

  /** One after the other, and each takes its time, until the page is made while one does. */
  @Test
  void longChecksRun() throws Exception {
    String label = "{pool=\"long_checks\"}";
    try (World world = new World("", disk)) {
      ProduceBatch batch = compressed(60_000_000);
      int sent = 0;
      do {
        world.connection.send(batch);
        sent++;
      } while (world.of(Metric.CHECKS_RUNNING, label) == 0);
      for (int i = 0; i < sent; i++) {
        assertEquals(new ProduceAck(i), world.connection.receive());
      }

      world.await(Metric.CHECKS_RUNNING, label, 0);
      assertEquals(0, world.of(Metric.CHECKS_QUEUED, label));
    }
  }

  private static ProduceBatch compressed(int valueBytes) {
    RecordBatch plain = new RecordBatchBuilder(64).append(0, null, new byte[valueBytes], List.of()).build();
    return new ProduceBatch(ORDERS, BatchCompression.compress(plain, Codec.ZSTD));
  }

  @Test
  void retentionDeletesSegments() throws Exception {
    try (World world = new World("kaka.log.segment-bytes = 1KiB, kaka.log.retention-bytes = 1KiB", disk)) {
      for (int i = 0; i < 10; i++) {
        world.connection.ask(new Produce(ORDERS, batch("x".repeat(600))));
      }
      world.await(Metric.LOG_SEGMENTS, LABELS, 2);
      assertEquals(8, world.of(Metric.RETENTION_SEGMENTS, ""));
      assertEquals(8, world.of(Metric.LOG_START, LABELS));
      double bytes = world.of(Metric.RETENTION_BYTES, "");
      assertEquals(world.of(Metric.PRODUCED_BYTES, LABELS), bytes + world.of(Metric.LOG_SIZE, LABELS));
    }
  }

  @Test
  void compactionsRunAndAreDone() throws Exception {
    String slow = "kaka.log.retention-check-interval = 20ms\nkaka.log.compaction.max-bytes-per-second = 64KiB\n";
    Map<String, String> compacted =
        Map.of("cleanup.policy", "compact", "segment.bytes", "16384", "min.cleanable.dirty.ratio", "0");
    try (World world = new World(slow, disk)) {
      for (String outcome : List.of("done", "failed")) { // or the first one would be no increase, and alert nobody
        assertEquals(0, world.admin.scrape().get(Metric.COMPACTION_RUNS.text() + "{outcome=\"" + outcome + "\"}"));
      }
      world.connection.ask(new CreateTopic("orders", 1, compacted));
      for (int i = 0; i < 40; i++) {
        world.connection.ask(new Produce(ORDERS, keyed("k" + i % 2, "v".repeat(4000))));
      }
      world.await(Metric.COMPACTION_RUNNING, "", 1);
      BooleanSupplier isDone =
          () -> {
            try {
              return world.of(Metric.COMPACTION_RUNS, "{outcome=\"done\"}") > 0;
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          };
      TestBroker.awaitTrue("a compaction is done", isDone);
      assertTrue(world.of(Metric.COMPACTION_BYTES, "") > 0);
      assertTrue(world.of(Metric.COMPACTION_RECORDS, "") > 0);
    }
  }

  @Test
  void groupsAndTheirLag() throws Exception {
    String offset = "{group=\"readers\",partition=\"0\",topic=\"orders\"}";
    try (World world = new World("", disk)) {
      world.connection.ask(new Produce(ORDERS, batch("a", "b", "c")));
      assertEquals(0, world.of(Metric.GROUPS, ""));

      world.connection.ask(new Commit("readers", ORDERS, 1));

      assertEquals(1, world.of(Metric.GROUPS, ""));
      assertEquals(2, world.of(Metric.GROUP_LAG, offset));
      assertEquals(1, world.of(Metric.GROUP_OFFSET, offset));
      world.await(Metric.GROUP_STATES, "{state=\"empty\"}", 1);
      assertTrue(world.of(Metric.MEMORY_USED, "{use=\"groups\"}") > 0);
      world.connection.ask(new Commit("readers", ORDERS, 3));
      assertEquals(0, world.of(Metric.GROUP_LAG, offset));
    }
  }

  @Test
  void membersMakeAGroupStable() throws Exception {
    try (World world = new World("", disk)) {
      world.connection.ask(new Produce(ORDERS, batch("a")));
      Map<String, Object> config = kafka(world, "group.id", "readers");
      StringDeserializer strings = new StringDeserializer();
      try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config, strings, strings)) {
        consumer.subscribe(List.of("orders"));
        TestBroker.awaitTrue("a record", () -> !consumer.poll(Duration.ofMillis(100)).isEmpty() || !consumer.assignment().isEmpty());
        world.await(Metric.GROUP_STATES, "{state=\"stable\"}", 1);
        world.await(Metric.GROUP_STATES, "{state=\"empty\"}", 0);
      }
      world.await(Metric.GROUP_STATES, "{state=\"stable\"}", 0);
    }
  }

  private static Map<String, Object> kafka(World world, String key, Object value) {
    return Map.of("bootstrap.servers", "127.0.0.1:" + world.broker.address().getPort(), "enable.metrics.push", false, key, value);
  }

  @Test
  void transactionsAndHowTheyEnd() throws Exception {
    try (World world = new World("", disk)) {
      Map<String, Object> config = new HashMap<>(kafka(world, "transactional.id", "t"));
      config.put("transaction.timeout.ms", 60_000);
      StringSerializer strings = new StringSerializer();
      try (KafkaProducer<String, String> producer = new KafkaProducer<>(config, strings, strings)) {
        producer.initTransactions();
        world.await(Metric.TRANSACTIONS, "{state=\"empty\"}", 1);
        producer.beginTransaction();
        producer.send(new ProducerRecord<>("orders", 0, "k", "v")).get();
        world.await(Metric.TRANSACTIONS, "{state=\"ongoing\"}", 1);
        TestBroker.awaitTrue("it becomes older", () -> isPositive(world, Metric.TRANSACTION_OLDEST));
        producer.commitTransaction();
        world.await(Metric.TRANSACTIONS, "{state=\"complete_commit\"}", 1);
        world.await(Metric.TRANSACTION_OLDEST, "", 0);
        producer.beginTransaction();
        producer.send(new ProducerRecord<>("orders", 0, "k", "v")).get();
        producer.abortTransaction();
        world.await(Metric.TRANSACTIONS, "{state=\"complete_abort\"}", 1);
        world.await(Metric.TRANSACTIONS_ENDED, "{outcome=\"committed\"}", 1);
        world.await(Metric.TRANSACTIONS_ENDED, "{outcome=\"aborted\"}", 1);
        assertEquals(0, world.of(Metric.TRANSACTIONS_ENDED, "{outcome=\"timed_out\"}"));
      }
      config.put("transaction.timeout.ms", 100);
      try (KafkaProducer<String, String> producer = new KafkaProducer<>(config, strings, strings)) {
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>("orders", 0, "k", "v"));
        producer.flush();
        world.await(Metric.TRANSACTIONS_ENDED, "{outcome=\"timed_out\"}", 1);
        assertEquals(1, world.of(Metric.TRANSACTIONS_ENDED, "{outcome=\"aborted\"}"));
      }
    }
  }

  private static boolean isPositive(World world, Metric metric) {
    try {
      return world.of(metric, "") > 0;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void quotasMakeClientsWait() throws Exception {
    String hocon = "kaka.quotas { produce-bytes-per-second = 100, fetch-bytes-per-second = 100, max-throttle = 10m }";
    try (World world = new World(hocon, disk)) {
      assertEquals(0, world.of(Metric.THROTTLED_CLIENTS, ""));

      world.connection.ask(new Produce(ORDERS, batch("x".repeat(2000))));

      assertEquals(1, world.of(Metric.THROTTLES, "{direction=\"produce\"}"));
      double seconds = world.of(Metric.THROTTLE_SECONDS, "{direction=\"produce\"}");
      assertTrue(seconds > 15 && seconds < 30, seconds + " s");
      assertEquals(1, world.of(Metric.THROTTLED_CLIENTS, ""));
      try (RawConnection other = new RawConnection(world.broker.address())) {
        other.ask(new Fetch(ORDERS, 0, 1 << 20, 0, 0));
      }
      world.await(Metric.THROTTLES, "{direction=\"fetch\"}", 1);
    }
  }

  @Test
  void connectionsTheirWindowsAndWaits() throws Exception {
    try (World world = new World("kaka.connections.window-requests = 1, kaka.connections.max-per-address = 2", disk)) {
      world.connection.ask(new Produce(ORDERS, batch("a")));
      assertEquals(1, world.of(Metric.CONNECTIONS, ""));
      assertEquals(1, world.of(Metric.CONNECTIONS_ACCEPTED, ""));
      assertEquals(0, world.of(Metric.IN_FLIGHT_REQUESTS, ""));
      double waits = world.of(Metric.CREDIT_WAITS, "");
      double waitSeconds = world.of(Metric.CREDIT_WAIT_SECONDS, "");

      world.connection.send(new Fetch(ORDERS, 1, 1 << 20, 60_000, 1)); // waits for a record, and fills the window
      world.await(Metric.CREDIT_WAITING, "", 1);
      assertEquals(1, world.of(Metric.IN_FLIGHT_REQUESTS, ""));
      assertTrue(world.of(Metric.IN_FLIGHT_BYTES, "") > 0);
      try (RawConnection second = new RawConnection(world.broker.address());
          RawConnection third = new RawConnection(world.broker.address())) {
        second.ask(new Produce(ORDERS, batch("b")));
        assertTrue(third.isClosedByPeer());
        assertEquals(2, world.of(Metric.CONNECTIONS, ""));
      }
      world.connection.receive();

      world.await(Metric.CREDIT_WAITING, "", 0);
      assertEquals(waits + 1, world.of(Metric.CREDIT_WAITS, ""), 1); // the produce filled the window as well
      assertTrue(world.of(Metric.CREDIT_WAIT_SECONDS, "") > waitSeconds);
      assertEquals(1, world.of(Metric.CONNECTIONS_LIMITED, "{limit=\"address\"}"));
      world.await(Metric.IN_FLIGHT_REQUESTS, "", 0);
      assertEquals(0, world.of(Metric.IN_FLIGHT_BYTES, ""));
    }
  }

  @Test
  void memoryThatIsUsedUp() throws Exception {
    try (World world = new World("kaka.memory.max-bytes = 1MiB", disk)) {
      assertEquals(1 << 20, world.of(Metric.MEMORY_MAX, ""));
      world.connection.send(new Produce(ORDERS, batch("x".repeat(3 << 20))));
      assertInstanceOf(ErrorReply.class, world.connection.receive());

      assertTrue(world.of(Metric.MEMORY_REFUSED, "") > 0);
      assertEquals(1, world.of(Metric.REQUESTS_REFUSED, "{protocol=\"native\",reason=\"memory\"}"));
    }
  }

  /** While a commit is stuck its bytes are held for it, and all of them are given back when it is done. */
  @Test
  void bytesOfAStuckCommitAreHeldForProduces() throws Exception {
    try (World world = new World("", disk)) {
      world.connection.ask(new Produce(ORDERS, batch("a")));
      RecordBatch held = batch("x".repeat(10_000));
      try (FaultyDisk.Gate gate = disk.block(FaultyDisk.Operation.SYNC, "orders-0/00000000000000000000.log")) {
        world.connection.send(new ProduceBatch(ORDERS, held));
        gate.awaitEntered();

        assertEquals(held.sizeBytes(), world.of(Metric.MEMORY_USED, "{use=\"produce\"}"));
      }

      world.connection.receive();
      assertEquals(0, world.of(Metric.MEMORY_USED, "{use=\"produce\"}"));
    }
  }

  /** What a power cut leaves: an older recovery point, and a piece of a batch behind the last whole one. */
  @Test
  void recoveryAfterACrash(@TempDir Path directory) throws Exception {
    Path data = directory.resolve("data");
    Path crashed = directory.resolve("crashed");
    RecordBatch whole = batch("a".repeat(1000));
    try (TestBroker broker = TestBroker.start("kaka.log.dir = \"" + data + "\"");
        RawConnection connection = new RawConnection(broker.address())) {
      connection.ask(new ProduceBatch(ORDERS, whole));
      byte[] older = Files.readAllBytes(data.resolve("orders-0/recovery-point"));
      connection.ask(new ProduceBatch(ORDERS, whole));
      copy(data, crashed);
      Files.write(crashed.resolve("orders-0/recovery-point"), older);
    }
    Path log = crashed.resolve("orders-0/00000000000000000000.log");
    try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 2L * whole.sizeBytes());
    }

    try (World world = new World("kaka.log.dir = \"" + crashed + "\"", new RealDisk())) {
      assertEquals(3, world.of(Metric.RECOVERY_CUT, ""));
      assertTrue(world.of(Metric.RECOVERY_SCANNED, "") >= 2 * whole.sizeBytes());
      assertEquals(whole.sizeBytes(), world.of(Metric.RECOVERY_REWRITTEN, ""));
    }
  }

  private static void copy(Path from, Path to) throws Exception {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        if (!file.getFileName().toString().equals("kaka.lock")) {
          Files.copy(file, to.resolve(from.relativize(file).toString()));
        }
      }
    }
  }

  /** However many partitions and groups clients make, the page stays as small as it was set to be. */
  @Test
  void seriesAreSumsWhereThereAreTooMany() throws Exception {
    try (World world = new World("kaka.metrics.max-series = 2", disk)) {
      world.connection.ask(new CreateTopic("orders", 2, Map.of()));
      world.connection.ask(new Produce(ORDERS, batch("a")));
      world.connection.ask(new Produce(new TopicPartition("orders", 1), batch("b", "c")));
      assertEquals(0, world.of(Metric.SERIES_BOUND, "{of=\"partitions\"}"));
      assertEquals(1, world.of(Metric.LOG_HIGH_WATERMARK, LABELS));

      world.connection.ask(new CreateTopic("more", 1, Map.of()));

      assertEquals(1, world.of(Metric.SERIES_BOUND, "{of=\"partitions\"}"));
      assertEquals(3, world.of(Metric.LOG_HIGH_WATERMARK, "{topic=\"orders\"}"));
      assertEquals(0, world.of(Metric.LOG_HIGH_WATERMARK, LABELS));
      world.connection.ask(new CreateTopic("third", 1, Map.of()));
      assertEquals(3, world.of(Metric.LOG_HIGH_WATERMARK, ""));

      for (int i = 0; i < 5; i++) {
        world.connection.ask(new Commit("made-up-" + i, ORDERS, 0));
      }
      assertEquals(1, world.of(Metric.SERIES_BOUND, "{of=\"group_offsets\"}"));
      assertEquals(5, world.of(Metric.GROUP_LAG, ""));
      assertEquals(1, world.admin.scrape().keySet().stream().filter(name -> name.startsWith(Metric.GROUP_LAG.text())).count());
    }
  }

  /** A client's own words for itself, and types of requests that there are not, make no series of their own. */
  @Test
  void madeUpNamesBecomeNoLabels() throws Exception {
    try (World world = new World("", disk)) {
      world.connection.ask(new Hello(1, 1, "client-of-mine", ""));
      world.connection.send(new byte[] {0, 0, 0, 1, 0x7a});
      world.connection.receive();

      Map<String, Double> page = world.admin.scrape();

      assertEquals(1, page.get("kaka_request_duration_seconds_count{protocol=\"native\",request=\"unknown\"}"));
      assertTrue(page.keySet().stream().noneMatch(name -> name.contains("client-of-mine")));
    }
  }
}
