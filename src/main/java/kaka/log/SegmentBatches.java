package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;

/** The batches of a sealed segment, whole and checked, one after the other. Holds the segment's file until it is closed. */
final class SegmentBatches implements Closeable {
  private final SealedSegment segment;
  private final DiskFile file;
  private final BatchWalker walk;
  private boolean closed;

  private SegmentBatches(SealedSegment segment, DiskFile file) {
    this.segment = segment;
    this.file = file;
    this.walk =
        new BatchWalker(file, 0, segment.sizeBytes(), segment.baseOffset(), BatchWalker.SCAN_WINDOW_BYTES);
  }

  /** @throws StaleSnapshotException if the segment is gone */
  static SegmentBatches open(SealedSegment segment) throws IOException {
    segment.file().retain();
    try {
      return new SegmentBatches(segment, segment.file().file());
    } catch (IOException e) {
      segment.file().release();
      throw e;
    }
  }

  /**
   * The next batch with an offset from {@code fromOffset} on; those before are not read. Empty at the segment's end.
   *
   * @throws LogDamagedException if what is there is not what was written
   */
  Optional<RecordBatch> next(long fromOffset) throws IOException {
    do {
      if (!walk.next()) {
        if (!walk.atEnd()) {
          throw new LogDamagedException(segment.file().path(), walk.nextPosition(), walk.fault());
        }
        return Optional.empty();
      }
    } while (walk.lastOffset() < fromOffset);
    byte[] bytes = new byte[walk.sizeBytes()];
    file.read(ByteBuffer.wrap(bytes), walk.position());
    try {
      RecordBatch batch = RecordBatch.frame(bytes, 0, bytes.length);
      if (!batch.isCrcValid()) {
        throw new LogDamagedException(segment.file().path(), walk.position(), "CRC32C does not fit");
      }
      return Optional.of(batch);
    } catch (InvalidBatchException e) {
      throw damaged(e);
    }
  }

  /** What is wrong with the records of the batch that was returned last. */
  LogDamagedException damaged(InvalidBatchException cause) {
    return new LogDamagedException(segment.file().path(), walk.position(), cause.getMessage());
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      segment.file().release();
    }
  }
}
