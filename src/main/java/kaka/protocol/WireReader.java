package kaka.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import kaka.record.TopicPartition;

/**
 * Reads one message body, field by field. Every method names its field for the error, and throws
 * {@link ProtocolException} where the body ends too early or the value is not legal. Copies only what it returns.
 */
public final class WireReader {
  private final byte[] array;
  private final int from;
  private final int to;
  private int position;

  /** Reads {@code array[from, to)}, which must not change while this is used. */
  public WireReader(byte[] array, int from, int to) {
    this.array = array;
    this.from = from;
    this.to = to;
    this.position = from;
  }

  /** Bytes not read yet. */
  public int remaining() {
    return to - position;
  }

  /** Where the next field starts, as an index of {@link #array}. */
  int position() {
    return position;
  }

  byte[] array() {
    return array;
  }

  /** A u8 that numbers one of {@code values}. */
  <T> T oneOf(T[] values, String field) throws ProtocolException {
    need(1, field);
    int number = array[position] & 0xff;
    if (number >= values.length) {
      throw bad(field, number + ", at most " + (values.length - 1));
    }
    position++;
    return values[number];
  }

  /** A u8 that can only be {@code value}. */
  void just8(int value, String field) throws ProtocolException {
    need(1, field);
    if ((array[position] & 0xff) != value) {
      throw bad(field, (array[position] & 0xff) + ", not " + value);
    }
    position++;
  }

  int uint16(String field) throws ProtocolException {
    need(2, field);
    int value = BigEndian.uint16(array, position);
    position += 2;
    return value;
  }

  /** A u16 that must be below 2^15. */
  short int15(String field) throws ProtocolException {
    need(2, field);
    int value = BigEndian.uint16(array, position);
    if (value > Short.MAX_VALUE) {
      throw bad(field, value + " is 2^15 or more");
    }
    position += 2;
    return (short) value;
  }

  /** A u32 that must be in [least, 2^31). */
  int int32(int least, String field) throws ProtocolException {
    need(4, field);
    int value = BigEndian.int32(array, position);
    if (value < 0) {
      throw bad(field, Integer.toUnsignedString(value) + " is 2^31 or more");
    }
    if (value < least) {
      throw bad(field, value + ", at least " + least);
    }
    position += 4;
    return value;
  }

  /** A u32 that is only a limit: 2^31 and more are 2^31 - 1. */
  int limit32(String field) throws ProtocolException {
    need(4, field);
    int value = BigEndian.int32(array, position);
    position += 4;
    return value < 0 ? Integer.MAX_VALUE : value;
  }

  /** A u32, all of it. */
  long uint32(String field) throws ProtocolException {
    need(4, field);
    int value = BigEndian.int32(array, position);
    position += 4;
    return value & 0xffff_ffffL;
  }

  /** A signed 64-bit number that must be at least {@code least}. */
  long int64(long least, String field) throws ProtocolException {
    need(8, field);
    long value = BigEndian.int64(array, position);
    if (value < least) {
      throw bad(field, value + ", at least " + least);
    }
    position += 8;
    return value;
  }

  /** Whether the next four bytes are {@code value}; reads nothing. */
  boolean isNextInt32(int value) {
    return remaining() >= 4 && BigEndian.int32(array, position) == value;
  }

  /** Whether the next eight bytes are {@code value}; reads nothing. */
  boolean isNextInt64(long value) {
    return remaining() >= 8 && BigEndian.int64(array, position) == value;
  }

  /** A u64 that must be below 2^63: an offset, or a size. */
  long uint63(String field) throws ProtocolException {
    need(8, field);
    long value = BigEndian.int64(array, position);
    if (value < 0) {
      throw bad(field, Long.toUnsignedString(value) + " is 2^63 or more");
    }
    position += 8;
    return value;
  }

  /** A number of elements, u16 wide, each of at least {@code elementBytes}. */
  int count16(int elementBytes, String field) throws ProtocolException {
    int at = position;
    return count(uint16(field), elementBytes, at, field);
  }

  /** A number of elements, u32 wide, each of at least {@code elementBytes}: refused if they cannot all be there. */
  int count32(int least, int elementBytes, String field) throws ProtocolException {
    int at = position;
    return count(int32(least, field), elementBytes, at, field);
  }

  private int count(int count, int elementBytes, int at, String field) throws ProtocolException {
    if ((long) count * elementBytes > remaining()) {
      position = at;
      throw bad(field, count + " of at least " + elementBytes + " bytes each, " + (to - at) + " bytes are left");
    }
    return count;
  }

  /** A u16 length and so many bytes of UTF-8. */
  String string(int maxBytes, String field) throws ProtocolException {
    int at = position;
    int size = uint16(field);
    if (size > maxBytes) {
      position = at;
      throw bad(field, size + " bytes, at most " + maxBytes);
    }
    need(size, field);
    String value = utf8(array, position, size, position - from, field);
    position += size;
    return value;
  }

  /** All that is left, as UTF-8. */
  String stringToEnd(String field) throws ProtocolException {
    String value = utf8(array, position, to - position, position - from, field);
    position = to;
    return value;
  }

  UUID uuid(String field) throws ProtocolException {
    need(16, field);
    UUID value = new UUID(BigEndian.int64(array, position), BigEndian.int64(array, position + 8));
    position += 16;
    return value;
  }

  String topic() throws ProtocolException {
    return string(Limits.TOPIC_BYTES, "topic");
  }

  TopicPartition topicPartition() throws ProtocolException {
    String topic = topic();
    return new TopicPartition(topic, int32(0, "partition"));
  }

  /** Steps over {@code size} bytes; returns where they start in {@link #array}. */
  int skip(int size, String field) throws ProtocolException {
    need(size, field);
    int at = position;
    position += size;
    return at;
  }

  /** The body must end here: bytes left over mean that the two sides do not speak of the same message. */
  void end() throws ProtocolException {
    if (position != to) {
      throw bad("end", (to - position) + " bytes after the last field");
    }
  }

  /** The error that {@code what} is wrong with the field that starts at the current position. */
  ProtocolException bad(String field, String what) {
    return ProtocolException.badRequest(field, position - from, what);
  }

  private void need(int size, String field) throws ProtocolException {
    if (size > to - position) {
      throw bad(field, "needs " + size + " bytes, " + (to - position) + " are left");
    }
  }

  static String utf8(byte[] array, int from, int size, int bodyPosition, String field) throws ProtocolException {
    for (int i = from; i < from + size; i++) {
      if (array[i] < 0) {
        try {
          return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(array, from, size)).toString();
        } catch (CharacterCodingException e) {
          throw ProtocolException.badRequest(field, bodyPosition, "not UTF-8");
        }
      }
    }
    return new String(array, from, size, StandardCharsets.ISO_8859_1); // it is ASCII, and this is the fastest copy
  }
}
