package kaka.topic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;
import kaka.config.KakaConfig;
import kaka.log.CrashingDisk;
import kaka.log.CrashingDisk.Unsynced;
import kaka.log.Disk;
import kaka.log.FaultyDisk;
import kaka.log.KafkaPartition;
import kaka.log.KafkaPartitions;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionImport;
import kaka.log.PartitionLog;
import kaka.record.Codec;
import kaka.record.Record;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories that Apache Kafka wrote, taken in. */
class TopicImportTest {
  private static final Path DATA = Path.of("data");
  private static final Path SOURCE = Path.of("kafka");
  private static final TopicPartition ORDERS = new TopicPartition("orders", 1);
  private static final Clock CLOCK = Clock.systemUTC();
  private static final LogConfig CONFIG = config();

  private final MemoryDisk disk = new MemoryDisk();

  private static LogConfig config() {
    try {
      return KakaConfig.parse("").log();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static PartitionImport.Contents run(Disk disk, TopicPartition id) throws IOException {
    KafkaPartition source = KafkaPartition.open(disk, SOURCE);
    return new TopicImport(disk, DATA, CONFIG, CLOCK).run(source, id, Map.of(), bytes -> {});
  }

  private void source(String name) throws IOException {
    disk.createDirectory(DATA);
    KafkaPartitions.copy(name, disk, SOURCE);
  }

  private static KnownTopics known(Disk disk) throws IOException {
    try (TopicLog log = TopicLog.open(disk, DATA, CONFIG, CLOCK)) {
      return KnownTopics.of(log.events());
    }
  }

  private static Topic topic(Disk disk, String name) throws IOException {
    return known(disk).topics().stream().filter(topic -> topic.name().equals(name)).findAny().orElseThrow();
  }

  private static PartitionLog open(Disk disk, TopicPartition id) throws IOException {
    return PartitionLog.open(disk, DATA.resolve(id.toString()), topic(disk, id.topic()).id(), CONFIG, CLOCK);
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void everyRecordIsThereWithItsOffsetWhateverTheCodec(Codec codec) throws Exception {
    source(codec + "-0");

    PartitionImport.Contents contents = run(disk, ORDERS);

    assertEquals(List.of(0L, 80L, 80L, 0L), List.of(contents.startOffset(), contents.endOffset(), contents.recordCount(), contents.missingCount()));
    assertEquals(Set.of(codec), contents.codecs());
    assertEquals(2, topic(disk, "orders").partitionCount());
    assertEquals(FoundTopics.KEEP_EVERYTHING, topic(disk, "orders").settings().values());
    try (PartitionLog log = open(disk, ORDERS)) {
      KafkaPartitions.assertSame(KafkaPartitions.ofCodec(), new ArrayList<>(KafkaPartitions.records(log.snapshot()).values()));
      assertTrue(log.snapshot().segmentCount() >= 2);
      assertEquals(OptionalLong.of(47), log.snapshot().offsetForTime(1_700_001_000_007L));
      assertEquals(80, log.append(new RecordBatchBuilder(16).append(0, null, null, List.of()).build()));
      log.flush();
    }
    assertEquals(0, DirectoryCheck.run(disk, DATA, bytes -> {}).findings().stream()
        .filter(finding -> finding.isWrong() && !finding.file().endsWith("orders-0")).count());
  }

  @Test
  void markersAreNoRecordsAndAbortedRecordsAreCounted() throws Exception {
    source("txn-0");

    PartitionImport.Contents contents = run(disk, ORDERS);

    assertEquals(List.of(60L, 12L, 4L, 0L), List.of(contents.recordCount(), contents.markerCount(), contents.abortedCount(), contents.openCount()));
    try (PartitionLog log = open(disk, ORDERS)) {
      KafkaPartitions.assertSame(KafkaPartitions.ofTxn(), new ArrayList<>(KafkaPartitions.records(log.snapshot()).values()));
      assertEquals(72, log.snapshot().highWatermark());
    }
  }

  /** Compaction left gaps; our logs have none, so empty batches stand there, and every check of ours is content. */
  @Test
  void gapsOfACompactedTopicAreFilled() throws Exception {
    source("compact-0");

    PartitionImport.Contents contents = run(disk, ORDERS);

    assertTrue(contents.missingCount() > 0);
    try (PartitionLog log = open(disk, ORDERS)) {
      TreeMap<Long, Record> records = KafkaPartitions.records(log.snapshot());
      KafkaPartitions.assertCompacted(records);
      assertEquals(contents.recordCount(), records.size());
      assertEquals(80, log.snapshot().highWatermark());
    }
  }

  @Test
  void theLogStartsWhereTheFirstSegmentDoes() throws Exception {
    source("none-0");
    disk.delete(SOURCE.resolve("00000000000000000000.log"));

    run(disk, ORDERS);

    try (PartitionLog log = open(disk, ORDERS)) {
      assertEquals(21, log.snapshot().logStartOffset());
      KafkaPartitions.assertSame(
          KafkaPartitions.ofCodec().subList(21, 80), new ArrayList<>(KafkaPartitions.records(log.snapshot()).values()));
    }
  }

  @Test
  void nothingOfTheSourceChanges() throws Exception {
    source("zstd-0");
    Map<String, byte[]> before = new HashMap<>();
    for (String name : disk.list(SOURCE)) {
      before.put(name, KafkaPartitions.read(disk, SOURCE.resolve(name)));
    }

    run(disk, ORDERS);

    assertEquals(before.keySet(), Set.copyOf(disk.list(SOURCE)));
    for (String name : disk.list(SOURCE)) {
      assertArrayEquals(before.get(name), KafkaPartitions.read(disk, SOURCE.resolve(name)), name);
    }
  }

  // ---------------------------------------------------------------- what is refused

  private static final String LOG = "00000000000000000021.log";

  private void assertRefused(String what) {
    IOException refused = assertThrows(IOException.class, () -> run(disk, ORDERS));
    assertTrue(refused.getMessage().contains(what), refused.getMessage());
    try {
      assertEquals(List.of(), List.copyOf(known(disk).topics()));
      assertFalse(disk.isDirectory(DATA.resolve(ORDERS.toString())));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private byte[] changed(int at, int value) throws IOException {
    byte[] bytes = KafkaPartitions.read(disk, SOURCE.resolve(LOG));
    bytes[at] = (byte) value;
    return bytes;
  }

  @Test
  void whatIsNotAsKafkaLeavesItIsRefusedWithFileAndPosition() throws Exception {
    source("none-0");
    byte[] good = KafkaPartitions.read(disk, SOURCE.resolve(LOG));

    for (int magic = 0; magic < 2; magic++) {
      KafkaPartitions.write(disk, SOURCE.resolve(LOG), changed(16, magic));
      assertRefused(LOG + " at byte 0: message format " + magic);
    }
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), good);
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), changed(good.length - 1, 77));
    assertRefused("CRC32C does not fit");
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), good);
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), changed(7, 3)); // its base offset, which no CRC covers
    assertRefused("21 is the least that may follow");
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), good);
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), changed(6, 3));
    assertRefused("but the next segment starts at 40");
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), good);
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), changed(8, 0x40)); // its length
    assertRefused("cut short");
    byte[] cut = Arrays.copyOf(good, good.length - 3);
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), cut);
    assertRefused("torn end. Start Kafka once");
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), Arrays.copyOf(good, good.length + 200));
    assertRefused("zeros instead of a batch");
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), good);
    KafkaPartitions.write(disk, SOURCE.resolve(LOG + ".swap"), new byte[1]);
    assertRefused("a compaction was cut short");
    disk.delete(SOURCE.resolve(LOG + ".swap"));

    run(disk, ORDERS); // with all of it as it was
    assertFalse(disk.list(DATA).stream().anyMatch(PartitionImport::isDirectory), "what was cut short is gone");
  }

  /** The CRC fits, the record does not. */
  @Test
  void aRecordThatIsNoneIsRefused() throws Exception {
    source("none-0");
    byte[] bytes = KafkaPartitions.read(disk, SOURCE.resolve(LOG));
    int batchBytes = ByteBuffer.wrap(bytes).getInt(8) + 12;
    bytes[61] = 4; // the first record's size
    CRC32C crc = new CRC32C();
    crc.update(bytes, 21, batchBytes - 21);
    ByteBuffer.wrap(bytes).putInt(17, (int) crc.getValue());
    KafkaPartitions.write(disk, SOURCE.resolve(LOG), bytes);

    assertRefused(LOG + " at byte 0");
  }

  @Test
  void filesThatKafkaGaveUpArePassedOver() throws Exception {
    source("none-0");
    KafkaPartitions.write(disk, SOURCE.resolve("00000000000000000000.log.deleted"), new byte[5]);
    KafkaPartitions.write(disk, SOURCE.resolve("00000000000000000007.log.cleaned"), new byte[5]);
    KafkaPartitions.write(disk, SOURCE.resolve("notes"), new byte[5]);

    assertEquals(List.of("notes"), KafkaPartition.open(disk, SOURCE).unknown());
    assertEquals(80, run(disk, ORDERS).recordCount());
  }

  @Test
  void aDirectoryThatGrowsMeanwhileIsRefused() throws Exception {
    source("none-0");
    KafkaPartition source = KafkaPartition.open(disk, SOURCE);
    boolean[] grown = {false};

    IOException refused =
        assertThrows(
            IOException.class,
            () ->
                new TopicImport(disk, DATA, CONFIG, CLOCK)
                    .run(
                        source,
                        ORDERS,
                        Map.of(),
                        bytes -> {
                          if (!grown[0]) {
                            grown[0] = true;
                            grow();
                          }
                        }));

    assertTrue(refused.getMessage().contains("stop Kafka first"), refused.getMessage());
  }

  private void grow() {
    try {
      Path last = SOURCE.resolve("00000000000000000061.log");
      byte[] bytes = KafkaPartitions.read(disk, last);
      KafkaPartitions.write(disk, last, Arrays.copyOf(bytes, bytes.length + 1));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"__offsets", "a/b", ""})
  void namesThatNoTopicCanHaveAreRefused(String name) throws Exception {
    source("none-0");
    assertThrows(IllegalArgumentException.class, () -> run(disk, new TopicPartition(name, 0)));
  }

  @Test
  void aPartitionWithRecordsIsRefusedAndKept() throws Exception {
    source("none-0");
    run(disk, ORDERS);

    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> run(disk, ORDERS));
    assertTrue(refused.getMessage().contains("has records"), refused.getMessage());
    assertThrows(IllegalArgumentException.class, () -> run(disk, new TopicPartition("orders", 2)));
    try (PartitionLog log = open(disk, ORDERS)) {
      assertEquals(80, KafkaPartitions.records(log.snapshot()).size());
    }
    run(disk, new TopicPartition("orders", 0));
    try (PartitionLog log = open(disk, new TopicPartition("orders", 0))) {
      assertEquals(80, KafkaPartitions.records(log.snapshot()).size());
    }
  }

  @Test
  void aFullDiskIsToldBeforeAnythingIsWritten() throws Exception {
    source("none-0");
    FaultyDisk faulty = new FaultyDisk(disk);
    faulty.setUsableBytes(CONFIG.minFreeBytes() + 100);

    IOException refused = assertThrows(IOException.class, () -> run(faulty, ORDERS));

    assertTrue(refused.getMessage().contains("not enough room"), refused.getMessage());
    assertEquals(List.of(), List.copyOf(known(disk).topics()));
  }

  // ---------------------------------------------------------------- crashes

  /** The disk dies at every change, and the power goes: what is found then is no partition, an empty one, or all of it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCrashAnywhereLeavesNothingOrAll(boolean topicExists) throws Exception {
    for (Unsynced unsynced : Unsynced.values()) {
      boolean completed = false;
      for (int nth = 1; !completed; nth++) {
        CrashingDisk crashing = crashingDisk(topicExists);
        FaultyDisk faulty = new FaultyDisk(crashing);
        faulty.failFrom(FaultyDisk.CHANGES, "", nth);
        boolean done = false;
        try {
          run(faulty, ORDERS);
          done = true;
        } catch (IOException e) {
          assertTrue(faulty.failureCount() > 0, e.toString());
        }
        completed = faulty.failureCount() == 0;
        String when = "change " + nth + ", unsynced " + unsynced;

        CrashingDisk after = crashing.afterPowerCut(unsynced, new Random(nth));

        boolean isThere = restart(after);
        assertTrue(isThere || !done, "it was done, " + when);
        if (!isThere) {
          run(after, ORDERS);
          assertTrue(restart(after), "again, " + when);
        }
        assertFalse(after.list(DATA).stream().anyMatch(PartitionImport::isDirectory), when);
      }
    }
  }

  private static CrashingDisk crashingDisk(boolean topicExists) throws IOException {
    CrashingDisk disk = new CrashingDisk();
    disk.createDirectory(DATA);
    disk.syncDirectory(Path.of(""));
    KafkaPartitions.copy("snappy-0", disk, SOURCE);
    Topic topic = new Topic("orders", new UUID(3, 4), 2, TopicSettings.NONE);
    try (TopicLog log = TopicLog.open(disk, DATA, CONFIG, CLOCK)) {
      if (topicExists) {
        log.append(new TopicEvent.Created(topic));
        for (int partition = 0; partition < 2; partition++) {
          PartitionLog.create(disk, DATA.resolve("orders-" + partition), topic.id(), CONFIG, CLOCK).close();
        }
        log.append(new TopicEvent.Completed(topic.id()));
      }
    }
    return disk;
  }

  /** What a start does. @return whether the partition has its records; if not it has none */
  private static boolean restart(Disk disk) throws IOException {
    KnownTopics known = known(disk);
    TopicImport.finish(disk, DATA, known);
    Optional<Topic> topic = known.topics().stream().findAny();
    for (String name : disk.list(DATA)) {
      PartitionDirectory.finishDeletion(disk, DATA.resolve(name));
    }
    Path partition = DATA.resolve(ORDERS.toString());
    if (topic.isEmpty()) {
      assertFalse(disk.isDirectory(partition));
      return false;
    }
    assertTrue(disk.isDirectory(partition), "the topic says that it is there");
    try (PartitionLog log = PartitionLog.open(disk, partition, topic.get().id(), CONFIG, CLOCK)) {
      List<Record> records = new ArrayList<>(KafkaPartitions.records(log.snapshot()).values());
      if (!records.isEmpty()) {
        KafkaPartitions.assertSame(KafkaPartitions.ofCodec(), records);
        assertEquals(80, log.snapshot().highWatermark());
      }
      return !records.isEmpty();
    }
  }
}
