package kaka.record;

/**
 * Chooses the partition of a key as Kafka's default partitioner does, so that a key has the same partition whichever door its
 * record came through: murmur2 (Austin Appleby's MurmurHash2, 32 bits) with Kafka's seed, its sign bit cleared, modulo the
 * number of partitions.
 */
public final class Partitioner {
  private static final int SEED = 0x9747b28c;
  private static final int MULTIPLIER = 0x5bd1e995;
  private static final int ROTATION = 24;

  private Partitioner() {}

  /** The partition of {@code key} among {@code partitionCount}, at least 1. */
  public static int partitionOf(byte[] key, int partitionCount) {
    return (murmur2(key) & 0x7fffffff) % partitionCount;
  }

  static int murmur2(byte[] data) {
    int hash = SEED ^ data.length;
    int whole = data.length & ~3;
    for (int i = 0; i < whole; i += 4) {
      int k = littleEndian(data, i, 4) * MULTIPLIER;
      k ^= k >>> ROTATION;
      hash = hash * MULTIPLIER ^ k * MULTIPLIER;
    }
    if (whole < data.length) {
      hash = (hash ^ littleEndian(data, whole, data.length - whole)) * MULTIPLIER;
    }
    hash = (hash ^ hash >>> 13) * MULTIPLIER;
    return hash ^ hash >>> 15;
  }

  private static int littleEndian(byte[] data, int position, int count) {
    int value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = value << 8 | data[position + i] & 0xff;
    }
    return value;
  }
}
