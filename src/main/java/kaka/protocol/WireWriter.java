package kaka.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import kaka.record.RecordBatch;
import kaka.record.TopicPartition;

/**
 * Writes messages into one growing array. Values are believed: the messages checked them. Can be used again after
 * {@link #clear}. Not for sharing between threads.
 */
public final class WireWriter {
  private byte[] array;
  private int position;

  public WireWriter() {
    this(64);
  }

  /** @param expectedBytes what will be written, about; it grows as it must */
  public WireWriter(int expectedBytes) {
    this.array = new byte[Math.max(16, expectedBytes)];
  }

  /** The bytes written so far are {@code [0, sizeBytes())} of it, until more is written. */
  public byte[] array() {
    return array;
  }

  public int sizeBytes() {
    return position;
  }

  /** A copy of what was written. */
  public byte[] toByteArray() {
    return Arrays.copyOf(array, position);
  }

  /** Forgets what was written and keeps the array. */
  public void clear() {
    position = 0;
  }

  /** Writes the whole frame of a message: length, type, body. */
  public WireWriter frame(Request request) {
    int start = beginFrame(request.type());
    request.encode(this);
    return endFrame(start);
  }

  /** Writes the whole frame of a message: length, type, body. */
  public WireWriter frame(Response response) {
    int start = beginFrame(response.type());
    response.encode(this);
    return endFrame(start);
  }

  private int beginFrame(int type) {
    int start = position;
    int32(0).int8(type);
    return start;
  }

  private WireWriter endFrame(int start) {
    BigEndian.int32(array, start, position - start - 4);
    return this;
  }

  WireWriter int8(int value) {
    reserve(1);
    array[position++] = (byte) value;
    return this;
  }

  WireWriter int16(int value) {
    reserve(2);
    BigEndian.int16(array, position, value);
    position += 2;
    return this;
  }

  WireWriter int32(int value) {
    reserve(4);
    BigEndian.int32(array, position, value);
    position += 4;
    return this;
  }

  WireWriter int64(long value) {
    reserve(8);
    BigEndian.int64(array, position, value);
    position += 8;
    return this;
  }

  /** A u16 length and the UTF-8 bytes. */
  WireWriter string(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    if (utf8.length > Limits.STRING_BYTES) {
      throw new IllegalArgumentException("string of " + utf8.length + " bytes");
    }
    return int16(utf8.length).bytes(utf8, 0, utf8.length);
  }

  /** The UTF-8 bytes alone: for a text that goes to the end of the frame. */
  WireWriter stringToEnd(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    return bytes(utf8, 0, utf8.length);
  }

  WireWriter uuid(UUID value) {
    return int64(value.getMostSignificantBits()).int64(value.getLeastSignificantBits());
  }

  WireWriter topicPartition(TopicPartition value) {
    return string(value.topic()).int32(value.partition());
  }

  WireWriter bytes(byte[] source, int from, int size) {
    reserve(size);
    System.arraycopy(source, from, array, position, size);
    position += size;
    return this;
  }

  /** A record batch, as it is stored. */
  WireWriter batch(RecordBatch batch) {
    int size = batch.sizeBytes();
    reserve(size);
    batch.copyTo(0, size, ByteBuffer.wrap(array, position, size));
    position += size;
    return this;
  }

  private void reserve(int more) {
    if (more > array.length - position) {
      long needed = (long) position + more;
      if (needed > Integer.MAX_VALUE - 16) {
        throw new IllegalArgumentException("a message of " + needed + " bytes");
      }
      array = Arrays.copyOf(array, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(needed, array.length * 2L)));
    }
  }
}
