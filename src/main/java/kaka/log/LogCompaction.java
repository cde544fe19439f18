package kaka.log;

import java.io.IOException;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import kaka.record.BatchFilter;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;

/**
 * One run of compaction over the sealed segments of a log: of the records whose key has a newer one, none is kept. It works
 * in steps beside the log's owner, and changes nothing of the log: it writes new files, which the owner puts in the place of
 * the old ones ({@link PartitionLog#swapIn}).
 *
 * <p>First the newest offset of every key is noted, from the offset to which earlier runs have come, for as many keys as the
 * memory allows; if not all fit, the rest is a later run's. Then every segment that begins below the last key noted is
 * rewritten, neighbours together up to the size of a segment, with the records that {@link NewestRecords} keeps.
 *
 * <p>Offsets have no gap, in a compacted log either: an empty batch, CRC and all, stands for those of batches that went. So
 * whoever walks a log checks it as strictly as ever, and what is missing is damage. In the newest sealed segment a batch of an
 * idempotent producer stays as an empty one of its own, with the producer's fields: producer state may be rebuilt from it.
 *
 * <p>All transactions of the segments have ended. Records of aborted ones go at once, those of committed ones are as any others, and
 * {@link CompactedMarkers} says when the markers go.
 *
 * <p>{@link #step} is for one thread at a time, {@link #cancel} for any.
 */
public final class LogCompaction {
  /** What a {@link #step} led to. */
  public enum Progress {
    /** There is more to do. */
    WORKING,
    /** The owner must {@link PartitionLog#swapIn} before the next step. */
    READY,
    /** The log is compacted as far as this run goes; the owner calls {@link PartitionLog#compacted}. */
    DONE,
    /** Nothing more comes. */
    CANCELLED
  }

  /** About what a step reads. */
  private static final int STEP_BYTES = 512 * 1024;

  private final Disk disk;
  private final LogFiles files;
  private final LogConfig config;
  private final DiskSpaceWatch space;
  private final SealedSegment[] sealed;
  private final LogSnapshot snapshot; // says what was aborted
  private final long fromOffset;
  private final Clock clock;
  private final long mapBytes;

  private final CompactedMarkers markers;
  private NewestRecords newest; // made by the first step: the owner's thread allocates nothing
  private int mapped; // segments read for keys
  private boolean mapDone;
  private List<SealedSegment[]> groups = List.of();
  private int group;
  private int sourceOfGroup;
  private SegmentBatches batches; // null while no segment is being read
  private AbortedBatches aborted = AbortedBatches.NONE; // of that segment
  private long abortedCount; // records of aborted transactions that went
  private SegmentRewrite rewrite; // null while no group is being written
  private boolean changed;
  private long reservedBytes; // set aside on the disk for the group
  private boolean ready;
  private boolean cancelled;
  private boolean done;
  private long workedBytes;

  private LogCompaction(
      Disk disk,
      LogFiles files,
      LogConfig config,
      DiskSpaceWatch space,
      SealedSegment[] sealed,
      LogSnapshot snapshot,
      long fromOffset,
      Clock clock,
      long mapBytes) {
    this.disk = disk;
    this.files = files;
    this.config = config;
    this.space = space;
    this.sealed = sealed;
    this.snapshot = snapshot;
    this.markers = new CompactedMarkers(clock, config.cleanup().deleteRetention());
    this.fromOffset = fromOffset;
    this.clock = clock;
    this.mapBytes = mapBytes;
    this.mapped = firstDirty(sealed, fromOffset);
  }

  /**
   * A run, if enough is dirty or a delete horizon has passed.
   *
   * @param sealed where every transaction has ended
   * @param snapshot of the log, as it is now
   */
  static Optional<LogCompaction> ifDue(
      Disk disk,
      LogFiles files,
      LogConfig config,
      DiskSpaceWatch space,
      SealedSegment[] sealed,
      LogSnapshot snapshot,
      CleanedOffset cleaned,
      Clock clock,
      long mapBytes) {
    long totalBytes = bytesOf(sealed, 0);
    long dirtyBytes = bytesOf(sealed, firstDirty(sealed, cleaned.offset()));
    boolean isDirty = dirtyBytes > 0 && dirtyBytes >= totalBytes * config.cleanup().minDirtyRatio();
    boolean isDue = sealed.length > 0 && (isDirty || cleaned.deleteHorizonMs() <= clock.millis());
    return isDue
        ? Optional.of(new LogCompaction(disk, files, config, space, sealed, snapshot, cleaned.offset(), clock, mapBytes))
        : Optional.empty();
  }

  private static long bytesOf(SealedSegment[] sealed, int from) {
    return Arrays.stream(sealed).skip(from).mapToLong(SealedSegment::sizeBytes).sum();
  }

  private static int firstDirty(SealedSegment[] sealed, long cleanedOffset) {
    int first = 0;
    while (first < sealed.length && sealed[first].nextOffset() <= cleanedOffset) {
      first++;
    }
    return first;
  }

  /**
   * Does the next bounded piece of the work.
   *
   * @throws LogDamagedException if a segment is damaged; nothing was changed, and the run is over
   * @throws IOException if the disk refused something, or has not enough room; nothing was changed, and the run is over
   */
  public synchronized Progress step() throws IOException {
    if (cancelled) {
      return Progress.CANCELLED;
    }
    if (ready) {
      throw new IllegalStateException("what is ready was not swapped in");
    }
    try {
      if (!mapDone) {
        mapSome();
      } else if (group < groups.size()) {
        rewriteSome();
      } else {
        cleanedOffset().write(disk, files);
        done = true;
      }
    } catch (IOException | RuntimeException e) {
      cancelAfter(e);
      throw e;
    }
    return done ? Progress.DONE : ready ? Progress.READY : Progress.WORKING;
  }

  // ---------------------------------------------------------------- keys

  private void mapSome() throws IOException {
    if (newest == null) {
      newest = new NewestRecords(fromOffset, sealed, mapBytes, clock, config.cleanup().deleteRetention());
    }
    for (long stop = workedBytes + STEP_BYTES; workedBytes < stop && !mapDone; ) {
      if (batches == null) {
        if (mapped == sealed.length) {
          endMap();
          return;
        }
        open(sealed[mapped]);
      }
      Optional<RecordBatch> batch = batches.next(fromOffset);
      if (batch.isEmpty()) {
        closeBatches();
        mapped++;
      } else {
        workedBytes += batch.get().sizeBytes();
        try {
          if (!note(batch.get())) {
            endMap();
          }
        } catch (InvalidBatchException e) {
          throw batches.damaged(e);
        }
      }
    }
  }

  private boolean note(RecordBatch batch) throws InvalidBatchException {
    if (batch.isControl() || aborted.contains(batch)) {
      newest.passOver(batch);
      return true;
    }
    return newest.note(batch);
  }

  private void endMap() throws IOException {
    closeBatches();
    mapDone = true;
    groups = CompactionGroups.of(sealed, newest.end(), config.segmentBytes());
  }

  // ---------------------------------------------------------------- segments

  private void rewriteSome() throws IOException {
    SealedSegment[] sources = groups.get(group);
    if (rewrite == null) {
      requireRoom(bytesOf(sources, 0));
      rewrite = SegmentRewrite.create(disk, files, sources[0].baseOffset(), config.indexIntervalBytes());
      markers.startGroup();
      changed = sources.length > 1;
      sourceOfGroup = 0;
    }
    for (long stop = workedBytes + STEP_BYTES; workedBytes < stop; ) {
      if (batches == null) {
        if (sourceOfGroup == sources.length) {
          endGroup();
          return;
        }
        open(sources[sourceOfGroup]);
      }
      Optional<RecordBatch> batch = batches.next(0);
      if (batch.isEmpty()) {
        closeBatches();
        sourceOfGroup++;
      } else {
        rewrite(batch.get(), sources[sourceOfGroup]);
      }
    }
  }

  /** The log must not meet a full disk because of what compaction writes: its room is set aside first. */
  private void requireRoom(long bytes) throws IOException {
    if (!space.reserve(bytes, config.minFreeBytes())) {
      throw new IOException("not enough room to compact: " + bytes + " bytes are to be written");
    }
    reservedBytes = bytes;
  }

  private void settle() {
    space.settle(reservedBytes);
    reservedBytes = 0;
  }

  private void endGroup() throws IOException {
    if (changed) {
      rewrite.finish(newestWrite(groups.get(group)));
      settle();
      ready = true;
    } else {
      rewrite.discard();
      settle();
      nextGroup();
    }
  }

  private static long newestWrite(SealedSegment[] sources) {
    return Arrays.stream(sources).mapToLong(SealedSegment::lastModifiedMs).max().orElseThrow();
  }

  private void nextGroup() {
    rewrite = null;
    group++;
  }

  private void rewrite(RecordBatch batch, SealedSegment source) throws IOException {
    boolean isNewest = source == sealed[sealed.length - 1];
    RecordBatch left;
    try {
      left = filter(batch, isNewest);
    } catch (InvalidBatchException e) {
      throw batches.damaged(e);
    }
    changed |= left != batch;
    if (left.recordCount() > 0 || isNewest && batch.producerId() >= 0) {
      if (!batch.isControl()) {
        markers.kept(left);
      }
      rewrite.keep(left);
      workedBytes += left.sizeBytes();
    } else {
      changed |= rewrite.drop(batch) | batch.producerId() >= 0; // an empty one of a producer becomes a mere gap
    }
    workedBytes += batch.sizeBytes();
  }

  private RecordBatch filter(RecordBatch batch, boolean isNewest) throws InvalidBatchException {
    if (batch.isControl()) {
      return markers.filter(batch, isNewest);
    }
    if (aborted.contains(batch)) {
      abortedCount += batch.recordCount();
      return BatchFilter.filter(batch, record -> false, OptionalLong.empty());
    }
    return newest.filter(batch);
  }

  private void open(SealedSegment segment) throws IOException {
    aborted = new AbortedBatches(snapshot.abortedTransactions(segment.baseOffset(), segment.nextOffset()));
    batches = SegmentBatches.open(segment);
  }

  private void closeBatches() throws IOException {
    if (batches != null) {
      SegmentBatches closing = batches;
      batches = null;
      closing.close();
    }
  }

  // ---------------------------------------------------------------- for the owner

  /** The segments that {@link #ready} ones replace. */
  SealedSegment[] sources() {
    return groups.get(group);
  }

  /** Of those, which need not be in the index of the aborted ones any more: nothing of them is left. */
  boolean isDropped(AbortedTransaction transaction) {
    return markers.isDropped(transaction.lastOffset());
  }

  /** What replaces {@link #sources}. */
  synchronized SegmentRewrite rewritten() {
    if (!ready) {
      throw new IllegalStateException("nothing is ready");
    }
    return rewrite;
  }

  /** What was ready is in its place: the work goes on. */
  synchronized void taken() {
    ready = false;
    nextGroup();
  }

  /** How far this run has come; in force once it is {@link Progress#DONE}. */
  CleanedOffset cleanedOffset() {
    return new CleanedOffset(newest.end(), Math.min(newest.deleteHorizonMs(), markers.deleteHorizonMs()));
  }

  /** Bytes read and written so far, about. */
  public synchronized long workedBytes() {
    return workedBytes;
  }

  /** Records that went so far. */
  public synchronized long droppedCount() {
    return newest == null ? 0 : newest.droppedCount() + abortedCount;
  }

  /** Ends the run: when this returns it touches no file any more. Waits for a step that is under way. */
  public synchronized void cancel() throws IOException {
    if (cancelled || done) {
      return;
    }
    cancelled = true;
    newest = null;
    try {
      closeBatches();
    } finally {
      settle();
      if (rewrite != null) {
        rewrite.discard();
      }
    }
  }

  private void cancelAfter(Exception cause) {
    try {
      cancel();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }
}
