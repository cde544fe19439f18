package kaka.log;

import java.io.IOException;
import java.util.Optional;

/** What a reader sees of a segment: it does not change. Index entries are hints, to be checked against the batches. */
sealed interface ReadableSegment permits SealedSegment, ActiveSegment.View {
  /** @param position of the batch whose last offset is {@code lastOffset} */
  record OffsetEntry(long lastOffset, int position) {}

  /** @param lastOffset of a batch that has {@code timestampMs}, the greatest up to there */
  record TimeEntry(long timestampMs, long lastOffset) {}

  SegmentFile file();

  long baseOffset();

  /** One past its last offset. */
  long nextOffset();

  int sizeBytes();

  /** Its greatest timestamp; {@link TimeIndex#NO_TIMESTAMP} if none is above that. */
  long maxTimestampMs();

  /** The transactions whose abortion stands in it. @throws StaleSnapshotException if it is gone */
  AbortedIndex.Entries aborted() throws IOException;

  /** The last entry at or below {@code offset}. */
  Optional<OffsetEntry> floor(long offset) throws IOException;

  /** The last entry with a timestamp below {@code timestampMs}. */
  Optional<TimeEntry> lower(long timestampMs) throws IOException;
}
