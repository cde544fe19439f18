package kaka.record;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What it will take to decompress, read off the compressed bytes' own framing before a decoder sees them: decoders allocate
 * what a frame claims. What it claims is compared with the bytes that are there.
 */
final class CodecMemory {
  /** A gzip window, tables and the streams' own buffers. */
  private static final int GZIP_BYTES = 96 << 10;

  private static final int SNAPPY_BYTES = 64 << 10;
  private static final int LZ4_BYTES = 32 << 10;

  /** A zstd context and the streams' own buffers. */
  private static final int ZSTD_BYTES = 512 << 10;

  /** What the xerial stream of snappy-java starts with; then version and least version, 4 bytes each. */
  private static final byte[] XERIAL_MAGIC = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};

  private static final int XERIAL_HEADER_BYTES = 16;

  /** A snappy copy of 3 bytes makes at most 64: no block grows more. */
  private static final int SNAPPY_GROWTH = 22;

  private static final int ZSTD_MAGIC = 0xfd2fb528;
  private static final int ZSTD_SKIPPABLE = 0x184d2a50;

  /** zstd's own bound for a stream's window, that of its level 22. */
  private static final long ZSTD_MAX_WINDOW_BYTES = 128L << 20;

  private static final int ZSTD_BLOCK_BYTES = 128 << 10;

  private CodecMemory() {}

  /**
   * Bytes that the decoder will hold at most.
   *
   * @param compressed the whole of it; not moved
   * @param maxUnpackedBytes that it may become
   * @throws InvalidBatchException if the framing claims what cannot be
   */
  static long required(Codec codec, ByteBuffer compressed, long maxUnpackedBytes) throws InvalidBatchException {
    ByteBuffer in = compressed.slice();
    return switch (codec) {
      case NONE -> 0;
      case GZIP -> GZIP_BYTES;
      case SNAPPY -> snappy(in, maxUnpackedBytes);
      case LZ4 -> lz4(in);
      case ZSTD -> zstd(in.order(ByteOrder.LITTLE_ENDIAN));
    };
  }

  private static long snappy(ByteBuffer in, long maxBytes) throws InvalidBatchException {
    byte[] start = new byte[Math.min(XERIAL_MAGIC.length, in.remaining())];
    in.get(0, start);
    if (!Arrays.equals(start, XERIAL_MAGIC)) { // one block without frame, as librdkafka writes it
      return SNAPPY_BYTES + 3L * in.remaining() + snappyBlock(in, in.remaining(), maxBytes);
    }
    if (in.remaining() < XERIAL_HEADER_BYTES) {
      throw bad("snappy header cut short", in);
    }
    in.position(XERIAL_HEADER_BYTES);
    long block = 0;
    while (in.hasRemaining()) {
      int size = in.remaining() < 4 ? -1 : in.getInt();
      if (size < 1 || size > in.remaining()) {
        throw bad("snappy block of " + size + " bytes", in);
      }
      int next = in.position() + size;
      block = Math.max(block, size + snappyBlock(in, size, maxBytes));
      in.position(next);
    }
    return SNAPPY_BYTES + block;
  }

  /** Bytes that the block claims to become. */
  private static long snappyBlock(ByteBuffer in, int size, long maxBytes) throws InvalidBatchException {
    long claimed = 0;
    for (int i = 0; i < Math.min(5, size); i++) {
      byte b = in.get();
      claimed |= (long) (b & 0x7f) << 7 * i;
      if (b >= 0) {
        if (claimed > (long) SNAPPY_GROWTH * size) {
          throw bad("snappy block of " + size + " bytes that claims to become " + claimed, in);
        }
        if (claimed > maxBytes) { // its decoder would make all of it at once
          String what = "snappy block of " + claimed + " bytes once decompressed, at most " + maxBytes;
          throw new InvalidBatchException(InvalidBatchException.Kind.TOO_LARGE, what, BatchHeader.SIZE + in.position());
        }
        return claimed;
      }
    }
    throw bad("snappy block without size", in);
  }

  private static long lz4(ByteBuffer in) throws InvalidBatchException {
    int at = 5; // after magic and flags: the block's maximum size, 4 to 7
    int sizeCode = in.remaining() <= at ? 0 : in.get(at) >> 4 & 7;
    if (sizeCode < 4) {
      throw bad("LZ4 frame without block size", in);
    }
    return LZ4_BYTES + (1L << 2 * sizeCode + 8);
  }

  /** Walks frames and blocks: every frame's window counts, and no block becomes more than 128 KiB. */
  private static long zstd(ByteBuffer in) throws InvalidBatchException {
    long most = 0;
    while (in.hasRemaining()) {
      int magic = zstdNumber(in, 4);
      if ((magic & 0xfffffff0) == ZSTD_SKIPPABLE) {
        skip(in, Integer.toUnsignedLong(zstdNumber(in, 4)));
      } else if (magic == ZSTD_MAGIC) {
        most = Math.max(most, zstdFrame(in));
      } else {
        throw bad("no zstd frame", in);
      }
    }
    return ZSTD_BYTES + most;
  }

  private static long zstdFrame(ByteBuffer in) throws InvalidBatchException {
    int descriptor = zstdNumber(in, 1);
    boolean isSingleSegment = (descriptor & 0x20) != 0;
    long window = 0;
    if (!isSingleSegment) {
      int code = zstdNumber(in, 1);
      long base = 1L << 10 + (code >> 3);
      window = base + base / 8 * (code & 7);
    }
    skip(in, (descriptor & 3) == 3 ? 4 : descriptor & 3); // dictionary id
    int contentBytes = descriptor >> 6 == 0 ? (isSingleSegment ? 1 : 0) : 1 << (descriptor >> 6);
    if (isSingleSegment) {
      window = contentSize(in, contentBytes);
    } else {
      skip(in, contentBytes);
    }
    if (window < 0 || window > ZSTD_MAX_WINDOW_BYTES) {
      throw bad("zstd window of " + Long.toUnsignedString(window) + " bytes, at most " + ZSTD_MAX_WINDOW_BYTES, in);
    }
    long becomes = 0;
    int block;
    do {
      block = zstdNumber(in, 3);
      int type = block >> 1 & 3;
      if (type == 3) {
        throw bad("zstd block of no type", in);
      }
      skip(in, type == 1 ? 1 : block >> 3); // type 1 repeats one byte
      becomes += ZSTD_BLOCK_BYTES;
    } while ((block & 1) == 0);
    skip(in, (descriptor & 4) != 0 ? 4 : 0); // checksum
    return Math.min(window, becomes); // memory that is not written to takes no room
  }

  private static long contentSize(ByteBuffer in, int bytes) throws InvalidBatchException {
    if (bytes == 8) {
      long low = Integer.toUnsignedLong(zstdNumber(in, 4));
      return (long) zstdNumber(in, 4) << 32 | low;
    }
    long size = Integer.toUnsignedLong(zstdNumber(in, bytes));
    return bytes == 2 ? size + 256 : size;
  }

  private static int zstdNumber(ByteBuffer in, int bytes) throws InvalidBatchException {
    if (in.remaining() < bytes) {
      throw bad("zstd frame cut short", in);
    }
    int number = 0;
    for (int i = 0; i < bytes; i++) {
      number |= (in.get() & 0xff) << 8 * i;
    }
    return number;
  }

  private static void skip(ByteBuffer in, long bytes) throws InvalidBatchException {
    if (bytes > in.remaining()) {
      throw bad("zstd frame cut short", in);
    }
    in.position(in.position() + (int) bytes);
  }

  private static InvalidBatchException bad(String what, ByteBuffer in) {
    return new InvalidBatchException(what, BatchHeader.SIZE + in.position());
  }
}
