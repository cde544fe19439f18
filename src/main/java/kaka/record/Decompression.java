package kaka.record;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import kaka.record.InvalidBatchException.Kind;

/**
 * The records of one compressed batch, decompressed as they are read, bounded whatever the bytes say: nothing is held that
 * its {@link Allowance} was not asked for, and with the first byte that is too many it ends with an error. Whatever a codec's library
 * throws is an {@link InvalidBatchException}. Not for sharing between threads; close it.
 */
final class Decompression implements AutoCloseable {
  /** Decompressed bytes of a batch, at most, whoever reads it: what is stored must not be larger. */
  static final int MAX_BYTES = 256 << 20;

  private final Codec codec;
  private final Allowance allowance;
  private final long reservedBytes;
  private final InputStream in;
  private long readBytes;
  private boolean closed;

  private Decompression(Codec codec, Allowance allowance, long reservedBytes, InputStream in) {
    this.codec = codec;
    this.allowance = allowance;
    this.reservedBytes = reservedBytes;
    this.in = in;
  }

  /**
   * @param compressed the batch's records section
   * @throws NoAllowanceException if there is no room for the decoder
   */
  static Decompression open(Codec codec, ByteBuffer compressed, Allowance allowance) throws InvalidBatchException {
    long bytes = CodecMemory.required(codec, compressed, allowance.maxUnpackedBytes());
    allowance.reserve(bytes);
    InputStream in = null;
    try {
      in = codec.decompress(compressed);
      return new Decompression(codec, allowance, bytes, in);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw failed(codec, e);
    } finally {
      if (in == null) {
        allowance.release(bytes);
      }
    }
  }

  /**
   * Reads at least one byte, unless {@code count} is 0.
   *
   * @return how many, or -1 at the end
   */
  int read(byte[] into, int position, int count) throws InvalidBatchException {
    long maxBytes = allowance.maxUnpackedBytes();
    int got;
    try {
      got = in.read(into, position, (int) Math.min(count, maxBytes - readBytes + 1)); // no more than tells that it is too much
    } catch (IOException | RuntimeException | LinkageError e) {
      throw failed(codec, e);
    }
    readBytes += Math.max(0, got);
    if (readBytes > maxBytes) {
      throw new InvalidBatchException(Kind.TOO_LARGE, "more than " + maxBytes + " bytes once decompressed", BatchHeader.SIZE);
    }
    allowance.worked(Math.max(0, got));
    return got;
  }

  /** A library that cannot be loaded, too, leaves the batch unreadable here, and nothing else broken. */
  private static InvalidBatchException failed(Codec codec, Throwable cause) {
    String what = cause instanceof LinkageError ? "the codec " + codec + " cannot be loaded here" : "no " + codec + " data";
    InvalidBatchException failure = new InvalidBatchException(what + " (" + cause + ")", BatchHeader.SIZE);
    failure.initCause(cause);
    return failure;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      in.close();
    } catch (IOException | RuntimeException e) { // it reads memory: what it holds is gone, and nothing was to be written
      return;
    } finally {
      allowance.release(reservedBytes);
    }
  }
}
