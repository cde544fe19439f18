package kaka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import kaka.log.LogDamagedException;
import kaka.log.LogReader;

/**
 * A bounded piece of a partition's bytes in memory, that moves on as they are walked: positions are those of the
 * {@link LogReader}. Not for sharing between threads.
 */
final class ReadWindow {
  private final LogReader reader;
  private final byte[] bytes;
  private long start;
  private int size;

  /** @param sizeBytes at least 128: a batch's header and a record's numbers must fit */
  ReadWindow(LogReader reader, int sizeBytes) {
    this.reader = reader;
    this.bytes = new byte[(int) Math.max(128, Math.min(sizeBytes, reader.sizeBytes()))];
  }

  /** What to throw where the bytes at {@code at} are not as they were stored. */
  LogDamagedException damagedAt(long at, String reason) {
    return reader.damagedAt(at, reason);
  }

  /** All bytes that can be walked. */
  long sizeBytes() {
    return reader.sizeBytes();
  }

  /** Makes {@code count} bytes from {@code at} on, or as many as there are, readable; returns how many from {@code at} are. */
  int ensure(long at, int count) throws IOException {
    if (at < start || at + count > start + size) {
      long wanted = Math.min(count, reader.sizeBytes() - at);
      if (at < start || at + wanted > start + size) {
        fill(at, (int) wanted);
      }
    }
    return (int) Math.min(Integer.MAX_VALUE, start + size - at);
  }

  /** Reads a window full. Where the disk fails, a smaller one: what stands before the damage can be read. */
  private void fill(long at, int wanted) throws IOException {
    start = at;
    size = 0;
    for (int limit = bytes.length; ; limit = Math.max(wanted, limit / 2)) {
      try {
        size = reader.read(ByteBuffer.wrap(bytes, 0, limit), at);
        return;
      } catch (IOException e) {
        if (limit <= wanted) {
          throw e;
        }
      }
    }
  }

  byte[] array() {
    return bytes;
  }

  /** Whether {@code count} bytes from {@code at} on are readable without reading. */
  boolean holds(long at, int count) {
    return at >= start && at + count <= start + size;
  }

  /** Where in {@link #array} the byte at {@code at} stands, once it is readable. */
  int index(long at) {
    return (int) (at - start);
  }
}
