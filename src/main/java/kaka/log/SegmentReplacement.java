package kaka.log;

import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The part of a log's owner in compaction: begins a run when it is time, and puts what it made in the place of the segments it
 * was made from. These stay open for readers until the owner has shown its new snapshot. Has the log's owner.
 */
final class SegmentReplacement {
  private final Disk disk;
  private final LogFiles files;
  private final DiskSpaceWatch space;
  private final long baseAtOpen;
  private Optional<CleanedOffset> cleaned = Optional.empty(); // until a run is first asked for
  private SealedSegment[] replaced = {}; // pinned until the owner has shown the new snapshot
  private boolean failed; // the next open finishes the swap

  /** @param baseAtOpen of the active segment when the log was opened */
  SegmentReplacement(Disk disk, LogFiles files, DiskSpaceWatch space, long baseAtOpen) {
    this.disk = disk;
    this.files = files;
    this.space = space;
    this.baseAtOpen = baseAtOpen;
  }

  /** A run over {@code sealed}, of which every transaction has ended, if the log is one that is compacted and it is time. */
  Optional<LogCompaction> plan(LogConfig config, SealedSegment[] sealed, LogSnapshot snapshot, Clock clock, long mapBytes) throws IOException {
    if (!config.cleanup().compacts() || failed) {
      return Optional.empty();
    }
    if (cleaned.isEmpty()) {
      CleanedOffset stored = CleanedOffset.read(disk, files);
      // above that nothing was ever compacted: the log was cut by hand
      cleaned = Optional.of(stored.offset() <= baseAtOpen ? stored : CleanedOffset.NONE);
    }
    return LogCompaction.ifDue(disk, files, config, space, sealed, snapshot, cleaned.get(), clock, mapBytes);
  }

  /**
   * Puts what the run has ready in its place; {@link #release} must follow once it is shown.
   *
   * <p>A run of which something is not wanted any more, because segments of it went or the log is not to be compacted, is
   * cancelled: it may not go on and say that it has compacted what it has not.
   *
   * @param sealed all of the log's
   * @return all of them afterwards; empty if the run was cancelled, and nothing was changed
   * @throws IOException if the disk refused: readers find what they found before, and nothing is replaced before the next open
   */
  Optional<SealedSegment[]> swapIn(LogCompaction run, LogConfig config, SealedSegment[] sealed) throws IOException {
    SealedSegment[] sources = run.sources();
    int first = Arrays.asList(sealed).indexOf(sources[0]); // what takes segments takes the oldest first
    if (first < 0 || !config.cleanup().compacts()) {
      run.cancel();
      return Optional.empty();
    }
    pin(sources);
    SealedSegment compacted;
    try {
      int abortedCount = mergeAborted(sources, run);
      compacted = CompactionSwap.swap(disk, files, run.rewritten()).withAborted(abortedCount);
    } catch (IOException e) {
      failed = true; // and the old segments stay pinned: their names may be gone
      throw new IOException("the next start finishes this compaction, and there is none before: " + e.getMessage(), e);
    }
    SealedSegment[] fewer = new SealedSegment[sealed.length - sources.length + 1];
    System.arraycopy(sealed, 0, fewer, 0, first);
    fewer[first] = compacted;
    System.arraycopy(sealed, first + sources.length, fewer, first + 1, fewer.length - first - 1);
    run.taken();
    return Optional.of(fewer);
  }

  /**
   * Writes the index of aborted transactions of all {@code segments} as that of the first, without those of which nothing is left,
   * nor was before the run. It is durable before they are replaced, and says no less than before to those who still read the
   * first; the other ones' go with {@link #release}.
   *
   * @return how many there are
   */
  private int mergeAborted(SealedSegment[] segments, LogCompaction run) throws IOException {
    List<AbortedIndex.Entries> parts = new ArrayList<>();
    boolean hasIndex = false;
    for (SealedSegment segment : segments) {
      parts.add(segment.aborted());
      hasIndex |= parts.get(parts.size() - 1).count() > 0 || disk.exists(files.abortedIndex(segment.baseOffset()));
    }
    AbortedIndex.Entries merged = AbortedIndex.concat(parts, run::isDropped);
    if (hasIndex) {
      AbortedIndex.write(disk, files, segments[0].baseOffset(), merged);
    }
    return merged.count();
  }

  private void pin(SealedSegment[] segments) throws IOException {
    int count = 0;
    try {
      for (; count < segments.length; count++) {
        segments[count].file().pin();
      }
    } catch (IOException e) {
      while (count-- > 0) {
        segments[count].file().release();
      }
      throw e;
    }
    replaced = segments;
  }

  /** Lets go of what was replaced: older snapshots are stale then. After a failed swap they are all there is. */
  void release() throws IOException {
    if (failed) {
      return;
    }
    SealedSegment[] retiring = replaced;
    replaced = new SealedSegment[0];
    IOException failure = null;
    for (SealedSegment segment : retiring) {
      try {
        segment.file().retirePinned();
      } catch (IOException e) { // the others must not stay open for it
        failure = e;
      }
      if (segment != retiring[0]) { // whose name the new one has
        TransactionRecovery.deleteIndex(disk, files, segment.baseOffset());
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** The log is closed: lets go, whatever was. */
  void end() throws IOException {
    failed = false;
    release();
  }

  /** Whether a swap failed, so that the names of files may not be those of the segments that are read. */
  boolean hasFailed() {
    return failed;
  }

  /** Takes note of a run that is done. */
  void compacted(LogCompaction run) {
    cleaned = Optional.of(run.cleanedOffset());
  }
}
