package kaka.protocol;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Frames are cut from chunks as a socket brings them; those that cross from one to the next are copied. Per frame. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FrameBenchmark {
  private static final int FRAMES = 1024;
  private static final int CHUNK_BYTES = 128 << 10;

  @Param({"100", "1024", "65536"})
  int valueBytes;

  private byte[] stream;

  @Setup
  public void setUp() {
    RecordBatchBuilder builder = new RecordBatchBuilder(valueBytes);
    builder.append(0, null, new byte[valueBytes], List.of());
    byte[] frame = new ProduceBatch(new TopicPartition("topic", 0), builder.build()).toFrame();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < FRAMES; i++) {
      all.writeBytes(frame);
    }
    stream = all.toByteArray();
  }

  @Benchmark
  @OperationsPerInvocation(FRAMES)
  public long cut() throws ProtocolException {
    FrameCutter cutter = new FrameCutter(64 << 20);
    long bytes = 0;
    for (int from = 0; from < stream.length; from += CHUNK_BYTES) {
      cutter.feed(stream, from, Math.min(stream.length, from + CHUNK_BYTES));
      while (cutter.next()) {
        bytes += cutter.bodyTo() - cutter.bodyFrom();
      }
    }
    return bytes;
  }

  @Benchmark
  @OperationsPerInvocation(FRAMES)
  public long cutAndDecode() throws ProtocolException {
    FrameCutter cutter = new FrameCutter(64 << 20);
    long sum = 0;
    for (int from = 0; from < stream.length; from += CHUNK_BYTES) {
      cutter.feed(stream, from, Math.min(stream.length, from + CHUNK_BYTES));
      while (cutter.next()) {
        sum += Requests.decode(cutter.type(), cutter.array(), cutter.bodyFrom(), cutter.bodyTo(), 0).type();
      }
    }
    return sum;
  }
}
