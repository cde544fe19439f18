package kaka.log;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A segment that a later one follows: complete, synced, with its indexes in files. It never changes again. */
final class SealedSegment implements ReadableSegment {
  private final Disk disk;
  private final LogFiles files;
  private final SegmentFile file;
  private final long baseOffset;
  private final long nextOffset;
  private final int sizeBytes;
  private final long maxTimestampMs;
  private final long lastModifiedMs;
  private final int abortedCount;
  private final AbortedIndex.Entries aborted; // where the disk did not take their file; else empty

  /** One without aborted transactions. @param lastModifiedMs when its {@code .log} file was last written */
  SealedSegment(
      Disk disk,
      LogFiles files,
      SegmentFile file,
      long baseOffset,
      long nextOffset,
      int sizeBytes,
      long maxTimestampMs,
      long lastModifiedMs) {
    this(disk, files, file, baseOffset, nextOffset, sizeBytes, maxTimestampMs, lastModifiedMs, 0, AbortedIndex.Entries.NONE);
  }

  private SealedSegment(
      Disk disk,
      LogFiles files,
      SegmentFile file,
      long baseOffset,
      long nextOffset,
      int sizeBytes,
      long maxTimestampMs,
      long lastModifiedMs,
      int abortedCount,
      AbortedIndex.Entries aborted) {
    this.disk = disk;
    this.files = files;
    this.file = file;
    this.baseOffset = baseOffset;
    this.nextOffset = nextOffset;
    this.sizeBytes = sizeBytes;
    this.maxTimestampMs = maxTimestampMs;
    this.lastModifiedMs = lastModifiedMs;
    this.abortedCount = abortedCount;
    this.aborted = aborted;
  }

  /** The same, with so many aborted transactions in its {@code .txnindex} file. */
  SealedSegment withAborted(int count) {
    return with(count, AbortedIndex.Entries.NONE);
  }

  /** The same, with aborted transactions that are in no file. */
  SealedSegment withAborted(AbortedIndex.Entries entries) {
    return with(entries.count(), entries);
  }

  private SealedSegment with(int count, AbortedIndex.Entries held) {
    return new SealedSegment(
        disk, files, file, baseOffset, nextOffset, sizeBytes, maxTimestampMs, lastModifiedMs, count, held);
  }

  @Override
  public SegmentFile file() {
    return file;
  }

  @Override
  public long baseOffset() {
    return baseOffset;
  }

  @Override
  public long nextOffset() {
    return nextOffset;
  }

  @Override
  public int sizeBytes() {
    return sizeBytes;
  }

  @Override
  public long maxTimestampMs() {
    return maxTimestampMs;
  }

  /** When its {@code .log} file was last written. */
  long lastModifiedMs() {
    return lastModifiedMs;
  }

  /**
   * How new its newest record is, for retention: its greatest timestamp, but not later than the file was written, or a record
   * from the future would keep it for ever; and when the file was written, if no record has a timestamp.
   */
  long newestMs() {
    return maxTimestampMs == TimeIndex.NO_TIMESTAMP ? lastModifiedMs : Math.min(maxTimestampMs, lastModifiedMs);
  }

  @Override
  public Optional<OffsetEntry> floor(long offset) throws IOException {
    try (IndexFile index = IndexFile.open(disk, files.offsetIndex(baseOffset), OffsetIndex.ENTRY_BYTES)) {
      int i = index.floorByOffset(offset - baseOffset);
      return i < 0 ? Optional.empty() : Optional.of(new OffsetEntry(baseOffset + index.int32(i, 0), index.int32(i, 4)));
    }
  }

  @Override
  public Optional<TimeEntry> lower(long timestampMs) throws IOException {
    try (IndexFile index = IndexFile.open(disk, files.timeIndex(baseOffset), TimeIndex.ENTRY_BYTES)) {
      int i = index.lowerByTime(timestampMs);
      return i < 0 ? Optional.empty() : Optional.of(new TimeEntry(index.int64(i, 0), baseOffset + index.int32(i, 8)));
    }
  }

  @Override
  public AbortedIndex.Entries aborted() throws IOException {
    if (abortedCount == aborted.count()) {
      return aborted; // none, or no file
    }
    file.retain(); // or the name may mean another segment
    try {
      return AbortedIndex.read(disk, files, baseOffset, Long.MAX_VALUE);
    } catch (NoSuchFileException e) {
      throw new StaleSnapshotException(files.abortedIndex(baseOffset));
    } finally {
      file.release();
    }
  }

  SegmentView view() {
    return new SegmentView(
        baseOffset,
        nextOffset,
        sizeBytes,
        false,
        TimeIndex.known(maxTimestampMs),
        OptionalLong.of(lastModifiedMs),
        sizeOf(files.offsetIndex(baseOffset)),
        sizeOf(files.timeIndex(baseOffset)));
  }

  /** Nothing where it cannot be told: the log does without its indexes. */
  private OptionalLong sizeOf(Path index) {
    try (DiskFile opened = disk.openForReading(index)) {
      return OptionalLong.of(opened.sizeBytes());
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  /** Unlinks its files, the log, which is retired, first; the caller syncs the directory. */
  void unlink() throws IOException {
    disk.delete(file.path());
    List<Path> others =
        List.of(
            files.offsetIndex(baseOffset),
            files.timeIndex(baseOffset),
            files.abortedIndex(baseOffset),
            files.snapshot(baseOffset));
    for (Path other : others) {
      if (disk.exists(other)) {
        disk.delete(other);
      }
    }
  }
}
