package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;

/**
 * Random access to a stretch of a log: whole batches, back to back, across segments. Any thread, one at a time. Close it, or
 * its files stay open.
 */
public final class LogReader implements Closeable {
  /** Reads nothing, holds nothing. */
  static final LogReader EMPTY = new LogReader(List.of(), 0, 0);

  private final List<ReadableSegment> segments; // held by this reader
  private final long[] ends; // where each segment's bytes end, counted as `at` is
  private final int firstPosition; // in the first segment's file
  private boolean closed;

  /** @param lastBytes how many bytes of the last segment there are to read, counted from its start */
  LogReader(List<ReadableSegment> segments, int firstPosition, int lastBytes) {
    this.segments = segments;
    this.firstPosition = firstPosition;
    this.ends = new long[segments.size()];
    long end = -firstPosition;
    for (int i = 0; i < ends.length; i++) {
      end += i == ends.length - 1 ? lastBytes : segments.get(i).sizeBytes();
      ends[i] = end;
    }
  }

  /** Bytes there are to read. */
  public long sizeBytes() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  /**
   * Fills {@code target} as far as there are bytes.
   *
   * @param at where to start, in bytes from the reader's first batch
   * @return bytes read: fewer than asked for only at the reader's end
   */
  public int read(ByteBuffer target, long at) throws IOException {
    if (closed) {
      throw new IllegalStateException("reader is closed");
    }
    int total = 0;
    for (int i = 0; i < ends.length && target.hasRemaining(); i++) {
      long position = at + total;
      if (position < ends[i]) {
        total += read(segments.get(i), target, position - startOf(i), ends[i] - position);
      }
    }
    return total;
  }

  /**
   * The batch that begins at {@code at}, counted as in {@link #read}, read as a whole: for the broker's own logs, whose batches are
   * small.
   *
   * @throws LogDamagedException if it is not as it was written
   */
  public RecordBatch batchAt(long at) throws IOException {
    ByteBuffer prefix = ByteBuffer.allocate(12);
    read(prefix, at);
    long sizeBytes = 12L + prefix.getInt(8);
    if (sizeBytes < prefix.capacity() || sizeBytes > sizeBytes() - at) {
      throw damagedAt(at, "batch of " + sizeBytes + " bytes");
    }
    ByteBuffer whole = ByteBuffer.allocate((int) sizeBytes);
    read(whole, at);
    try {
      RecordBatch batch = RecordBatch.frame(whole.array(), 0, whole.position());
      if (batch.isCrcValid()) {
        return batch;
      }
    } catch (InvalidBatchException e) {
      throw damagedAt(at, e.getMessage());
    }
    throw damagedAt(at, "CRC32C does not fit");
  }

  /** Says in which file the bytes at {@code at}, counted as in {@link #read}, are damaged, and how. */
  public LogDamagedException damagedAt(long at, String reason) {
    int i = 0;
    while (i < ends.length - 1 && at >= ends[i]) {
      i++;
    }
    return new LogDamagedException(segments.get(i).file().path(), at - startOf(i), reason);
  }

  private long startOf(int i) {
    return i == 0 ? -firstPosition : ends[i - 1];
  }

  private static int read(ReadableSegment segment, ByteBuffer target, long position, long available) throws IOException {
    int limit = target.limit();
    int wanted = (int) Math.min(target.remaining(), available);
    target.limit(target.position() + wanted);
    try {
      int count = segment.file().file().read(target, position);
      if (count < wanted) {
        throw new LogDamagedException(segment.file().path(), position + count, "file is shorter than what was stored");
      }
      return count;
    } finally {
      target.limit(limit);
    }
  }

  /** Lets go of the files; a second call does nothing. */
  @Override
  public void close() throws IOException {
    if (closed || segments.isEmpty()) {
      return;
    }
    closed = true;
    IOException failure = null;
    for (ReadableSegment segment : segments) {
      try {
        segment.file().release();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
