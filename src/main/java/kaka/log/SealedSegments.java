package kaka.log;

import java.io.IOException;
import java.util.Arrays;

/**
 * The part of a log in front of its active segment, and where the log starts: in the middle of it, where records were deleted.
 * Has the log's owner; the {@link LogSnapshot}s it makes are for any thread.
 */
final class SealedSegments {
  private final Disk disk;
  private final LogFiles files;
  private final SegmentUnlinks unlinks;
  private SealedSegment[] sealed; // oldest first; never changed, only replaced: snapshots share it
  private long sizeBytes;
  private long logStartOffset;

  SealedSegments(Disk disk, LogFiles files, SegmentUnlinks unlinks, SealedSegment[] sealed, long logStartOffset) {
    this.disk = disk;
    this.files = files;
    this.unlinks = unlinks;
    this.logStartOffset = logStartOffset;
    replace(sealed);
  }

  /** Oldest first; not to be changed. */
  SealedSegment[] all() {
    return sealed;
  }

  long logStartOffset() {
    return logStartOffset;
  }

  /** Nobody sees it before the next {@link #snapshot} is shown. */
  void replace(SealedSegment[] segments) {
    sealed = segments;
    sizeBytes = Arrays.stream(segments).mapToLong(SealedSegment::sizeBytes).sum();
  }

  /** @param full what was the active segment */
  void add(SealedSegment full) {
    SealedSegment[] longer = Arrays.copyOf(sealed, sealed.length + 1);
    longer[sealed.length] = full;
    replace(longer);
  }

  LogSnapshot snapshot(ActiveSegment.View active) {
    return new LogSnapshot(logStartOffset, sealed, sizeBytes, active);
  }

  /** Where the log would start without the segments that retention no longer keeps; where it does, if it keeps all. */
  long startByRetention(ActiveSegment.View active, LogConfig config, long nowMs) {
    if (!config.cleanup().deletes()) {
      return logStartOffset;
    }
    int count = Retention.expiredCount(sealed, sizeBytes + active.sizeBytes(), config, nowMs);
    long firstKept = count < sealed.length ? sealed[count].baseOffset() : active.baseOffset();
    return count == 0 ? logStartOffset : Math.max(logStartOffset, firstKept);
  }

  /** Durable when it returns; needs no space on the disk. If it fails, the log starts where it did. */
  void moveStart(long newStart) throws IOException {
    if (newStart > logStartOffset) {
      LogStartOffset.write(disk, files, logStartOffset, newStart);
      logStartOffset = newStart;
    }
  }

  /** Takes those off that are wholly below the log start; once that is shown, {@link #unlink} must follow. */
  SealedSegment[] takeDeleted() {
    int count = 0;
    while (count < sealed.length && sealed[count].nextOffset() <= logStartOffset) {
      count++;
    }
    SealedSegment[] deleted = Arrays.copyOf(sealed, count);
    if (count > 0) {
      replace(Arrays.copyOfRange(sealed, count, sealed.length));
    }
    return deleted;
  }

  /** Readers that hold one read on; older snapshots are stale then. */
  void unlink(SealedSegment... deleted) throws IOException {
    if (deleted.length > 0) {
      unlinks.unlink(deleted);
    }
  }

  /** Deletes the producers' snapshot of the one before the last but one: two are kept, for the newest may be damaged. */
  void deleteOldSnapshot() {
    if (sealed.length > 1) {
      ProducerRecovery.deleteSnapshot(disk, files, sealed[sealed.length - 2].baseOffset());
    }
  }

  /** Nothing is unlinked any more; see {@link SegmentUnlinks#end}. */
  void endUnlinks() {
    unlinks.end();
  }

  void closeToReaders() {
    for (SealedSegment segment : sealed) {
      segment.file().close();
    }
  }
}
