package kaka.client;

import java.time.Duration;

/**
 * How a {@link Consumer} fetches.
 *
 * @param fetchBytes asked for with one fetch, at least 1 KiB; a single larger batch comes whole
 * @param prefetchBytes bound on what is fetched ahead of {@code poll}, over all partitions, at least {@code fetchBytes};
 *     a single larger batch may exceed it
 * @param maxWait how long a fetch at the end waits at the broker for a record, at least 1 ms; it is asked again then
 */
public record ConsumerConfig(int fetchBytes, long prefetchBytes, Duration maxWait) {
  private static final int MIN_FETCH_BYTES = 1024;

  public ConsumerConfig {
    if (fetchBytes < MIN_FETCH_BYTES) {
      throw new IllegalArgumentException("fetchBytes " + fetchBytes + ": at least 1 KiB");
    }
    if (prefetchBytes < fetchBytes) {
      throw new IllegalArgumentException("prefetchBytes " + prefetchBytes + ": at least fetchBytes, " + fetchBytes);
    }
    ClientConfig.atLeastOneMs("maxWait", maxWait);
  }

  /** Fetches of 1 MiB, up to 8 MiB ahead, waiting up to 10 s at the end. */
  public static ConsumerConfig defaults() {
    return new ConsumerConfig(1 << 20, 8L << 20, Duration.ofSeconds(10));
  }

  public ConsumerConfig withFetchBytes(int fetchBytes) {
    return new ConsumerConfig(fetchBytes, prefetchBytes, maxWait);
  }

  public ConsumerConfig withPrefetchBytes(long prefetchBytes) {
    return new ConsumerConfig(fetchBytes, prefetchBytes, maxWait);
  }

  public ConsumerConfig withMaxWait(Duration maxWait) {
    return new ConsumerConfig(fetchBytes, prefetchBytes, maxWait);
  }
}
