package kaka.kafka;

import java.nio.ByteBuffer;
import kaka.record.Allowance;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Readable;

/**
 * What Kafka's message classes read a request from. They make objects as they go, out of few bytes: an element of an array can
 * take a hundred bytes of memory and three on the wire. So every read is charged to the memory budget, in steps, no array
 * may claim more elements than {@value #MAX_ELEMENTS}, and all together not more than {@value #MAX_ELEMENTS_IN_ALL}; byte arrays are
 * checked against the bytes that are there anyway.
 */
final class RequestReader implements Readable {
  /** Kafka's classes take an array's count for good if that many bytes are left, and make room for all of them at once. */
  static final int MAX_ELEMENTS = 1 << 16;

  /** What a request is answered of takes some time for each, and other connections wait for most of it. */
  static final int MAX_ELEMENTS_IN_ALL = 1 << 17;

  /** With so many nothing in Kafka's classes takes long, whatever they are: see {@link HashedArrays}. */
  static final int FEW_ELEMENTS = 128;

  /** What an object costs for each read that it takes: the smallest that Kafka's classes make take three reads and some 100 bytes. */
  private static final int BYTES_PER_READ = 64;

  /** A text as it was read, and as a string, with two bytes a character at worst. */
  static final int BYTES_PER_TEXT_BYTE = 4;

  private static final int FREE_BYTES = 2 << 10;
  private static final int STEP_BYTES = 8 << 10;

  /** There is no memory for what the request would become. */
  static final class NoMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private NoMemoryException() {
      super("memory budget used up", null, false, false);
    }
  }

  /** Who is told of the work; what it throws ends it, as a {@link BrokenOffException}. */
  interface Watch {
    /** So much more has become of the request, in bytes, each read being some. */
    void worked(long more);

    /** The arrays claim more than {@link #FEW_ELEMENTS} by now; of the last of them nothing has been read. */
    void comesToMany();
  }

  private static final Watch NOBODY =
      new Watch() {
        @Override
        public void worked(long more) {}

        @Override
        public void comesToMany() {}
      };

  /** Thrown through Kafka's classes for what somebody of kaka's has thrown. */
  static final class BrokenOffException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private BrokenOffException(RuntimeException cause) {
      super("", cause, false, false);
    }

    @Override
    public synchronized RuntimeException getCause() {
      return (RuntimeException) super.getCause();
    }
  }

  private final ByteBufferAccessor in;
  private final Allowance memory;
  private final Watch watch;
  private long costBytes;
  private long chargedBytes;
  private int lastCount;
  private long elements;

  /** @param request from its first byte to its last */
  RequestReader(ByteBuffer request, Allowance memory) {
    this(request, memory, NOBODY);
  }

  /** @param request from its first byte to its last */
  RequestReader(ByteBuffer request, Allowance memory, Watch watch) {
    this.in = new ByteBufferAccessor(request);
    this.memory = memory;
    this.watch = watch;
  }

  /** Charged so far; whoever asks is to release it. */
  long chargedBytes() {
    return chargedBytes;
  }

  private void cost(long bytes) {
    costBytes += bytes;
    if (costBytes - FREE_BYTES > chargedBytes) {
      long step = Math.max(STEP_BYTES, costBytes - FREE_BYTES - chargedBytes);
      if (!memory.tryReserve(step)) {
        throw new NoMemoryException();
      }
      chargedBytes += step;
      breakable(() -> watch.worked(step));
    }
  }

  /** Has Kafka's classes let through what is thrown, or take it for what it is. */
  static void breakable(Runnable told) {
    try {
      told.run();
    } catch (RuntimeException e) {
      throw new BrokenOffException(e);
    }
  }

  @Override
  public byte readByte() {
    cost(BYTES_PER_READ);
    return in.readByte();
  }

  @Override
  public short readShort() {
    cost(BYTES_PER_READ);
    return in.readShort();
  }

  @Override
  public int readInt() {
    cost(BYTES_PER_READ);
    lastCount = in.readInt();
    return lastCount;
  }

  @Override
  public long readLong() {
    cost(BYTES_PER_READ);
    return in.readLong();
  }

  @Override
  public double readDouble() {
    cost(BYTES_PER_READ);
    return in.readDouble();
  }

  @Override
  public byte[] readArray(int length) {
    if (length >= 0 && length <= in.remaining()) {
      cost(BYTES_PER_READ + (long) length * BYTES_PER_TEXT_BYTE);
    }
    return in.readArray(length);
  }

  @Override
  public int readUnsignedVarint() {
    cost(BYTES_PER_READ);
    int read = in.readUnsignedVarint();
    lastCount = read - 1; // that is how they are written
    return read;
  }

  /** A part of the request as it is, without a copy. */
  @Override
  public ByteBuffer readByteBuffer(int length) {
    cost(BYTES_PER_READ);
    return in.readByteBuffer(length);
  }

  @Override
  public int readVarint() {
    cost(BYTES_PER_READ);
    return in.readVarint();
  }

  @Override
  public long readVarlong() {
    cost(BYTES_PER_READ);
    return in.readVarlong();
  }

  /** Asked for only to judge the count of an array, or of tagged fields, which was read last. */
  @Override
  public int remaining() {
    boolean wereFew = elements <= FEW_ELEMENTS;
    elements += Math.max(0, lastCount);
    if (elements > MAX_ELEMENTS_IN_ALL) {
      throw new IllegalArgumentException("more than " + MAX_ELEMENTS_IN_ALL + " elements");
    }
    if (wereFew && elements > FEW_ELEMENTS) {
      breakable(watch::comesToMany);
    }
    return Math.min(MAX_ELEMENTS, in.remaining());
  }

  @Override
  public Readable slice() {
    return in.slice();
  }
}
