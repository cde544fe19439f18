package kaka.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import kaka.client.Admin;
import kaka.client.ClientConfig;
import kaka.client.Consumer;
import kaka.client.ConsumerConfig;
import kaka.client.KakaClient;
import kaka.client.KakaException;
import kaka.client.Producer;
import kaka.client.ProducerConfig;
import kaka.client.ProducerRecord;
import kaka.client.StartPosition;
import kaka.config.KakaConfig;
import kaka.log.BackupProgress;
import kaka.log.BackupRestore;
import kaka.log.BackupTarget;
import kaka.log.Disk;
import kaka.log.DiskFile;
import kaka.log.FaultyDisk;
import kaka.log.Finding;
import kaka.log.ForwardingDisk;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import kaka.log.PartitionBackup;
import kaka.log.RealDisk;
import kaka.record.TopicPartition;
import kaka.topic.DirectoryCheck;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a real data directory: of one whose broker is stopped, or does something at a moment that a test chooses. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class DirectoryBackupTest {
  private static final BackupProgress QUIET =
      new BackupProgress() {
        @Override
        public void copied(long bytes) {}

        @Override
        public void linked(long bytes) {}
      };

  @TempDir Path directory;

  private Path data() {
    return directory.resolve("data");
  }

  private Path target() {
    return directory.resolve("target");
  }

  private TestBroker broker(Path dir) throws Exception {
    return TestBroker.start("kaka.log.dir = \"" + dir + "\", kaka.log.segment-bytes = 1KiB");
  }

  private static LogConfig config;

  @BeforeAll
  static void parseConfig() throws Exception {
    config = KakaConfig.parse("kaka.log.segment-bytes = 1KiB").log();
  }

  private DirectoryBackup.Result backup(Disk disk) throws Exception {
    return DirectoryBackup.run(disk, data(), target(), config, 3, Clock.systemUTC(), QUIET);
  }

  private DirectoryBackup.Result backup() throws Exception {
    return backup(new RealDisk());
  }

  /** Does something once, before the copy looks at what a test says. */
  private static final class Moment extends ForwardingDisk {
    private final String nameSuffix;
    private Runnable then;

    Moment(String nameSuffix, Runnable then) {
      super(new RealDisk());
      this.nameSuffix = nameSuffix;
      this.then = then;
    }

    private void at(Path path) {
      if (then != null && path.toString().endsWith(nameSuffix)) {
        Runnable due = then;
        then = null;
        due.run();
      }
    }

    boolean isPast() {
      return then == null;
    }

    @Override
    public DiskFile openForReading(Path file) throws IOException {
      at(file);
      return super.openForReading(file);
    }

    @Override
    public List<String> list(Path path) throws IOException {
      at(path);
      return super.list(path);
    }
  }

  private static KakaClient connect(TestBroker broker) {
    return KakaClient.connect(ClientConfig.of("127.0.0.1:" + broker.address().getPort()));
  }

  private static void produce(TestBroker broker, String topic, int from, int to) {
    try (KakaClient client = connect(broker);
        Producer producer = client.producer(ProducerConfig.defaults())) {
      for (int i = from; i < to; i++) {
        producer.send(ProducerRecord.of(topic, ("value " + i + " ".repeat(100)).getBytes(UTF_8))).join();
      }
    }
  }

  private static void admin(TestBroker broker, java.util.function.Consumer<Admin> what) {
    try (KakaClient client = connect(broker)) {
      what.accept(client.admin());
    }
  }

  /** What a broker that is started on a restored copy of it gives. */
  private List<String> restored(Path backup, String topic) throws Exception {
    Path to = directory.resolve("restored-" + System.nanoTime());
    BackupRestore.run(new RealDisk(), backup, to, QUIET);
    try (TestBroker broker = broker(to)) {
      return values(broker, topic);
    }
  }

  private static List<String> values(TestBroker broker, String topic) {
    List<String> values = new ArrayList<>();
    try (KakaClient client = connect(broker)) {
      long end = client.admin().describeTopic(topic).join().partitions().get(0).highWatermark();
      TopicPartition partition = new TopicPartition(topic, 0);
      try (Consumer consumer = client.consumer(ConsumerConfig.defaults(), Map.of(partition, StartPosition.EARLIEST))) {
        while (values.size() < end) {
          consumer.poll(Duration.ofSeconds(5)).forEach(record -> values.add(new String(record.value(), UTF_8).strip()));
        }
      }
    }
    return values;
  }

  private static List<String> numbered(int from, int to) {
    return java.util.stream.IntStream.range(from, to).mapToObj(i -> "value " + i).toList();
  }

  private static void requireSound(Path backup) throws IOException {
    try (OfflineDirectory offline = OfflineDirectory.openUnclaimed(backup)) {
      assertEquals(List.of(), offline.check(bytes -> {}).findings().stream().filter(Finding::isWrong).toList());
    }
  }

  @Test
  void runningBrokersRecordsAreInItAndTheNextOneCopiesWhatIsNew() throws Exception {
    try (TestBroker broker = broker(data())) {
      produce(broker, "logs", 0, 40);

      DirectoryBackup.Result first = backup();
      produce(broker, "logs", 40, 60);
      DirectoryBackup.Result second = backup();

      assertEquals(0, first.counts().linkedSegments());
      assertTrue(second.counts().linkedSegments() >= first.counts().copiedSegments() - 8, second.toString());
      assertTrue(first.isWhole() && second.isWhole());
      assertEquals(List.of(first.backup(), second.backup()), BackupTarget.backups(new RealDisk(), target()));
      requireSound(first.backup());
      requireSound(second.backup());
      assertEquals(numbered(0, 40), restored(first.backup(), "logs"));
      assertEquals(numbered(0, 60), restored(second.backup(), "logs"));
    }
  }

  @Test
  void topicThatIsDeletedMeanwhileIsDeletedInTheCopy() throws Exception {
    try (TestBroker broker = broker(data())) {
      produce(broker, "going", 0, 20);
      produce(broker, "staying", 0, 20);
      Moment moment =
          new Moment("going-0/00000000000000000000.log", () -> admin(broker, admin -> admin.deleteTopic("going").join()));

      DirectoryBackup.Result result = backup(moment);

      assertTrue(moment.isPast());
      assertEquals(List.of(), result.damages());
      requireSound(result.backup());
      assertFalse(Files.exists(result.backup().resolve("going-0")));
      assertEquals(numbered(0, 20), restored(result.backup(), "staying"));
    }
  }

  @Test
  void topicThatIsDeletedAndCreatedAgainMeanwhileIsNotMixedUp() throws Exception {
    try (TestBroker broker = broker(data())) {
      produce(broker, "again", 0, 20);
      Moment moment =
          new Moment(
              "again-0/00000000000000000000.log",
              () -> {
                admin(broker, admin -> admin.deleteTopic("again").join());
                produce(broker, "again", 100, 130);
              });

      DirectoryBackup.Result result = backup(moment);

      assertTrue(moment.isPast());
      requireSound(result.backup());
      assertFalse(Files.exists(result.backup().resolve("again-0")));
    }
  }

  @Test
  void topicThatIsCreatedMeanwhileIsNotInTheCopy() throws Exception {
    try (TestBroker broker = broker(data())) {
      produce(broker, "old", 0, 20);
      Moment moment = new Moment("old-0", () -> produce(broker, "new", 0, 5));

      DirectoryBackup.Result result = backup(moment);

      assertTrue(moment.isPast());
      requireSound(result.backup());
      assertFalse(Files.exists(result.backup().resolve("new-0")));
      assertEquals(numbered(0, 20), restored(result.backup(), "old"));
    }
  }

  /** An offset that is committed while the records are copied can be of a record that is not. */
  @Test
  void noOffsetIsCommittedBeyondTheCopiesEnd() throws Exception {
    try (TestBroker broker = broker(data())) {
      produce(broker, "logs", 0, 20);
      produce(broker, "tail", 0, 1); // one segment, which is copied after those of the other
      Moment moment =
          new Moment(
              "tail-0/00000000000000000000.log",
              () -> {
                produce(broker, "logs", 20, 40);
                commit(broker, "logs", 40);
              });
      commit(broker, "logs", 20);

      DirectoryBackup.Result result = backup(moment);

      assertTrue(moment.isPast());
      Path to = directory.resolve("restored");
      BackupRestore.run(new RealDisk(), result.backup(), to, QUIET);
      try (TestBroker copy = broker(to)) {
        long committed = committed(copy, "logs");
        assertTrue(committed >= 20, "committed " + committed);
        assertEquals(20, values(copy, "logs").size(), "the moment was too early");
        assertTrue(committed <= 20, "committed " + committed);
      }
    }
  }

  private static void commit(TestBroker broker, String topic, long offset) {
    try (org.apache.kafka.clients.admin.Admin admin = kafkaAdmin(broker)) {
      var partition = new org.apache.kafka.common.TopicPartition(topic, 0);
      admin.alterConsumerGroupOffsets("group", Map.of(partition, new OffsetAndMetadata(offset))).all().get();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static long committed(TestBroker broker, String topic) throws Exception {
    try (org.apache.kafka.clients.admin.Admin admin = kafkaAdmin(broker)) {
      return admin
          .listConsumerGroupOffsets("group")
          .partitionsToOffsetAndMetadata()
          .get()
          .get(new org.apache.kafka.common.TopicPartition(topic, 0))
          .offset();
    }
  }

  private static org.apache.kafka.clients.admin.Admin kafkaAdmin(TestBroker broker) {
    return org.apache.kafka.clients.admin.Admin.create(
        Map.of("bootstrap.servers", "127.0.0.1:" + broker.address().getPort(), "enable.metrics.push", false));
  }

  @Test
  void damagedPartitionIsCopiedAsItIsAndNoEarlierBackupGoes() throws Exception {
    try (TestBroker broker = broker(data())) {
      produce(broker, "bad", 0, 40);
      produce(broker, "good", 0, 20);
    }
    backup();
    Path log = data().resolve("bad-0/00000000000000000000.log");
    byte[] bytes = Files.readAllBytes(log);
    bytes[200] ^= 1;
    Files.write(log, bytes);

    DirectoryBackup.Result result = DirectoryBackup.run(new RealDisk(), data(), target(), config, 1, Clock.systemUTC(), QUIET);

    assertEquals(1, result.damages().size());
    assertEquals(log, result.damages().get(0).file());
    assertEquals(2, BackupTarget.backups(new RealDisk(), target()).size());
    assertEquals(-1, Files.mismatch(log, result.backup().resolve("bad-0/00000000000000000000.log")));
    assertEquals(numbered(0, 20), restored(result.backup(), "good"));
  }

  @Test
  void onlySoManyBackupsAreKept() throws Exception {
    try (TestBroker broker = broker(data())) {
      produce(broker, "logs", 0, 20);
      List<Path> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        all.add(backup().backup());
      }
      assertEquals(all.subList(2, 5), BackupTarget.backups(new RealDisk(), target()));
      assertEquals(numbered(0, 20), restored(all.get(2), "logs"));
    }
  }

  @Test
  void directoryWithOtherThingsIsNotTakenForBackups() throws Exception {
    try (TestBroker broker = broker(data())) {
      produce(broker, "logs", 0, 1);
    }
    Files.createDirectories(target());
    Files.writeString(target().resolve("thesis.txt"), "years of work");

    IOException e = assertThrows(IOException.class, this::backup);

    assertTrue(e.getMessage().contains("is not empty"), e.getMessage());
    assertEquals(List.of("thesis.txt"), new RealDisk().list(target()));
  }

  /** Every change that a backup makes fails once, and what it reads here and there: those before it stay, and the next one succeeds. */
  @Test
  void interruptedBackupLeavesTheEarlierOnes() throws Exception {
    MemoryDisk memory = memoryWithData();
    Path first = backupInMemory(memory).backup();
    int changes = interruptEach(memory, first, FaultyDisk.CHANGES, 1);
    int all = interruptEach(memory, first, EnumSet.complementOf(EnumSet.of(FaultyDisk.Operation.LOCK)), 17);
    assertTrue(changes > 100 && all > 20, changes + " and " + all);
    backupInMemory(memory);
    assertTrue(memory.list(TARGET).stream().noneMatch(name -> name.matches(".*\\.(partial|old|gone)")), memory.list(TARGET).toString());
  }

  /** @return how many were interrupted until one was not */
  private static int interruptEach(MemoryDisk memory, Path first, Set<FaultyDisk.Operation> operations, int step)
      throws Exception {
    for (int interrupted = 0; ; interrupted++) {
      FaultyDisk disk = new FaultyDisk(memory);
      disk.failFrom(operations, "", 1 + interrupted * step);
      boolean isComplete = false;
      try {
        backupInMemory(disk);
        isComplete = true;
      } catch (IOException e) {
        assertTrue(e.getMessage().contains("fault injected"), e.toString());
      }
      assertEquals(0, disk.openCount());
      List<Path> backups = BackupTarget.backups(memory, TARGET);
      assertTrue(backups.contains(first), interrupted + ": " + backups);
      if (interrupted % 20 == 0 || backups.size() > 1) {
        for (Path each : backups) {
          requireSound(memory, each);
        }
      }
      for (Path each : backups.subList(1, backups.size())) { // complete, or it was when it failed
        PartitionBackup.discard(memory, each);
      }
      if (isComplete) {
        return interrupted;
      }
    }
  }

  private static final Path TARGET = Path.of("target");

  private static MemoryDisk memoryWithData() throws Exception {
    MemoryDisk memory = new MemoryDisk();
    try (TestBroker broker = TestBroker.start("kaka.log.dir = data, kaka.log.segment-bytes = 1KiB", memory)) {
      produce(broker, "logs", 0, 12);
    }
    return memory;
  }

  private static DirectoryBackup.Result backupInMemory(Disk disk) throws IOException {
    return DirectoryBackup.run(disk, Path.of("data").toAbsolutePath(), TARGET, config, 3, Clock.systemUTC(), QUIET);
  }

  private static void requireSound(Disk disk, Path backup) throws IOException {
    assertEquals(
        List.of(), DirectoryCheck.run(disk, backup, bytes -> {}).findings().stream().filter(Finding::isWrong).toList());
  }

  /** It has a copy of each finished segment that the interrupted one had got whole. */
  @Test
  void nextBackupGoesOnWithWhatAnInterruptedOneHad() throws Exception {
    try (TestBroker broker = broker(data())) {
      produce(broker, "logs", 0, 60);
    }
    FaultyDisk disk = new FaultyDisk(new RealDisk());
    disk.failFrom(EnumSet.of(FaultyDisk.Operation.CREATE), "recovery-point", 2); // the first is the log of topics'
    assertThrows(IOException.class, () -> backup(disk));

    DirectoryBackup.Result result = backup();

    assertTrue(result.counts().linkedSegments() >= 5, result.toString());
    assertEquals(numbered(0, 60), restored(result.backup(), "logs"));
  }

  @Test
  void restoreThatIsInterruptedLeavesNothingThatABrokerWouldOpen() throws Exception {
    MemoryDisk memory = memoryWithData();
    Path backup = backupInMemory(memory).backup();
    Path to = Path.of("restored");
    for (int nth = 1; ; nth++) {
      FaultyDisk disk = new FaultyDisk(memory);
      disk.failFrom(FaultyDisk.CHANGES, "", nth);
      try {
        BackupRestore.run(disk, backup, to, QUIET);
        break;
      } catch (IOException e) {
        if (memory.exists(to)) { // all of it is there: only the last sync failed
          requireSound(memory, to);
          memory.move(to, Path.of("restored-" + nth));
        }
      }
    }
    requireSound(memory, to);
    IOException e = assertThrows(IOException.class, () -> BackupRestore.run(memory, backup, to, QUIET));
    assertTrue(e.getMessage().contains("not an empty directory"), e.getMessage());
  }
}
