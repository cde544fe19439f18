package kaka.record;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One batch: built, read, and checked as a broker checks what comes from outside. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BatchBenchmark {
  @Param({"1", "100"})
  int records;

  @Param({"100", "1024"})
  int recordBytes;

  private byte[] value;
  private RecordBatch batch;

  @Setup
  public void setUp() {
    value = new byte[recordBytes];
    new Random(1).nextBytes(value);
    batch = encode();
  }

  @Benchmark
  public RecordBatch encode() {
    RecordBatchBuilder builder = new RecordBatchBuilder(records * (recordBytes + 16));
    for (int i = 0; i < records; i++) {
      builder.append(1_796_000_000_000L, null, 0, -1, value, 0, recordBytes);
    }
    return builder.build();
  }

  @Benchmark
  public long decode() throws InvalidBatchException {
    long sum = 0;
    try (RecordCursor cursor = batch.cursor()) {
      while (cursor.next()) {
        sum += cursor.valueSize();
      }
    }
    return sum;
  }

  @Benchmark
  public void validate() throws InvalidBatchException {
    batch.validate();
  }
}
