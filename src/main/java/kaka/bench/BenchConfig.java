package kaka.bench;

import java.util.Optional;
import kaka.client.ClientConfig;

/**
 * One run of one load.
 *
 * @param topic to use, created if it is not there, and left; empty: one of its own, deleted afterwards
 * @param isKept whether the topic of its own is left, too
 * @param partitions of a topic that is created
 * @param threads that drive the producing connections, and as many the reading ones
 * @param isVerified whether all that was acknowledged is read back and compared
 */
public record BenchConfig(
    ClientConfig broker,
    Load load,
    Optional<String> topic,
    boolean isKept,
    int partitions,
    int threads,
    boolean isVerified,
    Traffic traffic,
    Span span) {
  private static final int MAX_THREADS = 64;

  public BenchConfig {
    if (partitions < 1) {
      throw new IllegalArgumentException("partitions " + partitions + ": at least 1");
    }
    if (threads < 1 || threads > MAX_THREADS) {
      throw new IllegalArgumentException("threads " + threads + ": 1 to " + MAX_THREADS);
    }
    long most = Runtime.getRuntime().maxMemory() / 2;
    if (traffic.bufferBytes(load) > most) {
      throw new IllegalArgumentException(
          "the buffers of all connections would take " + (traffic.bufferBytes(load) >> 20) + " MiB, and half of the heap is "
              + (most >> 20) + " MiB: fewer connections, smaller requests or fetches, or a larger heap (-Xmx; by ops/kaka KAKA_OPTS=-Xmx2g)");
    }
    if (load == Load.END_TO_END && traffic.recordsPerSecond() == 0) {
      throw new IllegalArgumentException("rate 0: end-to-end needs one, else it measures how long its own queue is");
    }
  }
}
