package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * An index file of a sealed segment, searched where it lies: only a page of it is in memory. Any bytes can be in it, so what
 * it says is checked by whoever asks. Not for sharing between threads.
 */
final class IndexFile implements Closeable {
  private static final int PAGE_ENTRIES = 340; // a page of 4 KiB or a little less, for either kind

  private final DiskFile file;
  private final int entryBytes;
  private final int count;
  private final ByteBuffer page;
  private int pageStart; // number of its first entry
  private int pageCount;

  private IndexFile(DiskFile file, int entryBytes, int count) {
    this.file = file;
    this.entryBytes = entryBytes;
    this.count = count;
    this.page = ByteBuffer.allocate(PAGE_ENTRIES * entryBytes);
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
    return page.getInt(load(i) + at);
  }

  /** The i64 at byte {@code at} of entry {@code i}. */
  long int64(int i, int at) throws IOException {
    return page.getLong(load(i) + at);
  }

  private int load(int i) throws IOException {
    if (i < pageStart || i >= pageStart + pageCount) {
      pageStart = i - i % PAGE_ENTRIES;
      pageCount = Math.min(PAGE_ENTRIES, count - pageStart);
      page.clear().limit(pageCount * entryBytes);
      if (file.read(page, (long) pageStart * entryBytes) < pageCount * entryBytes) {
        pageCount = 0;
        throw new IOException("index became shorter");
      }
    }
    return (i - pageStart) * entryBytes;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
