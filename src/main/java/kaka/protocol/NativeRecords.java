package kaka.protocol;

import kaka.record.Allowance;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;

/** From PRODUCE's records, {@code n u32, n x (key_len u32 | value_len u32 | key | value)}, to a batch in the storage format. */
final class NativeRecords {
  /** key_len and value_len. */
  static final int LENGTHS_BYTES = 8;

  /** What a batch has before its records, at most. */
  private static final int HEAD_BYTES = 64;

  /** The length that stands for a null key or value. */
  static final int NULL = -1;

  private NativeRecords() {}

  /**
   * Walks the records twice: the first time checks every length against the bytes that are there and adds up what the batch
   * will take, so that the second can copy into an array of just that size.
   *
   * @param bodyFrom start of the message body, for positions in errors
   * @param position of the record count
   * @param to end of the body: the last record must end there
   * @param allowance asked for the batch's size, which is the caller's to give back
   */
  static RecordBatch toBatch(byte[] array, int bodyFrom, int position, int to, long nowMs, Allowance allowance)
      throws ProtocolException {
    if (to - position < 4) {
      throw ProtocolException.badRequest("n", position - bodyFrom, "needs 4 bytes, " + (to - position) + " are left");
    }
    int n = BigEndian.int32(array, position);
    if (n < 1 || n > (to - position - 4) / LENGTHS_BYTES) {
      throw ProtocolException.badRequest("n", position - bodyFrom, wrongCount(n, to - position - 4));
    }
    int firstRecord = position + 4;
    long batchBytes = check(array, bodyFrom, firstRecord, to, n);
    allowance.reserve(HEAD_BYTES + batchBytes);
    RecordBatchBuilder builder = new RecordBatchBuilder((int) batchBytes);
    int at = firstRecord;
    for (int i = 0; i < n; i++) {
      int keySize = BigEndian.int32(array, at);
      int valueSize = BigEndian.int32(array, at + 4);
      int key = at + LENGTHS_BYTES;
      int value = key + Math.max(0, keySize);
      builder.append(nowMs, array, key, keySize, array, value, valueSize);
      at = value + Math.max(0, valueSize);
    }
    RecordBatch batch = builder.build();
    allowance.release(HEAD_BYTES + batchBytes - batch.sizeBytes());
    return batch;
  }

  /** Checks every length; returns the bytes that the records will take in the storage format. */
  private static long check(byte[] array, int bodyFrom, int firstRecord, int to, int n) throws ProtocolException {
    long batchBytes = RECORD_SIZE_BYTES;
    int at = firstRecord;
    for (int i = 0; i < n; i++) {
      if (to - at < LENGTHS_BYTES) {
        throw ProtocolException.badRequest("key_len", at - bodyFrom, "record " + i + " of " + n + " is cut short");
      }
      int keySize = BigEndian.int32(array, at);
      int valueSize = BigEndian.int32(array, at + 4);
      int left = to - at - LENGTHS_BYTES;
      if (keySize < NULL || keySize > left) {
        throw ProtocolException.badRequest("key_len", at - bodyFrom, tooLong(keySize, left));
      }
      left -= Math.max(0, keySize);
      if (valueSize < NULL || valueSize > left) {
        throw ProtocolException.badRequest("value_len", at + 4 - bodyFrom, tooLong(valueSize, left));
      }
      int data = Math.max(0, keySize) + Math.max(0, valueSize);
      int recordBytes = 3 + varintSize(i) + varintSize(keySize) + varintSize(valueSize) + data;
      batchBytes += varintSize(recordBytes) + (long) recordBytes;
      at += LENGTHS_BYTES + data;
    }
    if (at != to) {
      throw ProtocolException.badRequest("end", at - bodyFrom, (to - at) + " bytes after the last record");
    }
    if (batchBytes > Integer.MAX_VALUE - 1024) {
      throw new ProtocolException(ErrorCode.TOO_LARGE, "n", firstRecord - 4 - bodyFrom, "a batch of " + batchBytes + " bytes");
    }
    return batchBytes;
  }

  /** The builder makes room for the longest possible size field of the record that it adds. */
  private static final int RECORD_SIZE_BYTES = 5;

  /** Bytes of {@code value}, -1 or more, as the record format's zig-zag number. */
  private static int varintSize(int value) {
    long zigzag = value < 0 ? 1 : 2L * value | 1;
    return (63 - Long.numberOfLeadingZeros(zigzag)) / 7 + 1;
  }

  private static String wrongCount(int n, int left) {
    return n == 0
        ? "0 records, at least 1"
        : Integer.toUnsignedString(n) + " records of at least " + LENGTHS_BYTES + " bytes each, " + left + " bytes are left";
  }

  private static String tooLong(int size, int left) {
    return Integer.toUnsignedString(size) + " bytes, " + left + " are left";
  }
}
