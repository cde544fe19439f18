package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * The newest offset of every key of a stretch of log, in memory that is bounded whatever the keys are: 24 bytes a slot, of
 * which three quarters are used. Not for sharing between threads.
 *
 * <p>Keys are told apart by 128 bits of SHA-256 over a random salt and the key. They are not compared, as Kafka's
 * cleaner does not: two keys of one hash would be taken for one, and the older one's value dropped. Chance makes that happen with a
 * probability below 2^-68 among a thousand million keys of one map; and nobody can choose such keys, for the salt is this map's
 * own and never leaves it (Kafka uses MD5 without a salt, for which colliding keys can be made). Slots that two hashes share are
 * resolved by probing: all 128 bits are compared.
 */
final class KeyOffsets {
  static final int SLOT_BYTES = 3 * Long.BYTES;

  private static final int SALT_BYTES = 16;

  private final MessageDigest digest;
  private final byte[] salt = new byte[SALT_BYTES];
  private final byte[] hash;
  private final ByteBuffer hashed;
  private final long[] slots; // high half of the hash, low half, offset + 1; an offset field of 0 is a free slot
  private final int slotCount;
  private final int maxCount;
  private int count;

  /**
   * @param maxBytes of the slots, all together; at least one key is taken even if it is less
   * @param maxKeys that will be put: no more memory than these need is taken
   * @throws IOException if there is not that much memory
   */
  KeyOffsets(long maxBytes, long maxKeys) throws IOException {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
    new SecureRandom().nextBytes(salt);
    hash = new byte[digest.getDigestLength()];
    hashed = ByteBuffer.wrap(hash);
    long most = Math.min(maxBytes / SLOT_BYTES, (Integer.MAX_VALUE - 16) / 3);
    long wanted = maxKeys > most ? most : maxKeys + maxKeys / 3 + 2;
    slotCount = (int) Math.max(2, Math.min(most, wanted));
    maxCount = Math.max(1, (int) (slotCount * 3L / 4));
    slots = allocate(slotCount * 3);
  }

  /** A heap that has no room for it must not end the process: nothing but compaction needs it. */
  private static long[] allocate(int length) throws IOException {
    try {
      return new long[length];
    } catch (OutOfMemoryError e) {
      throw new IOException("no memory for the keys: " + (long) length * Long.BYTES + " bytes, of kaka.log.compaction.map-bytes", e);
    }
  }

  /** How many keys fit. */
  int maxCount() {
    return maxCount;
  }

  int count() {
    return count;
  }

  /**
   * Takes note that the key has a record at {@code offset}; the greatest one counts.
   *
   * @return false if there is no room for one more key
   */
  boolean put(byte[] array, int keyPosition, int keySize, long offset) {
    int at = find(array, keyPosition, keySize);
    if (slots[at + 2] == 0) {
      if (count == maxCount) {
        return false;
      }
      slots[at] = hashed.getLong(0);
      slots[at + 1] = hashed.getLong(Long.BYTES);
      count++;
    }
    slots[at + 2] = Math.max(slots[at + 2], offset + 1);
    return true;
  }

  /** The greatest offset that was put for the key, or -1 if none was. */
  long newest(byte[] array, int keyPosition, int keySize) {
    return slots[find(array, keyPosition, keySize) + 2] - 1;
  }

  /** Where the key's slot is, or the free one where it would be. */
  private int find(byte[] array, int keyPosition, int keySize) {
    digest.update(salt);
    digest.update(array, keyPosition, keySize);
    try {
      digest.digest(hash, 0, hash.length);
    } catch (DigestException e) {
      throw new IllegalStateException("the hash has room for its bytes", e);
    }
    long high = hashed.getLong(0);
    long low = hashed.getLong(Long.BYTES);
    int slot = (int) Long.remainderUnsigned(low, slotCount);
    while (slots[slot * 3 + 2] != 0 && (slots[slot * 3] != high || slots[slot * 3 + 1] != low)) {
      slot = slot + 1 == slotCount ? 0 : slot + 1;
    }
    return slot * 3;
  }
}
