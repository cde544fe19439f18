package kaka.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import kaka.log.LogDamagedException;
import kaka.log.LogReader;

/**
 * A bounded piece of a partition's bytes in memory, that moves on as they are walked: positions are those of the
 * {@link LogReader}. What was found in it is there until the next call of {@link #ensure}. Not for sharing between threads.
 */
public final class ReadWindow {
  /** A task that has read so much lets others have the thread: a run, and what a batch that begins in it has beyond. */
  private static final int TASK_BYTES = RunBuffers.BYTES + SliceSizes.MAX_BYTES;

  /** What a read brings at least, if the window is as large: also one for which the task has read too much, or beyond what is expected. */
  private static final int MORE_BYTES = 128 << 10;

  private static final int MIN_BYTES = 128;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private int maxBytes;
  private LogReader reader;
  private RunBuffers buffers = RunBuffers.HEAP;
  private ByteBuffer bytes = NOTHING; // between two calls from its start up to its capacity
  private RunBuffers owner = RunBuffers.HEAP; // of these bytes
  private boolean isLent; // these bytes stay, whatever size is asked for
  private long expectedTo = Long.MAX_VALUE;
  private long readByTask;
  private long start;
  private int size;

  /** @param sizeBytes at least 128: a batch's header and a record's numbers must fit */
  public ReadWindow(LogReader reader, int sizeBytes) {
    this.maxBytes = sizeBytes;
    extend(reader);
  }

  /** Goes on with a reader that starts where the last one did, and reaches further. */
  public void extend(LogReader longer) {
    reader = longer;
  }

  /** Goes on with a reader that starts elsewhere: its positions mean other bytes. */
  public void restart(LogReader other) {
    start = 0;
    size = 0;
    reader = other;
  }

  /** Only what stands before {@code position} is expected to be needed: beyond it not much is read at once. */
  public void expect(long position) {
    expectedTo = position;
  }

  /** How many bytes can be readable at once. */
  public int capacity() {
    return isLent ? bytes.capacity() : (int) Math.max(MIN_BYTES, Math.min(maxBytes, reader.sizeBytes()));
  }

  /**
   * A new task begins: what it reads is counted from here.
   *
   * @param sizeBytes of the window from its next read on, at least 128
   */
  public void startTask(int sizeBytes) {
    if (bytes.isDirect()) {
      drop(); // it reads into arrays from now on
    }
    startTask(sizeBytes, RunBuffers.HEAP);
  }

  /** The same, but it reads a MiB at a time, into one of {@code buffers}, if one is left, whatever {@code sizeBytes}. */
  public void startLargeTask(int sizeBytes, RunBuffers buffers) {
    if (!isLent) {
      buffers.tryTake().ifPresent(taken -> readInto(taken, buffers));
    }
    this.buffers = RunBuffers.HEAP;
    maxBytes = sizeBytes;
    readByTask = 0;
  }

  private void readInto(ByteBuffer lent, RunBuffers lender) {
    drop();
    bytes = lent;
    owner = lender;
    isLent = true;
  }

  /**
   * The same.
   *
   * @param buffers have what its next read needs
   */
  void startTask(int sizeBytes, RunBuffers buffers) {
    this.isLent = false;
    this.buffers = buffers;
    maxBytes = sizeBytes;
    readByTask = 0;
  }

  /** What it holds. */
  public int heldBytes() {
    return bytes.capacity();
  }

  /** Lets go of what it holds; what is asked for from now on is read again. */
  public void drop() {
    ByteBuffer dropped = bytes;
    forget();
    owner.giveBack(dropped);
  }

  private void forget() {
    start += size;
    size = 0;
    bytes = NOTHING;
    isLent = false;
  }

  /** Lets go of what it holds, which is the caller's now, and no more this one's. */
  ByteBuffer give() {
    ByteBuffer given = bytes;
    forget();
    return given;
  }

  /** The task did as much as if it had read so many bytes. */
  public void work(long bytes) {
    readByTask += bytes;
  }

  /** Whether the task has read enough: what is left is for the next one. */
  public boolean isTaskOver() {
    return readByTask >= TASK_BYTES;
  }

  /** Whether the task is not over after {@code count} bytes more, or has read nothing yet. */
  boolean mayRead(int count) {
    return readByTask == 0 || readByTask + count <= TASK_BYTES;
  }

  /** What to throw where the bytes at {@code at} are not as they were stored. */
  public LogDamagedException damagedAt(long at, String reason) {
    return reader.damagedAt(at, reason);
  }

  /** All bytes that can be walked. */
  public long sizeBytes() {
    return reader.sizeBytes();
  }

  /** Makes {@code count} bytes from {@code at} on, or as many as there are, readable; returns how many from {@code at} are. */
  public int ensure(long at, int count) throws IOException {
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
    if (bytes.capacity() != capacity()) {
      owner.giveBack(bytes); // first, or both would be held
      bytes = NOTHING;
      bytes = buffers.take(capacity());
      owner = buffers;
    }
    for (int limit = Math.max(wanted, likelyBytes(at)); ; limit = Math.max(wanted, limit / 2)) {
      try {
        size = reader.read(bytes.limit(limit), at);
        readByTask += size;
        return;
      } catch (IOException e) {
        if (limit <= wanted) {
          throw e;
        }
      } finally {
        bytes.clear();
      }
    }
  }

  /** A buffer full, if all of it is expected to be needed, and the task has not read so much. */
  private int likelyBytes(long at) {
    long likely = Math.min(expectedTo - at, TASK_BYTES - readByTask);
    return (int) Math.min(Math.max(MORE_BYTES, likely), bytes.capacity());
  }

  /** What it holds, each byte at its {@link #index}; only to be looked at, by absolute positions. */
  public ByteBuffer buffer() {
    return bytes;
  }

  /** Goes on with a checksum over {@code count} bytes that are readable. */
  void update(CRC32C crc, long at, int count) {
    if (bytes.hasArray()) {
      crc.update(bytes.array(), index(at), count);
    } else {
      crc.update(bytes.limit(index(at) + count).position(index(at)));
      bytes.clear();
    }
  }

  /** Copies {@code count} readable bytes from {@code at} on to {@code target}. */
  public void copy(long at, int count, ByteBuffer target) {
    target.put(target.position(), bytes, index(at), count).position(target.position() + count);
  }

  /** Whether {@code count} bytes from {@code at} on are readable without reading. */
  public boolean holds(long at, int count) {
    return at >= start && at + count <= start + size;
  }

  /** Where in {@link #buffer} the byte at {@code at} stands, once it is readable. */
  public int index(long at) {
    return (int) (at - start);
  }
}
