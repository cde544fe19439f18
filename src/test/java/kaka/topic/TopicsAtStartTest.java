package kaka.topic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import kaka.log.CompactionConfig;
import kaka.log.DescriptorBudget;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import kaka.log.PartitionImport;
import kaka.log.PartitionLog;
import kaka.partition.CompactionShare;
import kaka.partition.PartitionSettings;
import kaka.record.RecordBatchBuilder;
import org.junit.jupiter.api.Test;

/** What the registry finds when it starts, before any partition is opened. */
class TopicsAtStartTest {
  private static final Path DATA = Path.of("data");
  private static final LogConfig LOG =
      new LogConfig(1 << 20, Duration.ofDays(1), 4096, Duration.ZERO, -1, Duration.ZERO, 0);

  private final MemoryDisk disk = new MemoryDisk();

  /** The log says that the copy is the partition's, and a crash came before it was put there. */
  @Test
  void anImportThatWasCutShortIsFinished() throws IOException {
    Topic topic = new Topic("orders", UUID.randomUUID(), 1, new TopicSettings(Map.of()));
    UUID importId = UUID.randomUUID();
    Path copy = PartitionImport.directory(DATA, importId);
    disk.createDirectory(DATA);
    try (TopicLog log = TopicLog.open(disk, DATA, LOG, Clock.systemUTC())) {
      log.append(new TopicEvent.Created(topic), new TopicEvent.Imported(topic.id(), 0, importId));
    }
    try (PartitionLog imported = PartitionLog.create(disk, copy, topic.id(), LOG, Clock.systemUTC())) {
      imported.append(new RecordBatchBuilder(64).append(1, null, new byte[] {1}, List.of()).build());
    }

    TopicsAtStart start = TopicsAtStart.read(storage());

    assertEquals(List.of(topic), start.topics());
    assertEquals(0, start.completedCount(topic));
    assertFalse(disk.exists(copy));
    try (PartitionLog log = PartitionLog.open(disk, DATA.resolve("orders-0"), topic.id(), LOG, Clock.systemUTC())) {
      assertEquals(1, log.logEndOffset());
    }
    start.journal().close();
  }

  private TopicStorage storage() {
    return new TopicStorage(
        disk,
        DATA,
        LOG,
        new PartitionSettings(
            Duration.ZERO, Duration.ofDays(1), new CompactionShare(new CompactionConfig(1, 1 << 20, 0))),
        Clock.systemUTC(),
        new DescriptorBudget(1000));
  }
}
