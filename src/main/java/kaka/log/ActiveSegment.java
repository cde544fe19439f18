package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import kaka.record.RecordBatch;

/**
 * The one file of a log that grows: batches end to end, without gap in [baseOffset, nextOffset). Has one owner. Batches are
 * staged, written, synced, in this order; a {@link View} shows what was written when it was taken. Its file may be longer, by a
 * {@link ZeroedRoom}, until the segment is {@link #end ended}.
 *
 * <p>After an {@link IOException} the owner must not append, write or sync again.
 */
final class ActiveSegment {
  private final Disk disk;
  private final LogFiles files;
  private final SegmentFile handle;
  private final DiskFile file;
  private final ZeroedRoom room;
  private final StagingBuffer staging;
  private final SegmentIndex index;
  private final AbortedIndex aborted;
  private final long baseOffset;

  private long nextOffset;
  private int sizeBytes; // what is staged included
  private int writtenBytes;
  private int syncedBytes;
  private long firstAppendMs;

  /**
   * @param file open for writing, as long as the batches, belongs to the segment from now on
   * @param index of all batches in it
   * @param aborted transactions whose end is in it
   * @param sizeBytes of these, all synced
   * @param firstAppendMs when its first batch came; without meaning while it is empty
   */
  ActiveSegment(
      Disk disk,
      LogFiles files,
      DiskFile file,
      StagingBuffer staging,
      SegmentIndex index,
      AbortedIndex aborted,
      long baseOffset,
      long nextOffset,
      int sizeBytes,
      long firstAppendMs) {
    this.disk = disk;
    this.files = files;
    this.handle = SegmentFile.held(disk, files.log(baseOffset), file);
    this.file = file;
    this.room = new ZeroedRoom(file, sizeBytes);
    this.staging = staging;
    this.index = index;
    this.aborted = aborted;
    this.baseOffset = baseOffset;
    this.nextOffset = nextOffset;
    this.sizeBytes = sizeBytes;
    this.writtenBytes = sizeBytes;
    this.syncedBytes = sizeBytes;
    this.firstAppendMs = firstAppendMs;
  }

  /** A new, empty one; the caller syncs the directory. */
  static ActiveSegment create(Disk disk, LogFiles files, StagingBuffer staging, int indexIntervalBytes, long baseOffset)
      throws IOException {
    DiskFile file = disk.create(files.log(baseOffset));
    SegmentIndex index = new SegmentIndex(baseOffset, indexIntervalBytes);
    return new ActiveSegment(disk, files, file, staging, index, new AbortedIndex(), baseOffset, baseOffset, 0, 0);
  }

  /** Whether {@code batch} belongs into the next segment: this one is not empty, and would get too large with it. */
  boolean isFullFor(RecordBatch batch, long segmentBytes) {
    return sizeBytes > 0
        && (sizeBytes + (long) batch.sizeBytes() > segmentBytes
            || nextOffset + batch.lastOffsetDelta() - baseOffset > Integer.MAX_VALUE); // index entries are ints
  }

  /** Numbers {@code batch} from {@link #nextOffset} on and stages it; where the buffer is full, what it holds is written. */
  void append(RecordBatch batch, long nowMs) throws IOException {
    int batchBytes = batch.sizeBytes();
    if (batchBytes > staging.room()) {
      write();
    }
    for (int from = 0; from < batchBytes; ) {
      int count = Math.min(batchBytes - from, staging.room());
      staging.put(batch, from, count, nextOffset, BatchWalker.LEADER_EPOCH);
      sizeBytes += count;
      from += count;
      if (from < batchBytes || staging.mustWriteNow()) {
        write();
      }
    }
    if (sizeBytes == batchBytes) {
      firstAppendMs = nowMs;
    }
    long lastOffset = nextOffset + batch.lastOffsetDelta();
    index.add(lastOffset, sizeBytes - batchBytes, batchBytes, batch.maxTimestampMs());
    nextOffset = lastOffset + 1;
  }

  /** Writes what is staged, in one write. */
  void write() throws IOException {
    if (!staging.isEmpty()) {
      file.write(staging.toWrite(), writtenBytes);
      staging.clear();
      writtenBytes = sizeBytes;
      room.written(writtenBytes);
    }
  }

  /** Syncs what was written, if something was since the last sync. */
  void sync() throws IOException {
    if (syncedBytes < writtenBytes) {
      file.sync();
      room.committed(writtenBytes - syncedBytes);
      syncedBytes = writtenBytes;
    }
  }

  /**
   * Makes room for the next commits where that pays: where each is synced, and nothing that was written waits for that. What the disk
   * says of it is no failure of the segment.
   */
  void zeroAhead(LogConfig config, DiskSpaceWatch space) {
    if (config.fsyncInterval().isZero() && syncedBytes == writtenBytes) {
      room.extend(writtenBytes, config, space, handle.path());
    }
  }

  /** Writes what is left, takes the zeros off and syncs: the file is what its batches are. Nothing is appended afterwards. */
  void end() throws IOException {
    write();
    if (room.cut(writtenBytes, disk, handle.path())) {
      syncedBytes = writtenBytes;
    } else {
      sync();
    }
  }

  boolean hasUnsynced() {
    return syncedBytes < sizeBytes;
  }

  /** A marker was appended, which ends {@code transaction}. */
  void add(AbortedTransaction transaction) {
    aborted.add(transaction);
  }

  /**
   * {@link #end Ends} it, then writes the indexes. The caller makes the next segment, then lets go of this one.
   *
   * @param withAborted whether the log has transactions
   */
  SealedSegment seal(boolean withAborted) throws IOException {
    end();
    index.writeTo(disk, files);
    if (withAborted) {
      AbortedIndex.write(disk, files, baseOffset, aborted.entries());
    }
    Path path = handle.path();
    return new SealedSegment(
            disk, files, handle, baseOffset, nextOffset, sizeBytes, index.maxTimestampMs(), disk.lastModifiedMs(path))
        .withAborted(aborted.entries().count());
  }

  /**
   * What lets the next open go on with this segment without reading it; it is {@link #end ended}, and not empty.
   *
   * @param producers what all batches together left
   */
  CleanStop cleanStop(ProducerState producers) throws IOException {
    if (syncedBytes < sizeBytes) {
      throw new IllegalStateException("not all is synced");
    }
    ByteBuffer lastHeader = CleanStop.headerAt(file, index.lastPosition());
    return new CleanStop(baseOffset, sizeBytes, nextOffset, firstAppendMs, lastHeader, index, aborted, producers);
  }

  /** What is left to let go of, where all records of it were deleted: it has no indexes. */
  SealedSegment ended() {
    return new SealedSegment(
        disk, files, handle, baseOffset, nextOffset, sizeBytes, index.maxTimestampMs(), firstAppendMs);
  }

  /** The owner lets go of the file: readers that hold it read on, later ones open it anew. */
  void release() throws IOException {
    handle.release();
  }

  /** Nobody new can read it: its name may soon mean another file. */
  void closeToReaders() {
    handle.close();
  }

  /**
   * What has been written, all of which is whole batches once {@link #write} has returned.
   *
   * @param firstOpen where the log's earliest open transaction begins; {@link Long#MAX_VALUE} if none is open
   */
  View view(long firstOpen) {
    if (!staging.isEmpty()) {
      throw new IllegalStateException("staged batches are not in the file yet");
    }
    return new View(
        handle,
        baseOffset,
        nextOffset,
        writtenBytes,
        index.maxTimestampMs(),
        index.offsets(),
        index.times(),
        aborted.entries(),
        firstOpen);
  }

  RecoveryPoint recoveryPoint() {
    return new RecoveryPoint(baseOffset, syncedBytes, nextOffset);
  }

  long baseOffset() {
    return baseOffset;
  }

  /** The log end offset: what the next record will get. */
  long nextOffset() {
    return nextOffset;
  }

  int sizeBytes() {
    return sizeBytes;
  }

  /** When its first batch was appended, in milliseconds since 1970; without meaning while it is empty. */
  long firstAppendMs() {
    return firstAppendMs;
  }

  /** The active segment as it was at one moment. */
  record View(
      SegmentFile file,
      long baseOffset,
      long nextOffset,
      int sizeBytes,
      long maxTimestampMs,
      OffsetIndex.Entries offsets,
      TimeIndex.Entries times,
      AbortedIndex.Entries aborted,
      long firstOpen)
      implements ReadableSegment {
    @Override
    public Optional<OffsetEntry> floor(long offset) {
      int i = offsets.floor(offset - baseOffset);
      return i < 0
          ? Optional.empty()
          : Optional.of(new OffsetEntry(baseOffset + offsets.relativeOffset(i), offsets.position(i)));
    }

    @Override
    public Optional<TimeEntry> lower(long timestampMs) {
      int i = times.lower(timestampMs);
      return i < 0
          ? Optional.empty()
          : Optional.of(new TimeEntry(times.timestampsMs()[i], baseOffset + times.relativeOffsets()[i]));
    }
  }
}
