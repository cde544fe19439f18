package kaka.topic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import kaka.config.KakaConfig;
import kaka.log.FaultyDisk;
import kaka.log.KafkaPartition;
import kaka.log.KafkaPartitions;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import kaka.log.PartitionImport;
import kaka.log.PartitionLog;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A log of topics made anew while a partition that was imported is not in its place yet. */
class TopicsRebuildTest {
  private static final Path DATA = Path.of("data");
  private static final Path SOURCE = Path.of("kafka");
  private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
  private static final Clock CLOCK = Clock.systemUTC();

  private final MemoryDisk disk = new MemoryDisk();
  private LogConfig config;

  @BeforeEach
  void source() throws Exception {
    config = KakaConfig.parse("").log();
    disk.createDirectory(DATA);
    KafkaPartitions.copy("snappy-0", disk, SOURCE);
  }

  /** The log of topics says that the copy is wanted; then the disk does not take its rename. */
  private void importAndStop() throws IOException {
    FaultyDisk faulty = new FaultyDisk(disk);
    faulty.failNext(FaultyDisk.Operation.MOVE, ".import");
    KafkaPartition source = KafkaPartition.open(faulty, SOURCE);
    assertThrows(
        IOException.class, () -> new TopicImport(faulty, DATA, config, CLOCK).run(source, ORDERS, Map.of("retention.ms", "-1"), bytes -> {}));
    assertTrue(disk.list(DATA).stream().anyMatch(PartitionImport::isDirectory));
    assertFalse(disk.exists(DATA.resolve(ORDERS.toString())));
  }

  private KnownTopics known() throws IOException {
    try (TopicLog log = TopicLog.open(disk, DATA, config, CLOCK)) {
      return KnownTopics.of(log.events());
    }
  }

  @Test
  void pendingImportIsKept() throws Exception {
    importAndStop();
    UUID id = known().topics().iterator().next().id();

    TopicsRebuild.Plan plan = TopicsRebuild.plan(disk, DATA);
    TopicsRebuild.run(disk, DATA, config, CLOCK);

    assertEquals(List.of(), plan.doubts());
    assertEquals(2, plan.topics().size(), plan.topics().toString());
    assertTrue(plan.topics().get(0).startsWith("orders: 1 partition, id " + id));
    assertEquals("orders-0: imported; the next start puts it into its place", plan.topics().get(1));
    KnownTopics known = known();
    assertEquals(List.of(id), known.topics().stream().map(Topic::id).toList());
    TopicImport.finish(disk, DATA, known);
    try (PartitionLog log = PartitionLog.open(disk, DATA.resolve(ORDERS.toString()), id, config, CLOCK)) {
      KafkaPartitions.assertSame(KafkaPartitions.ofCodec(), new ArrayList<>(KafkaPartitions.records(log.snapshot()).values()));
    }
    assertFalse(disk.list(DATA).stream().anyMatch(PartitionImport::isDirectory));
    assertEquals(1, TopicsRebuild.plan(disk, DATA).topics().size(), "it is no longer pending");
  }

  /** Of a topic that was deleted since, and of which no event is left: nobody's. */
  @Test
  void importThatNobodyWantsIsADoubt() throws Exception {
    importAndStop();
    Topic topic = known().topics().iterator().next();
    try (TopicLog log = TopicLog.open(disk, DATA, config, CLOCK)) {
      log.append(new TopicEvent.Deleted(topic.id()));
    }

    TopicsRebuild.Plan plan = TopicsRebuild.plan(disk, DATA);
    TopicsRebuild.run(disk, DATA, config, CLOCK);

    assertEquals(List.of(), plan.topics());
    assertEquals(1, plan.doubts().size(), plan.doubts().toString());
    assertTrue(plan.doubts().get(0).contains("left by an import"), plan.doubts().toString());
    assertEquals(List.of(), known().imports());
    assertTrue(disk.list(DATA).stream().anyMatch(PartitionImport::isDirectory), "nothing is deleted");
  }
}
