package kaka.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Where the fields of a record batch stand, in bytes from its first (Kafka protocol guide, "Record Batch", magic 2):
 *
 * <pre>
 * base_offset i64 | batch_length i32 | leader_epoch i32 | magic i8 | crc u32 | attributes i16 | last_offset_delta i32
 * | base_timestamp i64 | max_timestamp i64 | producer_id i64 | producer_epoch i16 | base_sequence i32 | record_count i32
 * </pre>
 *
 * All big-endian. {@code batch_length} counts what follows it; the CRC32C covers {@code attributes} to the end, so base
 * offset and leader epoch can be set without a new checksum.
 */
public final class BatchHeader {
  public static final int BASE_OFFSET = 0;
  public static final int LENGTH = 8;
  public static final int LEADER_EPOCH = 12;
  public static final int MAGIC = 16;
  public static final int CRC = 17;
  public static final int ATTRIBUTES = 21;
  public static final int LAST_OFFSET_DELTA = 23;
  public static final int BASE_TIMESTAMP = 27;
  public static final int MAX_TIMESTAMP = 35;
  public static final int PRODUCER_ID = 43;
  public static final int PRODUCER_EPOCH = 51;
  public static final int BASE_SEQUENCE = 53;
  public static final int RECORD_COUNT = 57;

  /** Bytes of the header: no batch is shorter. */
  public static final int SIZE = 61;

  /** Bytes before what {@code batch_length} counts. */
  public static final int OVERHEAD = 12;

  public static final byte MAGIC_V2 = 2;

  /** Bits of {@code attributes}: the compression codec, and whose clock stamped the records. */
  static final int COMPRESSION_MASK = 0x07;

  static final int LOG_APPEND_TIME = 0x08;
  public static final int TRANSACTIONAL = 0x10;
  public static final int CONTROL = 0x20;

  /** Set where the base timestamp says when compaction may drop the batch's tombstones (KIP-534). */
  static final int DELETE_HORIZON = 0x40;

  /** The bits that a client may set: what a batch is to it. The others are a broker's, or not in the format. */
  static final int CLIENT_BITS = COMPRESSION_MASK | LOG_APPEND_TIME | TRANSACTIONAL;

  private static final VarHandle INT64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT16 = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  private BatchHeader() {}

  static long int64(byte[] bytes, int position) {
    return (long) INT64.get(bytes, position);
  }

  static int int32(byte[] bytes, int position) {
    return (int) INT32.get(bytes, position);
  }

  static short int16(byte[] bytes, int position) {
    return (short) INT16.get(bytes, position);
  }

  static void int64(byte[] bytes, int position, long value) {
    INT64.set(bytes, position, value);
  }

  static void int32(byte[] bytes, int position, int value) {
    INT32.set(bytes, position, value);
  }

  static void int16(byte[] bytes, int position, short value) {
    INT16.set(bytes, position, value);
  }

  /** The CRC32C of a batch that starts at {@code start} and is {@code sizeBytes} long. */
  static int crcOf(byte[] bytes, int start, int sizeBytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, start + ATTRIBUTES, sizeBytes - ATTRIBUTES);
    return (int) crc.getValue();
  }
}
