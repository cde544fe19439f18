package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import kaka.record.BatchFilter;
import kaka.record.RecordBatch;

/**
 * The file that is to take the place of some sealed segments: their batches again, with fewer records, and the offsets of
 * those that went in empty batches. Until it is renamed it is nobody's, and a restart deletes it.
 */
final class SegmentRewrite {
  private static final int BUFFER_BYTES = 256 * 1024;

  private final Disk disk;
  private final LogFiles files;
  private final Path path;
  private final DiskFile file;
  private final SegmentIndex index;
  private final long baseOffset;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private long nextOffset;
  private long gapStart = -1; // of the offsets that went since the last batch; -1 if none did
  private int sizeBytes;
  private boolean closed;

  private SegmentRewrite(Disk disk, LogFiles files, DiskFile file, long baseOffset, int indexIntervalBytes) {
    this.disk = disk;
    this.files = files;
    this.path = files.cleaned(baseOffset);
    this.file = file;
    this.index = new SegmentIndex(baseOffset, indexIntervalBytes);
    this.baseOffset = baseOffset;
    this.nextOffset = baseOffset;
  }

  static SegmentRewrite create(Disk disk, LogFiles files, long baseOffset, int indexIntervalBytes) throws IOException {
    Path path = files.cleaned(baseOffset);
    if (disk.exists(path)) { // an earlier run could not delete it
      disk.delete(path);
    }
    return new SegmentRewrite(disk, files, disk.createSpare(path), baseOffset, indexIntervalBytes);
  }

  /** @param batch starts at {@link #nextOffset} */
  void keep(RecordBatch batch) throws IOException {
    requireNext(batch);
    writeGap();
    write(batch);
    nextOffset = batch.lastOffset() + 1;
  }

  /** The batch's records all went. @return whether the one before it did, too, so that one empty batch stands for both */
  boolean drop(RecordBatch batch) {
    requireNext(batch);
    boolean grows = gapStart >= 0;
    if (!grows) {
      gapStart = batch.baseOffset();
    }
    nextOffset = batch.lastOffset() + 1;
    return grows;
  }

  private void requireNext(RecordBatch batch) {
    if (batch.baseOffset() != nextOffset) {
      throw new IllegalArgumentException(batch.baseOffset() + " is not " + nextOffset);
    }
  }

  /**
   * All batches are there: makes the file durable, under its own name.
   *
   * @param lastModifiedMs of the newest segment it was made from: retention by age must not see records that are new
   */
  void finish(long lastModifiedMs) throws IOException {
    writeGap();
    drain();
    disk.setLastModifiedMs(path, lastModifiedMs);
    file.sync();
    close();
  }

  private void writeGap() throws IOException {
    if (gapStart >= 0) {
      write(BatchFilter.gap(gapStart, nextOffset - 1, BatchWalker.LEADER_EPOCH));
      gapStart = -1;
    }
  }

  private void write(RecordBatch batch) throws IOException {
    int batchBytes = batch.sizeBytes();
    if (batchBytes > Integer.MAX_VALUE - sizeBytes) {
      throw new IOException(path + " would exceed 2 GiB");
    }
    index.add(batch.lastOffset(), sizeBytes, batchBytes, batch.maxTimestampMs());
    for (int from = 0; from < batchBytes; ) {
      int count = Math.min(batchBytes - from, buffer.remaining());
      batch.copyTo(from, count, buffer);
      sizeBytes += count;
      from += count;
      if (!buffer.hasRemaining()) {
        drain();
      }
    }
  }

  private void drain() throws IOException {
    buffer.flip();
    file.write(buffer, sizeBytes - buffer.remaining());
    buffer.clear();
  }

  private void close() throws IOException {
    if (!closed) {
      closed = true;
      file.close();
    }
  }

  /** Drops the file; what cannot be deleted goes at the next open. */
  void discard() throws IOException {
    close();
    if (disk.exists(path)) {
      disk.delete(path);
    }
  }

  long baseOffset() {
    return baseOffset;
  }

  long nextOffset() {
    return nextOffset;
  }

  int sizeBytes() {
    return sizeBytes;
  }

  SegmentIndex index() {
    return index;
  }

  /** The segment, once the file has its final name. */
  SealedSegment sealed() throws IOException {
    Path log = files.log(baseOffset);
    return new SealedSegment(
        disk,
        files,
        new SegmentFile(disk, log),
        baseOffset,
        nextOffset,
        sizeBytes,
        index.maxTimestampMs(),
        disk.lastModifiedMs(log));
  }
}
