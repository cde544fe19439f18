package kaka.log;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Up to where a log is known to be synced.
 *
 * @param baseOffset of the segment that was the active one
 * @param position end of its synced bytes
 * @param nextOffset what the first record after them has
 */
record RecoveryPoint(long baseOffset, int position, long nextOffset) {
  /** Bytes of its encoding: magic i32, version i32, base_offset i64, position i64, next_offset i64, crc32c u32. */
  static final int SIZE = 36;

  private static final int MAGIC = 0x6b616b61; // "kaka"
  private static final int VERSION = 1;
  private static final int CRC_POSITION = SIZE - 4;

  /** Writes it at the start of {@code target}, big-endian, and makes that what {@code target} holds. */
  void encode(ByteBuffer target) {
    target.clear();
    target.putInt(MAGIC).putInt(VERSION).putLong(baseOffset).putLong(position).putLong(nextOffset);
    target.flip();
    int crc = crcOf(target);
    target.limit(SIZE).position(CRC_POSITION);
    target.putInt(crc).flip();
  }

  /** What {@code source} holds from its start; empty unless it is whole and its checksum fits. */
  static Optional<RecoveryPoint> decode(ByteBuffer source) {
    if (source.remaining() != SIZE
        || source.getInt(0) != MAGIC
        || source.getInt(4) != VERSION
        || source.getInt(CRC_POSITION) != crcOf(source.duplicate().limit(CRC_POSITION))) {
      return Optional.empty();
    }
    long position = source.getLong(16);
    if (position < 0 || position > Integer.MAX_VALUE) {
      return Optional.empty();
    }
    return Optional.of(new RecoveryPoint(source.getLong(8), (int) position, source.getLong(24)));
  }

  private static int crcOf(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }
}
