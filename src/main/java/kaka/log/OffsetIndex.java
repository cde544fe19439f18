package kaka.log;

import java.util.Arrays;

/**
 * The offset index of the active segment, in memory: last offset of a batch, relative to the segment's base, and the position
 * of the batch's first byte. It only grows; one thread adds, and an {@link Entries} that it publishes stays as it was.
 */
final class OffsetIndex {
  /** Bytes of an entry in a file: relative offset i32, position i32, which is the entry as one big-endian i64. */
  static final int ENTRY_BYTES = 8;

  private long[] entries = new long[16];
  private int count;

  /**
   * The first {@code count} of {@code packed}, ascending: relative offset in the high half, position in the low one. What
   * follows them in the array is the writer's.
   */
  record Entries(long[] packed, int count) {
    /** Number of the last entry whose relative offset is at most {@code relativeOffset}; -1 if none is. */
    int floor(long relativeOffset) {
      int low = 0;
      int high = count - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        if (relativeOffset(middle) <= relativeOffset) {
          low = middle + 1;
        } else {
          high = middle - 1;
        }
      }
      return high;
    }

    int relativeOffset(int i) {
      return (int) (packed[i] >>> 32);
    }

    int position(int i) {
      return (int) packed[i];
    }
  }

  void add(int relativeOffset, int position) {
    if (count == entries.length) {
      entries = Arrays.copyOf(entries, count * 2);
    }
    entries[count++] = (long) relativeOffset << 32 | position;
  }

  Entries entries() {
    return new Entries(entries, count);
  }
}
