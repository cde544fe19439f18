package kaka.kafka;

import java.nio.ByteBuffer;
import kaka.partition.MemoryBudget;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Readable;

/**
 * What Kafka's message classes read a request from. They make objects as they go, out of few bytes: an element of an array can
 * take a hundred bytes of memory and three on the wire. So every read is charged to the memory budget, in steps, and no array
 * may claim more elements than {@value #MAX_ELEMENTS}; byte arrays are checked against the bytes that are there anyway.
 */
final class RequestReader implements Readable {
  /** Kafka's classes take an array's count for good if that many bytes are left, and make room for all of them at once. */
  static final int MAX_ELEMENTS = 1 << 16;

  /** What an object costs for each read that it takes: the smallest that Kafka's classes make take three reads and some 100 bytes. */
  private static final int BYTES_PER_READ = 64;

  /** A text as it was read, and as a string, with two bytes a character at worst. */
  private static final int BYTES_PER_TEXT_BYTE = 4;

  private static final int FREE_BYTES = 2 << 10;
  private static final int STEP_BYTES = 8 << 10;

  /** There is no memory for what the request would become. */
  static final class NoMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private NoMemoryException() {
      super("memory budget used up", null, false, false);
    }
  }

  private final ByteBufferAccessor in;
  private final MemoryBudget memory;
  private long costBytes;
  private long chargedBytes;

  /** @param request from its first byte to its last */
  RequestReader(ByteBuffer request, MemoryBudget memory) {
    this.in = new ByteBufferAccessor(request);
    this.memory = memory;
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
    return in.readInt();
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
    return in.readUnsignedVarint();
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

  /** Asked for only to judge the count of an array. */
  @Override
  public int remaining() {
    return Math.min(MAX_ELEMENTS, in.remaining());
  }

  @Override
  public Readable slice() {
    return in.slice();
  }
}
