package kaka.log;

import java.io.IOException;
import java.util.Arrays;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings back what a log remembered of its producers below its active segment: from that segment's snapshot, which is all that
 * an ordinary start reads. Where it is missing or damaged, an older one is taken and the headers of the sealed segments since
 * then are walked, as far as {@link #MAX_WALK_BYTES} go. What cannot be brought back, because it is too far back or compaction
 * dropped it, is said in the log: batches of before are then not recognised, but nothing stored is lost.
 */
final class ProducerRecovery {
  /** Seconds even of a slow disk; with the default segments it reaches back to the snapshot before. */
  static final long MAX_WALK_BYTES = 256L * 1024 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(ProducerRecovery.class);

  private final Disk disk;
  private final LogFiles files;

  ProducerRecovery(Disk disk, LogFiles files) {
    this.disk = disk;
    this.files = files;
  }

  /**
   * Has the empty {@code state} remember what the batches below {@code activeBase} left.
   *
   * @return false if not all of it could be brought back: there may be transactions that it does not know
   */
  boolean restore(ProducerState state, long activeBase, SealedSegment[] sealed) {
    if (activeBase == 0) {
      return true;
    }
    try {
      ProducerSnapshot.read(disk, files, activeBase, state);
      return true;
    } catch (IOException e) {
      return rebuild(state, activeBase, sealed, e);
    }
  }

  private boolean rebuild(ProducerState state, long activeBase, SealedSegment[] sealed, IOException cause) {
    int first = sealed.length;
    long walkBytes = 0;
    boolean complete = false;
    while (!complete && first > 0 && walkBytes + sealed[first - 1].sizeBytes() <= MAX_WALK_BYTES) {
      first--;
      walkBytes += sealed[first].sizeBytes();
      complete = sealed[first].baseOffset() == 0 || isRead(sealed[first].baseOffset(), state);
    }
    long knownFrom = first < sealed.length ? sealed[first].baseOffset() : activeBase;
    try {
      for (SealedSegment segment : Arrays.asList(sealed).subList(first, sealed.length)) {
        OptionalLong gapEnd = walk(segment, state);
        if (gapEnd.isPresent() && segment != sealed[sealed.length - 1]) { // there compaction kept all that is numbered
          complete = false;
          knownFrom = gapEnd.getAsLong();
        }
      }
    } catch (IOException e) {
      e.addSuppressed(cause);
      lost(activeBase, e);
      state.clear();
      return false;
    }
    if (complete) {
      LOG.warn(
          "producer state rebuilt partition={} segment={} walked_bytes={} cause=\"{}\"",
          files.partition(),
          activeBase,
          walkBytes,
          cause.getMessage());
    } else {
      lost(knownFrom, cause);
    }
    return complete;
  }

  private boolean isRead(long baseOffset, ProducerState state) {
    try {
      ProducerSnapshot.read(disk, files, baseOffset, state);
      return true;
    } catch (IOException e) { // the one before it may be better
      return false;
    }
  }

  /** @return where the last gap that compaction left ends, if there is one */
  private OptionalLong walk(SealedSegment segment, ProducerState state) throws IOException {
    OptionalLong gapEnd = OptionalLong.empty();
    try (DiskFile file = disk.openForReading(files.log(segment.baseOffset()))) {
      BatchWalker walk =
          new BatchWalker(file, 0, segment.sizeBytes(), segment.baseOffset(), BatchWalker.SCAN_WINDOW_BYTES);
      while (walk.next()) {
        walk.addTo(state, segment.lastModifiedMs());
        if (walk.isGap()) {
          gapEnd = OptionalLong.of(walk.nextOffset());
        }
      }
      if (!walk.atEnd()) {
        throw new LogDamagedException(files.log(segment.baseOffset()), walk.nextPosition(), walk.fault());
      }
    }
    return gapEnd;
  }

  private void lost(long knownFrom, IOException cause) {
    LOG.warn(
        "producer state lost, batches below the offset are not recognised again partition={} offset={} cause=\"{}\"",
        files.partition(),
        knownFrom,
        cause.getMessage());
  }

  /** Of all snapshots two are kept; an interrupted roll can have left one that no segment goes with. Best effort. */
  void deleteOld(long activeBase, SealedSegment[] sealed) {
    long previousBase = sealed.length == 0 ? activeBase : sealed[sealed.length - 1].baseOffset();
    try {
      for (String name : disk.list(files.directory())) {
        LogFiles.parse(name)
            .filter(LogFiles.SegmentPart::isSnapshot)
            .map(LogFiles.SegmentPart::baseOffset)
            .filter(baseOffset -> baseOffset != activeBase && baseOffset != previousBase)
            .ifPresent(baseOffset -> deleteSnapshot(disk, files, baseOffset));
      }
    } catch (IOException e) {
      LOG.warn("old producer snapshots not deleted partition={} cause={}", files.partition(), e.toString());
    }
  }

  /** If it is there. Without it nothing changes, so neither its failure nor its undoing by a power cut does harm. */
  static void deleteSnapshot(Disk disk, LogFiles files, long baseOffset) {
    try {
      if (disk.exists(files.snapshot(baseOffset))) {
        disk.delete(files.snapshot(baseOffset));
      }
    } catch (IOException e) {
      LOG.warn("old producer snapshot not deleted partition={} cause={}", files.partition(), e.toString());
    }
  }
}
