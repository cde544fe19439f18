package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import kaka.record.BatchFilter;
import kaka.record.RecordBatch;

/**
 * A segment that is written from another log's batches: each gets our leader epoch, and an empty batch stands for offsets that
 * have none, since our logs have no gap. Close it whatever happens.
 */
final class ImportedSegment implements AutoCloseable {
  private static final int BUFFER_BYTES = 256 * 1024;

  private final Disk disk;
  private final LogFiles files;
  private final Path path;
  private final DiskFile file;
  private final SegmentIndex index;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private final long baseOffset;
  private long nextOffset;
  private int sizeBytes;

  ImportedSegment(Disk disk, LogFiles files, long baseOffset, int indexIntervalBytes) throws IOException {
    this.disk = disk;
    this.files = files;
    this.path = files.log(baseOffset);
    this.file = disk.create(path);
    this.index = new SegmentIndex(baseOffset, indexIntervalBytes);
    this.baseOffset = baseOffset;
    this.nextOffset = baseOffset;
  }

  /** @param batch starts at the next offset or, where some are missing, above it */
  void add(RecordBatch batch) throws IOException {
    fillTo(batch.baseOffset());
    write(batch.leaderEpoch() == BatchWalker.LEADER_EPOCH ? batch : batch.numbered(batch.baseOffset(), BatchWalker.LEADER_EPOCH));
    nextOffset = batch.lastOffset() + 1;
  }

  private void fillTo(long offset) throws IOException {
    if (offset > nextOffset) {
      if (offset - 1 - baseOffset > Integer.MAX_VALUE) {
        throw new IOException(path + ": offsets up to " + offset + " would be in it, more than 2^31");
      }
      write(BatchFilter.gap(nextOffset, offset - 1, BatchWalker.LEADER_EPOCH));
      nextOffset = offset;
    }
  }

  private void write(RecordBatch batch) throws IOException {
    int batchBytes = batch.sizeBytes();
    if (batchBytes > Integer.MAX_VALUE - sizeBytes) {
      throw new IOException(path + " would exceed 2 GiB");
    }
    if (batch.lastOffset() - baseOffset > Integer.MAX_VALUE) {
      throw new IOException(path + ": offset " + batch.lastOffset() + " would be in it, more than 2^31 after its first");
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

  /** Another segment follows: it ends at {@code nextBase}, and has its indexes. Durable but for its directory. */
  void seal(long nextBase) throws IOException {
    fillTo(nextBase);
    sync();
    index.writeTo(disk, files);
  }

  /** It is the last. @return up to where it is synced */
  RecoveryPoint sync() throws IOException {
    drain();
    file.sync();
    return new RecoveryPoint(baseOffset, sizeBytes, nextOffset);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
