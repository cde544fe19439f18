package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One partition's log, in memory and on the disk of the working directory: commits of so many batches of one 100-byte record each,
 * written, and on the disk with a sync as every ack needs it or without; and reads of 64 KiB from anywhere.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LogBenchmark {
  private static final UUID TOPIC = new UUID(7, 1);
  private static final int STORED_BATCHES = 200_000;
  private static final int READ_BYTES = 64 << 10;

  @Param({"memory", "disk"})
  String on;

  @Param({"1", "64"})
  int batches;

  private final SplittableRandom random = new SplittableRandom(1);
  private final ByteBuffer target = ByteBuffer.allocate(READ_BYTES);
  private Path directory;
  private PartitionLog log;
  private RecordBatch batch;
  private LogSnapshot stored;

  @Setup(Level.Iteration)
  public void setUp() throws IOException {
    RecordBatchBuilder builder = new RecordBatchBuilder(200);
    builder.append(1_796_000_000_000L, null, new byte[100], List.of());
    batch = builder.build();
    directory = on.equals("disk") ? Files.createTempDirectory(Path.of("target"), "log-benchmark") : Path.of("");
    Disk disk = on.equals("disk") ? new RealDisk() : new MemoryDisk();
    LogConfig config = new LogConfig(32 << 20, Duration.ofDays(7), 4096, Duration.ZERO, 64 << 20, Duration.ZERO, 0);
    log = PartitionLog.create(disk, directory.resolve("topic-0"), TOPIC, config, Clock.systemUTC());
    for (int i = 0; i < STORED_BATCHES; i++) {
      log.append(batch);
    }
    log.flush();
    stored = log.snapshot();
  }

  @TearDown(Level.Iteration)
  public void tearDown() throws IOException {
    log.close();
    if (on.equals("disk")) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  @Benchmark
  public void commit() throws IOException {
    for (int i = 0; i < batches; i++) {
      log.append(batch);
    }
    log.flush();
    log.deleteExpiredSegments();
  }

  @Benchmark
  public void write() throws IOException {
    for (int i = 0; i < batches; i++) {
      log.append(batch);
    }
    log.write();
    log.deleteExpiredSegments();
  }

  @Benchmark
  public int read() throws IOException {
    target.clear();
    try (LogReader reader = stored.reader(random.nextInt(STORED_BATCHES - 1000))) {
      return reader.read(target, 0);
    }
  }
}
