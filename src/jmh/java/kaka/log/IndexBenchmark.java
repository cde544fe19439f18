package kaka.log;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The index of a full segment, 128 MiB with an entry every 4 KiB: added to, and asked for an offset anywhere. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class IndexBenchmark {
  private static final int BATCHES = 32 << 10;
  private static final int BATCH_BYTES = 4100;

  private final SplittableRandom random = new SplittableRandom(1);
  private OffsetIndex.Entries entries;
  private SegmentIndex growing;
  private int added;

  @Setup
  public void setUp() {
    SegmentIndex full = new SegmentIndex(0, 4096);
    for (int i = 0; i < BATCHES; i++) {
      full.add(i * 40L + 39, i * BATCH_BYTES, BATCH_BYTES, i);
    }
    entries = full.offsets();
  }

  @Benchmark
  public int floor() {
    return entries.floor(random.nextInt(BATCHES * 40));
  }

  @Benchmark
  public void add() {
    if (added++ % BATCHES == 0) {
      growing = new SegmentIndex(0, 4096);
    }
    int i = (added - 1) % BATCHES;
    growing.add(i, i * BATCH_BYTES, BATCH_BYTES, i);
  }
}
