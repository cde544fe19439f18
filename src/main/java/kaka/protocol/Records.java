package kaka.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * RECORDS, type 0x82: answers FETCH. Body:
 *
 * <pre>base_offset u64 | n u32 | n x (offset u64 | key_len u32 | value_len u32 | key | value)</pre>
 *
 * A length of 0xffffffff is a null. The broker does not make this object: it writes {@link #encodeFrameHeader} and streams
 * the records after it, each behind its {@link #encodeRecordHeader}.
 *
 * @param baseOffset the offset that was asked for
 * @param entries in rising order of offsets, the first at {@code baseOffset} or above; there can be gaps
 */
public record Records(long baseOffset, List<Entry> entries) implements Response {
  /** Bytes of a frame before its first record: length, type, base_offset, n. */
  public static final int FRAME_HEADER_BYTES = 17;

  /** Bytes of a record before its key. */
  public static final int RECORD_HEADER_BYTES = 16;

  /**
   * One record, its arrays its own.
   *
   * @param key or null
   * @param value or null
   */
  public record Entry(long offset, byte[] key, byte[] value) {}

  public Records {
    entries = List.copyOf(entries);
    long least = baseOffset;
    for (Entry entry : entries) {
      if (entry.offset < least) {
        throw new IllegalArgumentException("offset " + entry.offset + ", at least " + least);
      }
      least = entry.offset + 1;
    }
    if (baseOffset < 0) {
      throw new IllegalArgumentException("baseOffset " + baseOffset);
    }
  }

  /**
   * Writes what stands before the first record; returns the position after it, {@link #FRAME_HEADER_BYTES} further.
   *
   * @param into in the order of bytes that every buffer begins with
   * @param recordsBytes of all the records that will follow, headers included
   * @param n of them
   */
  public static int encodeFrameHeader(ByteBuffer into, int position, int recordsBytes, long baseOffset, int n) {
    into.putInt(position, Math.addExact(recordsBytes, FRAME_HEADER_BYTES - 4));
    into.put(position + 4, (byte) MessageType.RECORDS);
    into.putLong(position + 5, baseOffset);
    into.putInt(position + 13, n);
    return position + FRAME_HEADER_BYTES;
  }

  /**
   * Writes what stands before a record's key; returns the position after it, {@link #RECORD_HEADER_BYTES} further.
   *
   * @param into in the order of bytes that every buffer begins with
   * @param keySize in bytes, -1 for null
   * @param valueSize in bytes, -1 for null
   */
  public static int encodeRecordHeader(ByteBuffer into, int position, long offset, int keySize, int valueSize) {
    into.putLong(position, offset);
    into.putInt(position + 8, keySize);
    into.putInt(position + 12, valueSize);
    return position + RECORD_HEADER_BYTES;
  }

  static Records decode(WireReader in) throws ProtocolException {
    long baseOffset = in.uint63("base_offset");
    int n = in.count32(0, RECORD_HEADER_BYTES, "n");
    List<Entry> entries = new ArrayList<>(n);
    long least = baseOffset;
    for (int i = 0; i < n; i++) {
      long offset = in.int64(least, "offset");
      if (offset == Long.MAX_VALUE) {
        throw in.bad("offset", "the last number there is");
      }
      int keySize = size(in, "key_len");
      int valueSize = size(in, "value_len");
      byte[] key = bytes(in, keySize, "key");
      entries.add(new Entry(offset, key, bytes(in, valueSize, "value")));
      least = offset + 1;
    }
    in.end();
    return new Records(baseOffset, entries);
  }

  private static int size(WireReader in, String field) throws ProtocolException {
    long size = in.uint32(field);
    if (size == 0xffff_ffffL) {
      return NativeRecords.NULL;
    }
    if (size > in.remaining()) {
      throw in.bad(field, size + " bytes, " + in.remaining() + " are left");
    }
    return (int) size;
  }

  private static byte[] bytes(WireReader in, int size, String field) throws ProtocolException {
    if (size < 0) {
      return null;
    }
    int at = in.skip(size, field);
    return Arrays.copyOfRange(in.array(), at, at + size);
  }

  @Override
  public int type() {
    return MessageType.RECORDS;
  }

  @Override
  public void encode(WireWriter out) {
    out.int64(baseOffset).int32(entries.size());
    for (Entry entry : entries) {
      byte[] key = entry.key;
      byte[] value = entry.value;
      out.int64(entry.offset).int32(key == null ? NativeRecords.NULL : key.length);
      out.int32(value == null ? NativeRecords.NULL : value.length);
      if (key != null) {
        out.bytes(key, 0, key.length);
      }
      if (value != null) {
        out.bytes(value, 0, value.length);
      }
    }
  }
}
