package kaka.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Optional;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/** How the records of a batch are compressed; the order is that of the format's numbers. Its library is loaded on first use. */
public enum Codec {
  NONE,
  GZIP,
  SNAPPY,
  LZ4,
  ZSTD;

  /** @return empty for a number that the format does not have */
  static Optional<Codec> of(int number) {
    return number < values().length ? Optional.of(values()[number]) : Optional.empty();
  }

  /** The codec of that name, as Kafka's {@code compression.type} has them. */
  public static Optional<Codec> named(String name) {
    for (Codec codec : values()) {
      if (codec.toString().equals(name)) {
        return Optional.of(codec);
      }
    }
    return Optional.empty();
  }

  /** Reads decompressed bytes. The caller has looked at the frame, see {@link CodecMemory}: libraries believe what it says. */
  InputStream decompress(ByteBuffer compressed) throws IOException {
    return Holder.of(this).wrapForInput(compressed, BatchHeader.MAGIC_V2, BufferSupplier.NO_CACHING);
  }

  /** Compresses what is written, until it is closed. */
  OutputStream compress(ByteBufferOutputStream out) {
    return Holder.of(this).wrapForOutput(out, BatchHeader.MAGIC_V2);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Apart, so that naming a codec loads none. */
  private static final class Holder {
    static Compression of(Codec codec) {
      return switch (codec) {
        case NONE -> Compression.NONE;
        case GZIP -> Compression.gzip().build();
        case SNAPPY -> Compression.snappy().build();
        case LZ4 -> Compression.lz4().build();
        case ZSTD -> Compression.zstd().build();
      };
    }
  }
}
