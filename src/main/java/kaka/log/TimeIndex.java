package kaka.log;

import java.util.Arrays;
import java.util.OptionalLong;

/**
 * The time index of the active segment, in memory: the greatest timestamp so far, and the last offset, relative to the
 * segment's base, of the batch that has it. Timestamps ascend strictly. Grows and is published as {@link OffsetIndex}.
 */
final class TimeIndex {
  /** Bytes of an entry in a file: timestamp i64, relative offset i32. */
  static final int ENTRY_BYTES = 12;

  /** Kafka's mark for "no timestamp": nothing at or below it is indexed. */
  static final long NO_TIMESTAMP = -1;

  /** A segment's greatest timestamp for those who show it. */
  static OptionalLong known(long maxTimestampMs) {
    return maxTimestampMs <= NO_TIMESTAMP ? OptionalLong.empty() : OptionalLong.of(maxTimestampMs);
  }

  private long[] timestampsMs = new long[16];
  private int[] relativeOffsets = new int[16];
  private int count;

  /** The first {@code count} of each array; what follows them is the writer's. */
  record Entries(long[] timestampsMs, int[] relativeOffsets, int count) {
    /** Number of the last entry whose timestamp is below {@code timestampMs}; -1 if none is. */
    int lower(long timestampMs) {
      int low = 0;
      int high = count - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        if (timestampsMs[middle] < timestampMs) {
          low = middle + 1;
        } else {
          high = middle - 1;
        }
      }
      return high;
    }
  }

  /** Adds an entry, unless its timestamp is not above the last one's. */
  void add(long timestampMs, int relativeOffset) {
    if (timestampMs <= (count == 0 ? NO_TIMESTAMP : timestampsMs[count - 1])) {
      return;
    }
    if (count == timestampsMs.length) {
      timestampsMs = Arrays.copyOf(timestampsMs, count * 2);
      relativeOffsets = Arrays.copyOf(relativeOffsets, count * 2);
    }
    timestampsMs[count] = timestampMs;
    relativeOffsets[count++] = relativeOffset;
  }

  Entries entries() {
    return new Entries(timestampsMs, relativeOffsets, count);
  }
}
