package kaka.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Cuts a stream of bytes into records at a separator, which belongs to none of them. What comes after the last separator is
 * a record too, unless it is empty. Holds one record and one buffer at a time.
 */
final class RecordSplitter {
  /** A record is longer than is allowed. */
  static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1;

    TooLongException(long recordNumber, int maxBytes) {
      super("record " + recordNumber + " is longer than " + maxBytes + " bytes, the broker's limit");
    }
  }

  private final InputStream in;
  private final byte separator;
  private final int maxRecordBytes;
  private final byte[] buffer;
  private int position;
  private int limit;
  private byte[] partial = new byte[0];
  private int partialSize;
  private byte[] record;
  private boolean isTerminated;
  private long recordCount;

  /** @param bufferBytes how much is read at once, at least 1 */
  RecordSplitter(InputStream in, byte separator, int maxRecordBytes, int bufferBytes) {
    this.in = in;
    this.separator = separator;
    this.maxRecordBytes = maxRecordBytes;
    this.buffer = new byte[bufferBytes];
  }

  /**
   * Steps to the next record.
   *
   * @return false at the end
   * @throws TooLongException if it is longer than allowed; the stream is at no record's start then
   */
  boolean next() throws IOException {
    partialSize = 0;
    while (true) {
      int end = separatorFrom(position);
      if (end < limit) {
        take(end);
        position = end + 1;
        isTerminated = true;
        return true;
      }
      keep();
      limit = Math.max(0, in.read(buffer, 0, buffer.length));
      position = 0;
      if (limit == 0) {
        take(0);
        isTerminated = false;
        return record.length > 0;
      }
    }
  }

  private int separatorFrom(int from) {
    int at = from;
    while (at < limit && buffer[at] != separator) {
      at++;
    }
    return at;
  }

  /** Sets aside what is left in the buffer. */
  private void keep() throws TooLongException {
    int size = limit - position;
    check(size);
    if (partialSize + size > partial.length) {
      long room = Math.min(maxRecordBytes, Math.max(partialSize + size, 2L * partial.length));
      partial = Arrays.copyOf(partial, (int) room);
    }
    System.arraycopy(buffer, position, partial, partialSize, size);
    partialSize += size;
  }

  private void take(int end) throws TooLongException {
    int size = end - position;
    check(size);
    record = Arrays.copyOf(partial, partialSize + size);
    System.arraycopy(buffer, position, record, partialSize, size);
    recordCount++;
  }

  private void check(int more) throws TooLongException {
    if ((long) partialSize + more > maxRecordBytes) {
      throw new TooLongException(recordCount + 1, maxRecordBytes);
    }
  }

  /** The record, without its separator, in an array of its own. */
  byte[] record() {
    return record;
  }

  /** Whether a separator came after the record; false only for the last one. */
  boolean isTerminated() {
    return isTerminated;
  }
}
