package kaka.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import kaka.config.KakaConfig;
import kaka.log.Disk;
import kaka.log.DiskFile;
import kaka.log.ForwardingDisk;
import kaka.log.MemoryDisk;
import kaka.protocol.CreateTopic;
import kaka.protocol.CreateTopicReply;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.record.BatchHeader;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.Test;

/** After a clean stop a start reads one header of each newest segment, and little of the others, however much is stored; {@code ops/checks/start.sh} does it with 20 GiB. */
class StartCostTest {
  private static final int PARTITIONS = 100;
  private static final int SEALED = 3;
  private static final int SEGMENT_BYTES = 64 * 1024;

  /** Under 1 % of a segment of usual size, 128 MiB, and a fraction of one here. */
  private static final long MAX_READ_OF_SEALED = 30 * 1024;

  /** Counts the bytes that are read, by file. */
  private static final class CountingDisk extends ForwardingDisk {
    final Map<Path, Long> readBytes = new ConcurrentHashMap<>();

    CountingDisk(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile openForReading(Path file) throws IOException {
      return new CountingFile(file, super.openForReading(file));
    }

    @Override
    public DiskFile openForWriting(Path file) throws IOException {
      return new CountingFile(file, super.openForWriting(file));
    }

    @Override
    public DiskFile create(Path file) throws IOException {
      return new CountingFile(file, super.create(file));
    }

    private final class CountingFile extends ForwardingFile {
      private final Path path;

      CountingFile(Path path, DiskFile file) {
        super(file);
        this.path = path;
      }

      @Override
      public int read(ByteBuffer target, long position) throws IOException {
        int count = super.read(target, position);
        readBytes.merge(path, (long) count, Long::sum);
        return count;
      }
    }
  }

  @Test
  void aStartReadsLittleOfSealedSegmentsAndOneHeaderOfEachNewest() throws Exception {
    CountingDisk disk = new CountingDisk(new MemoryDisk());
    String hocon = "kaka.admin.port = off, kaka.listen.port = 0, kaka.log.dir = \"data\", kaka.log.segment-bytes = " + SEGMENT_BYTES;
    fill(Broker.start(KakaConfig.parse(hocon), disk));
    disk.readBytes.clear();

    Broker again = Broker.start(KakaConfig.parse(hocon), disk);

    Map<Path, Long> read = Map.copyOf(disk.readBytes);
    assertEquals(PARTITIONS, again.report().partitionCount());
    assertEquals(List.of(), again.report().failed());
    again.stop().toCompletableFuture().join();
    for (int p = 0; p < PARTITIONS; p++) {
      Path directory = Path.of("data").toAbsolutePath().resolve("stored-" + p);
      List<String> logs = disk.list(directory).stream().filter(name -> name.endsWith(".log")).toList();
      assertEquals(SEALED + 1, logs.size());
      for (String log : logs.subList(0, SEALED)) {
        long bytes = 0;
        for (String suffix : List.of(".log", ".index", ".timeindex")) {
          bytes += read.getOrDefault(directory.resolve(log.replace(".log", suffix)), 0L);
        }
        assertTrue(bytes > 0 && bytes < MAX_READ_OF_SEALED, bytes + " bytes of " + directory.resolve(log));
      }
      assertEquals(BatchHeader.SIZE, read.getOrDefault(directory.resolve(logs.get(SEALED)), 0L).longValue());
    }
  }

  private static void fill(Broker broker) throws Exception {
    try (RawConnection connection = new RawConnection(broker.address())) {
      Object created = connection.ask(new CreateTopic("stored", PARTITIONS, Map.of()));
      assertInstanceOf(CreateTopicReply.class, created);
      RecordBatch batch = batch();
      int perSegment = SEGMENT_BYTES / batch.sizeBytes();
      for (int p = 0; p < PARTITIONS; p++) {
        for (int i = 0; i < perSegment * SEALED + 1; i++) {
          assertInstanceOf(ProduceAck.class, connection.ask(new Produce(new TopicPartition("stored", p), batch)));
        }
      }
    }
    broker.stop().toCompletableFuture().join();
  }

  private static RecordBatch batch() {
    RecordBatchBuilder builder = new RecordBatchBuilder(9000);
    builder.append(System.currentTimeMillis(), null, new byte[8000], List.of());
    return builder.build();
  }
}
