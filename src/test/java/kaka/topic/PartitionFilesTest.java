package kaka.topic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import kaka.log.DiskFile;
import kaka.log.FaultyDisk;
import kaka.log.FaultyDisk.Operation;
import kaka.log.LogConfig;
import kaka.log.MemoryDisk;
import kaka.log.PartitionDirectory;
import kaka.record.TopicPartition;
import org.junit.jupiter.api.Test;

/** Directories of deleted topics go, whatever is wrong with others of them. */
class PartitionFilesTest {
  private static final LogConfig CONFIG =
      new LogConfig(1024, Duration.ofDays(1), 100, Duration.ZERO, -1, Duration.ZERO, 0);

  private final FaultyDisk disk = new FaultyDisk(new MemoryDisk());
  private final Path data = Path.of("data");
  private final PartitionFiles files = new PartitionFiles(disk, data, Clock.systemUTC(), Runnable::run);

  PartitionFilesTest() throws IOException {
    disk.createDirectory(data);
  }

  private void create(String topic, int partition, UUID topicId) throws IOException {
    files.open(new TopicPartition(topic, partition), topicId, CONFIG, false).close();
  }

  @Test
  void oneBadDirectoryDoesNotKeepTheOthers() throws IOException {
    List<Topic> deleted = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      Topic topic = new Topic(name, UUID.randomUUID(), 2, TopicSettings.NONE);
      deleted.add(topic);
      create(name, 0, topic.id());
      create(name, 1, topic.id());
    }
    UUID living = UUID.randomUUID();
    create("c", 7, living);
    try (DiskFile metadata = disk.openForWriting(data.resolve("a-0").resolve("partition.metadata"))) {
      metadata.write(ByteBuffer.wrap(new byte[] {0}), 0);
    }
    disk.failFrom(Set.of(Operation.MOVE), "b-0", 1);

    files.finishDeletions(deleted);

    assertEquals(List.of("a-0", "b-0", "c-7"), disk.list(data));
    disk.heal();
    files.finishDeletions(deleted);
    assertEquals(List.of("a-0", "c-7"), disk.list(data), "what is nobody's for sure stays");
  }

  /** The registry's log tells of every topic that ever was. */
  @Test
  void aStartLooksOnlyAtDirectoriesThatAreThere() throws IOException {
    List<Topic> deleted = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      deleted.add(new Topic("gone-" + i, UUID.randomUUID(), 100, TopicSettings.NONE));
    }
    create("orders", 0, UUID.randomUUID());
    disk.resetCounts();

    files.finishDeletions(deleted);

    assertEquals(List.of("LIST data"), disk.calls());
  }

  @Test
  void aNewTopicGetsTheDirectoryThatAFailedRemovalLeft() throws IOException {
    TopicPartition id = new TopicPartition("orders", 0);
    UUID first = UUID.randomUUID();
    UUID second = UUID.randomUUID();
    create("orders", 0, first);
    disk.failNext(Operation.MOVE, "orders-0");
    assertThrows(IOException.class, () -> files.remove(id, first));

    files.open(id, second, CONFIG, false).close();

    assertTrue(PartitionDirectory.isOf(disk, data.resolve("orders-0"), second));
    assertFalse(PartitionDirectory.isOf(disk, data.resolve("orders-0"), first));
  }
}
