package kaka.checks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import kaka.log.LogConfig;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionLog;
import kaka.log.RealDisk;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;

/**
 * Fills the partitions of a topic, for {@code ops/checks/start.sh}: the first through the product's own log, the others are copies of
 * it, which no partition can tell from its own.
 *
 * <pre>DATA_DIRECTORY TOPIC PARTITIONS SEALED_SEGMENTS   one or two sealed segments of 128 MiB for each partition, so many in all</pre>
 */
final class StoredData {
  private static final LogConfig CONFIG =
      new LogConfig(128 << 20, Duration.ofDays(7), 4096, Duration.ZERO, -1, Duration.ZERO, 0);

  private StoredData() {}

  public static void main(String[] args) throws IOException {
    Path data = Path.of(args[0]);
    int partitionCount = Integer.parseInt(args[2]);
    int sealedCount = Integer.parseInt(args[3]);
    if (sealedCount < partitionCount || sealedCount > 2 * partitionCount) {
      throw new IllegalArgumentException("one or two sealed segments for each partition, not " + sealedCount);
    }
    int withTwo = sealedCount - partitionCount;
    Path first = data.resolve(args[1] + "-0");
    addSealed(first);
    for (int p = Math.max(withTwo, 1); p < partitionCount; p++) {
      copy(first, data.resolve(args[1] + "-" + p));
    }
    if (withTwo > 0) {
      addSealed(first);
      for (int p = 1; p < withTwo; p++) {
        copy(first, data.resolve(args[1] + "-" + p));
      }
    }
  }

  /** Appends until one more segment is sealed; the newest has one batch then. */
  private static void addSealed(Path directory) throws IOException {
    RealDisk disk = new RealDisk();
    UUID topicId = PartitionDirectory.topicIdOf(disk, directory);
    Random random = new Random(1);
    try (PartitionLog log = PartitionLog.open(disk, directory, topicId, CONFIG, Clock.systemUTC())) {
      for (long before = indexCount(directory); indexCount(directory) == before; ) {
        log.append(batch(random));
        log.write();
      }
    }
  }

  private static long indexCount(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".index")).count();
    }
  }

  private static RecordBatch batch(Random random) {
    RecordBatchBuilder builder = new RecordBatchBuilder(128 * 1024);
    for (int i = 0; i < 100; i++) {
      byte[] value = new byte[1000];
      random.nextBytes(value);
      builder.append(System.currentTimeMillis(), null, value, List.of());
    }
    return builder.build();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }
}
