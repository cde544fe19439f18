package kaka.client;

import java.time.Duration;
import kaka.record.Codec;

/**
 * How a {@link Producer} batches, waits and gives up.
 *
 * @param batchBytes size at which a batch is closed, at least 1 KiB; a larger record is a batch of its own
 * @param linger how long a batch that is not full waits for more records; zero sends what is there as soon as there is
 *     credit, and batches grow by themselves while the credit is out
 * @param bufferBytes bound on all that was given to the producer and is not yet acknowledged, at least {@code batchBytes}
 * @param deliveryTimeout how long a record may wait to be sent, retries included, before it fails; what was sent and not
 *     answered is under the request timeout
 * @param idempotent whether batches are numbered, so that what a lost connection leaves open is sent again and still stored
 *     once; then at most five of a partition are in flight
 * @param compression how batches are compressed before they are sent, and stored; a batch that would not get smaller is not
 */
public record ProducerConfig(
    int batchBytes, Duration linger, long bufferBytes, Duration deliveryTimeout, boolean idempotent, Codec compression) {
  /** Smallest {@code batchBytes}. */
  public static final int MIN_BATCH_BYTES = 1024;

  public ProducerConfig {
    if (batchBytes < MIN_BATCH_BYTES) {
      throw new IllegalArgumentException("batchBytes " + batchBytes + ": at least 1 KiB");
    }
    if (linger.isNegative() || linger.toMillis() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("linger " + linger + ": at least 0, at most 24 days");
    }
    if (bufferBytes < batchBytes) {
      throw new IllegalArgumentException("bufferBytes " + bufferBytes + ": at least batchBytes, " + batchBytes);
    }
    ClientConfig.atLeastOneMs("deliveryTimeout", deliveryTimeout);
    if (linger.compareTo(deliveryTimeout) >= 0) {
      throw new IllegalArgumentException("linger " + linger + ": less than deliveryTimeout, " + deliveryTimeout);
    }
  }

  /** Batches of 64 KiB, no linger, a buffer of 32 MiB, two minutes to deliver, idempotent, not compressed. */
  public static ProducerConfig defaults() {
    return new ProducerConfig(64 * 1024, Duration.ZERO, 32L << 20, Duration.ofMinutes(2), true, Codec.NONE);
  }

  public ProducerConfig withBatchBytes(int batchBytes) {
    return new ProducerConfig(batchBytes, linger, bufferBytes, deliveryTimeout, idempotent, compression);
  }

  public ProducerConfig withLinger(Duration linger) {
    return new ProducerConfig(batchBytes, linger, bufferBytes, deliveryTimeout, idempotent, compression);
  }

  public ProducerConfig withBufferBytes(long bufferBytes) {
    return new ProducerConfig(batchBytes, linger, bufferBytes, deliveryTimeout, idempotent, compression);
  }

  public ProducerConfig withDeliveryTimeout(Duration deliveryTimeout) {
    return new ProducerConfig(batchBytes, linger, bufferBytes, deliveryTimeout, idempotent, compression);
  }

  public ProducerConfig withIdempotent(boolean idempotent) {
    return new ProducerConfig(batchBytes, linger, bufferBytes, deliveryTimeout, idempotent, compression);
  }

  public ProducerConfig withCompression(Codec compression) {
    return new ProducerConfig(batchBytes, linger, bufferBytes, deliveryTimeout, idempotent, compression);
  }
}
