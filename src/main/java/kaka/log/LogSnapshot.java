package kaka.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What can be read of a log at one moment; immutable, safe from any thread. It holds no descriptor: a {@link #reader} does,
 * and only while it is open.
 */
public final class LogSnapshot {
  /** Each is an open file while the reader is; small segments must not make a large fetch open hundreds. */
  private static final int MAX_SEGMENTS_PER_READER = 16;

  private final long logStartOffset;
  private final SealedSegment[] sealed; // oldest first, without gap, shared with other snapshots: never changed
  private final long sealedBytes;
  private final ActiveSegment.View active;
  private final long end; // what can be read of it ends here

  LogSnapshot(long logStartOffset, SealedSegment[] sealed, long sealedBytes, ActiveSegment.View active) {
    this(logStartOffset, sealed, sealedBytes, active, active.nextOffset());
  }

  private LogSnapshot(
      long logStartOffset, SealedSegment[] sealed, long sealedBytes, ActiveSegment.View active, long end) {
    this.logStartOffset = logStartOffset;
    this.sealed = sealed;
    this.sealedBytes = sealedBytes;
    this.active = active;
    this.end = end;
  }

  /**
   * What a reader of committed records may see: this, ending at the {@link #lastStableOffset}. Of what is below that,
   * {@link #abortedTransactions} says what was aborted.
   */
  public LogSnapshot committed() {
    long stable = lastStableOffset();
    return stable == end ? this : new LogSnapshot(logStartOffset, sealed, sealedBytes, active, stable);
  }

  /** First offset that can be read. */
  public long logStartOffset() {
    return logStartOffset;
  }

  /** One past the last offset that can be read. */
  public long highWatermark() {
    return end;
  }

  /** First offset of the earliest transaction that is open, if there is one; else the high watermark. */
  public long lastStableOffset() {
    return Math.max(logStartOffset, Math.min(active.firstOpen(), end));
  }

  /** Bytes of all segments. */
  public long sizeBytes() {
    return sealedBytes + active.sizeBytes();
  }

  /** Counts the active segment, also while it is empty. */
  public int segmentCount() {
    return sealed.length + 1;
  }

  /**
   * Segments, from the oldest on, the active one last; asks the disk for the sizes of their indexes.
   *
   * @param from number of the first, counted from 0
   * @param count at most so many
   */
  public List<SegmentView> segments(int from, int count) {
    List<SegmentView> views = new ArrayList<>();
    for (int i = Math.max(0, from); i <= sealed.length && views.size() < count; i++) {
      views.add(i == sealed.length ? viewOf(active) : sealed[i].view());
    }
    return views;
  }

  private static SegmentView viewOf(ActiveSegment.View active) {
    OptionalLong none = OptionalLong.empty();
    return new SegmentView(
        active.baseOffset(), active.nextOffset(), active.sizeBytes(), true, TimeIndex.known(active.maxTimestampMs()), none, none, none);
  }

  ActiveSegment.View active() {
    return active;
  }

  /**
   * First offset, at or after the log start and below the high watermark, of a record whose timestamp is at least
   * {@code timestampMs}; reads the disk.
   *
   * @throws StaleSnapshotException if a segment is gone meanwhile
   */
  public OptionalLong offsetForTime(long timestampMs) throws IOException {
    return firstFrom(timestampMs).map(found -> OptionalLong.of(found.offset())).orElseGet(OptionalLong::empty);
  }

  /**
   * The first readable record that has the greatest timestamp of all; as {@link #firstFrom}. Where what a segment says of its
   * greatest timestamp is true of a deleted record only, the segment is read.
   */
  public Optional<TimedOffset> greatestTime() throws IOException {
    long greatestMs = Long.MIN_VALUE;
    for (int i = 0; i <= sealed.length; i++) {
      ReadableSegment segment = segment(i);
      if (segment.nextOffset() > logStartOffset && segment.sizeBytes() > 0 && segment.maxTimestampMs() > greatestMs) {
        greatestMs = Math.max(greatestMs, greatestTimeOf(segment));
      }
    }
    return greatestMs == Long.MIN_VALUE ? Optional.empty() : firstFrom(greatestMs);
  }

  private long greatestTimeOf(ReadableSegment segment) throws IOException {
    segment.file().retain();
    try {
      SegmentLookup lookup = new SegmentLookup(segment);
      long saidMs = segment.maxTimestampMs();
      return lookup.firstFrom(saidMs, logStartOffset).isPresent() ? saidMs : lookup.greatestTime(logStartOffset);
    } finally {
      segment.file().release();
    }
  }

  /** As {@link #offsetForTime}, with the record's own timestamp. */
  public Optional<TimedOffset> firstFrom(long timestampMs) throws IOException {
    for (int i = 0; i <= sealed.length; i++) {
      ReadableSegment segment = segment(i);
      if (segment.sizeBytes() == 0 || segment.maxTimestampMs() < timestampMs && timestampMs >= 0) {
        continue; // below 0 a greatest timestamp says nothing: it is NO_TIMESTAMP at least
      }
      if (segment.nextOffset() <= logStartOffset) {
        continue; // all of it was deleted, and it may be gone
      }
      segment.file().retain();
      try {
        Optional<TimedOffset> found = new SegmentLookup(segment).firstFrom(timestampMs, logStartOffset);
        if (found.isPresent()) {
          return found.filter(record -> record.offset() < end);
        }
      } finally {
        segment.file().release();
      }
    }
    return Optional.empty();
  }

  /**
   * The aborted transactions that have records in [from, to), by their first offsets; reads the disk. There are no more of them
   * than batches up to {@code to}, and as many as can be open at once.
   *
   * @param to at most the last stable offset
   * @throws StaleSnapshotException if a segment is gone meanwhile
   */
  public List<AbortedTransaction> abortedTransactions(long from, long to) throws IOException {
    List<AbortedTransaction> found = new ArrayList<>();
    for (int i = segmentHolding(from); i <= sealed.length && !segment(i).aborted().collect(from, to, found); i++) {
      // a transaction may have ended long after it began
    }
    found.sort(Comparator.comparingLong(AbortedTransaction::firstOffset));
    return found;
  }

  /** A reader up to the high watermark; see {@link #reader(long, long)}. */
  public LogReader reader(long fetchOffset) throws IOException {
    return reader(fetchOffset, Long.MAX_VALUE, Integer.MAX_VALUE);
  }

  /**
   * Opens a reader at the first byte of the batch that holds {@code fetchOffset}. It holds its segments until it is closed,
   * also against retention.
   *
   * @param fetchOffset from the log start offset to the high watermark; at the high watermark there is nothing to read
   * @param wantedBytes how much the caller will read; the reader goes on to the end of the segment in which that is reached,
   *     or of the sixteenth
   * @throws IllegalArgumentException if the offset is not in that range
   * @throws StaleSnapshotException if a segment is gone meanwhile
   */
  public LogReader reader(long fetchOffset, long wantedBytes) throws IOException {
    return reader(fetchOffset, wantedBytes, MAX_SEGMENTS_PER_READER);
  }

  private LogReader reader(long fetchOffset, long wantedBytes, int maxSegments) throws IOException {
    if (fetchOffset < logStartOffset || fetchOffset > highWatermark()) {
      throw new IllegalArgumentException(
          "fetchOffset " + fetchOffset + " is not in " + logStartOffset + " to " + highWatermark());
    }
    if (fetchOffset == highWatermark()) {
      return LogReader.EMPTY;
    }
    int first = segmentHolding(fetchOffset);
    List<ReadableSegment> held = new ArrayList<>();
    try {
      hold(segment(first), held);
      int position = new SegmentLookup(segment(first)).batchHolding(fetchOffset).position();
      long coveredBytes = segment(first).sizeBytes() - position;
      for (int i = first + 1; i <= sealed.length && coveredBytes < wantedBytes && held.size() < maxSegments; i++) {
        if (segment(i).baseOffset() >= end) {
          break;
        }
        hold(segment(i), held);
        coveredBytes += segment(i).sizeBytes();
      }
      ReadableSegment last = held.get(held.size() - 1);
      boolean isCut = end < last.nextOffset();
      int lastBytes = isCut ? new SegmentLookup(last).batchHolding(end).position() : last.sizeBytes();
      return new LogReader(held, position, lastBytes);
    } catch (IOException | RuntimeException e) {
      for (ReadableSegment segment : held) {
        segment.file().release();
      }
      throw e;
    }
  }

  private static void hold(ReadableSegment segment, List<ReadableSegment> held) throws IOException {
    segment.file().retain();
    held.add(segment);
  }

  /** Segment {@code i}, from the oldest; the last one is the active. */
  private ReadableSegment segment(int i) {
    return i == sealed.length ? active : sealed[i];
  }

  /** Number of the segment that holds {@code offset}: the last one that starts at or below it. */
  private int segmentHolding(long offset) {
    int low = 0;
    int high = sealed.length;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (segment(middle).baseOffset() <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
