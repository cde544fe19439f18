package kaka.client;

import java.time.Instant;

/** Where a {@link Consumer} starts in a partition. */
public sealed interface StartPosition {
  /** The oldest record kept. */
  StartPosition EARLIEST = new Earliest();

  /** The end as it is when the consumer starts: only records that come later. */
  StartPosition LATEST = new Latest();

  /** The record with this offset, or, where it is no longer kept, the oldest that is. */
  static StartPosition offset(long offset) {
    return new AtOffset(offset);
  }

  /** The first record at this time or later; the end, if there is none. */
  static StartPosition time(Instant time) {
    return new AtTime(time.toEpochMilli());
  }

  /** See {@link #EARLIEST}. */
  record Earliest() implements StartPosition {}

  /** See {@link #LATEST}. */
  record Latest() implements StartPosition {}

  /**
   * See {@link #offset}.
   *
   * @param offset at least 0
   */
  record AtOffset(long offset) implements StartPosition {
    public AtOffset {
      if (offset < 0) {
        throw new IllegalArgumentException("offset " + offset);
      }
    }
  }

  /**
   * See {@link #time}.
   *
   * @param timestampMs milliseconds since 1970
   */
  record AtTime(long timestampMs) implements StartPosition {}
}
