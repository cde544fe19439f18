package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * An index file of a sealed segment, searched where it lies: only a window of it is in memory. Any bytes can be in it, so what
 * it says is checked by whoever asks. Not for sharing between threads.
 */
final class IndexFile implements Closeable {
  private static final int WINDOW_ENTRIES = 341; // 4 KiB or a little less, for either kind

  private final DiskFile file;
  private final int entryBytes;
  private final int count;
  private final ByteBuffer window;
  private int windowStart; // number of its first entry
  private int windowCount;

  private IndexFile(DiskFile file, int entryBytes, int count) {
    this.file = file;
    this.entryBytes = entryBytes;
    this.count = count;
    this.window = ByteBuffer.allocate(WINDOW_ENTRIES * entryBytes);
  }

  /**
   * @param entryBytes {@link OffsetIndex#ENTRY_BYTES} or {@link TimeIndex#ENTRY_BYTES}
   * @throws IOException if it is not there, or is no whole number of entries
   */
  static IndexFile open(Disk disk, Path path, int entryBytes) throws IOException {
    DiskFile file = disk.openForReading(path);
    try {
      long sizeBytes = file.sizeBytes();
      if (sizeBytes % entryBytes != 0 || sizeBytes > Integer.MAX_VALUE) {
        throw new IOException(path + " has " + sizeBytes + " bytes, not a multiple of " + entryBytes);
      }
      return new IndexFile(file, entryBytes, (int) (sizeBytes / entryBytes));
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  int count() {
    return count;
  }

  /** Number of the last entry whose relative offset, its first field, is at most {@code relativeOffset}; -1 if none is. */
  int floorByOffset(long relativeOffset) throws IOException {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      narrow(low, high);
      int middle = (low + high) >>> 1;
      if (int32(middle, 0) <= relativeOffset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** Number of the last entry whose timestamp, its first field, is below {@code timestampMs}; -1 if none is. */
  int lowerByTime(long timestampMs) throws IOException {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      narrow(low, high);
      int middle = (low + high) >>> 1;
      if (int64(middle, 0) < timestampMs) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** The i32 at byte {@code at} of entry {@code i}. */
  int int32(int i, int at) throws IOException {
    return window.getInt(load(i) + at);
  }

  /** The i64 at byte {@code at} of entry {@code i}. */
  long int64(int i, int at) throws IOException {
    return window.getLong(load(i) + at);
  }

  /** Brings all that a search may still look at into the window, once that fits: the one before, too, which may be found. */
  private void narrow(int low, int high) throws IOException {
    int from = Math.max(0, low - 1);
    if (high - from < WINDOW_ENTRIES && (from < windowStart || high >= windowStart + windowCount)) {
      read(from, high - from + 1);
    }
  }

  private int load(int i) throws IOException {
    if (i < windowStart || i >= windowStart + windowCount) {
      read(i, 1);
    }
    return (i - windowStart) * entryBytes;
  }

  private void read(int from, int entryCount) throws IOException {
    windowCount = 0;
    window.clear().limit(entryCount * entryBytes);
    if (file.read(window, (long) from * entryBytes) < entryCount * entryBytes) {
      throw new IOException("index became shorter");
    }
    windowStart = from;
    windowCount = entryCount;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
