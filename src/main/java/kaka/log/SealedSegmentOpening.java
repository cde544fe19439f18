package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens sealed segments at start. They were synced before their successor existed, so their indexes do: from the last entry on
 * the headers are walked to the end, which must be where the next segment begins. Where an index is missing or does not fit,
 * the whole segment is read and CRC-checked: then either the index was wrong and is written anew, or the segment is damaged.
 */
final class SealedSegmentOpening {
  private static final Logger LOG = LoggerFactory.getLogger(SealedSegmentOpening.class);

  /** Batches without an entry for so many intervals: the offset index was cut. Some slack, for the interval may change. */
  private static final int MISSING_INTERVALS = 16;

  private final Disk disk;
  private final LogFiles files;
  private final int indexIntervalBytes;
  private long scannedBytes;
  private int rebuiltCount;

  SealedSegmentOpening(Disk disk, LogFiles files, int indexIntervalBytes) {
    this.disk = disk;
    this.files = files;
    this.indexIntervalBytes = indexIntervalBytes;
  }

  /**
   * @param expectedNext where the next segment begins
   * @throws LogDamagedException if the segment is not whole, or does not end there
   */
  SealedSegment open(long baseOffset, long expectedNext) throws IOException {
    Path log = files.log(baseOffset);
    try (DiskFile file = disk.openForReading(log)) {
      int sizeBytes = checkedSize(log, file);
      Segment segment = new Segment(file, baseOffset, expectedNext, sizeBytes);
      long maxTimestampMs = byIndexes(segment).orElse(Long.MIN_VALUE);
      if (maxTimestampMs == Long.MIN_VALUE) {
        maxTimestampMs = rebuild(segment);
      }
      return new SealedSegment(
          disk,
          files,
          new SegmentFile(disk, log),
          baseOffset,
          expectedNext,
          sizeBytes,
          maxTimestampMs,
          disk.lastModifiedMs(log));
    }
  }

  /**
   * Checks all of a segment and writes its indexes anew, whatever they say.
   *
   * @throws IOException also where {@link #open} would go on without: if they cannot be stored
   */
  void reindex(long baseOffset, long expectedNext) throws IOException {
    Path log = files.log(baseOffset);
    try (DiskFile file = disk.openForReading(log)) {
      Segment segment = new Segment(file, baseOffset, expectedNext, checkedSize(log, file));
      scan(segment).writeTo(disk, files);
    }
  }

  private static int checkedSize(Path log, DiskFile file) throws IOException {
    long sizeBytes = file.sizeBytes();
    if (sizeBytes == 0 || sizeBytes > Integer.MAX_VALUE) {
      throw new LogDamagedException(log, 0, "a sealed segment of " + sizeBytes + " bytes");
    }
    return (int) sizeBytes;
  }

  private record Segment(DiskFile file, long baseOffset, long expectedNext, int sizeBytes) {}

  /** The segment's greatest timestamp, if both indexes are there and their last entries fit the batches they are about. */
  private OptionalLong byIndexes(Segment segment) {
    try (IndexFile offsets =
            IndexFile.open(disk, files.offsetIndex(segment.baseOffset()), OffsetIndex.ENTRY_BYTES);
        IndexFile times = IndexFile.open(disk, files.timeIndex(segment.baseOffset()), TimeIndex.ENTRY_BYTES)) {
      OptionalLong tailMaxMs = tailMaxTimestamp(segment, offsets);
      if (tailMaxMs.isEmpty()) {
        return OptionalLong.empty();
      }
      int last = times.count() - 1;
      if (last < 0) {
        return tailMaxMs.getAsLong() <= TimeIndex.NO_TIMESTAMP
            ? OptionalLong.of(TimeIndex.NO_TIMESTAMP)
            : OptionalLong.empty();
      }
      long maxMs = times.int64(last, 0);
      boolean fits =
          maxMs >= tailMaxMs.getAsLong()
              && isTimestampOf(segment, offsets, maxMs, segment.baseOffset() + times.int32(last, 8));
      return fits ? OptionalLong.of(maxMs) : OptionalLong.empty();
    } catch (IOException e) { // no index: the scan that follows decides whether that is all
      return OptionalLong.empty();
    }
  }

  /** Greatest timestamp from the last index entry on, if the headers from there lead exactly to the segment's end. */
  private OptionalLong tailMaxTimestamp(Segment segment, IndexFile offsets) throws IOException {
    int last = offsets.count() - 1;
    int position = last < 0 ? 0 : offsets.int32(last, 4);
    BatchWalker walk =
        walk(segment, position, last < 0 ? segment.baseOffset() : BatchWalker.ANY_OFFSET, BatchWalker.LOOKUP_WINDOW_BYTES);
    if (!walk.next() || last >= 0 && walk.lastOffset() != segment.baseOffset() + offsets.int32(last, 0)) {
      return OptionalLong.empty();
    }
    long maxMs = walk.maxTimestampMs();
    while (walk.next()) {
      if (walk.position() - position > (long) MISSING_INTERVALS * indexIntervalBytes) {
        return OptionalLong.empty(); // this batch should have had an entry
      }
      maxMs = Math.max(maxMs, walk.maxTimestampMs());
    }
    return walk.atEnd() && walk.nextOffset() == segment.expectedNext() ? OptionalLong.of(maxMs) : OptionalLong.empty();
  }

  private boolean isTimestampOf(Segment segment, IndexFile offsets, long timestampMs, long lastOffset) throws IOException {
    int i = offsets.floorByOffset(lastOffset - segment.baseOffset());
    BatchWalker walk =
        i < 0
            ? walk(segment, 0, segment.baseOffset(), BatchWalker.LOOKUP_WINDOW_BYTES)
            : walk(segment, offsets.int32(i, 4), BatchWalker.ANY_OFFSET, BatchWalker.LOOKUP_WINDOW_BYTES);
    while (walk.next()) {
      if (walk.lastOffset() >= lastOffset) {
        return walk.lastOffset() == lastOffset && walk.maxTimestampMs() == timestampMs;
      }
    }
    return false;
  }

  private long rebuild(Segment segment) throws IOException {
    SegmentIndex index = scan(segment);
    rebuiltCount++;
    store(segment, index);
    return index.maxTimestampMs();
  }

  /** Reads and checks all of it. */
  private SegmentIndex scan(Segment segment) throws IOException {
    Path log = files.log(segment.baseOffset());
    SegmentIndex index = new SegmentIndex(segment.baseOffset(), indexIntervalBytes);
    BatchWalker walk = walk(segment, 0, segment.baseOffset(), BatchWalker.SCAN_WINDOW_BYTES);
    while (walk.next()) {
      if (!walk.isIntact()) {
        throw new LogDamagedException(log, walk.position(), walk.fault(), walk.baseOffset());
      }
      index.add(walk.lastOffset(), walk.position(), walk.sizeBytes(), walk.maxTimestampMs());
    }
    if (!walk.atEnd()) {
      throw new LogDamagedException(log, walk.nextPosition(), walk.fault(), walk.nextOffset());
    }
    if (walk.nextOffset() != segment.expectedNext()) {
      throw new LogDamagedException(
          log,
          segment.sizeBytes(),
          "ends before offset " + walk.nextOffset() + ", but the next segment starts at " + segment.expectedNext(),
          walk.nextOffset());
    }
    scannedBytes += segment.sizeBytes();
    return index;
  }

  /** Best effort: on a full disk the log opens without the index, and the next start tries again. */
  private void store(Segment segment, SegmentIndex index) {
    try {
      index.writeTo(disk, files);
      LOG.warn("index rebuilt partition={} segment={}", files.partition(), segment.baseOffset());
    } catch (IOException e) {
      LOG.warn("index rebuilt but not stored partition={} segment={}", files.partition(), segment.baseOffset(), e);
    }
  }

  private static BatchWalker walk(Segment segment, int position, long expectedOffset, int windowBytes) {
    return new BatchWalker(segment.file(), position, segment.sizeBytes(), expectedOffset, windowBytes);
  }

  /** Bytes read and CRC-checked. */
  long scannedBytes() {
    return scannedBytes;
  }

  int rebuiltCount() {
    return rebuiltCount;
  }
}
