package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The copy of a segment file, which may grow while it is copied: every batch that is copied is checked, and the copy counts as
 * far as they are intact. Holds no file open between two calls. Has one owner.
 */
final class CopiedSegment {
  private static final int PIECE_BYTES = 1024 * 1024;

  private final Disk disk;
  private final LogFiles target;
  private final long baseOffset;
  private final SegmentIndex index;
  private final ByteBuffer piece;
  private int sourceBytes; // of the source's file, when it was last looked at
  private int intactBytes;
  private long nextOffset;
  private String fault = ""; // why what follows on the intact bytes is no batch
  private long lastModifiedMs;

  private CopiedSegment(Disk disk, LogFiles target, long baseOffset, int indexIntervalBytes, ByteBuffer piece) {
    this.disk = disk;
    this.target = target;
    this.baseOffset = baseOffset;
    this.index = new SegmentIndex(baseOffset, indexIntervalBytes);
    this.piece = piece;
    this.nextOffset = baseOffset;
  }

  /** What several copies, one after the other, can share. */
  static ByteBuffer newPiece() {
    return ByteBuffer.allocateDirect(PIECE_BYTES);
  }

  static CopiedSegment create(Disk disk, LogFiles target, long baseOffset, int indexIntervalBytes, ByteBuffer piece)
      throws IOException {
    disk.create(target.log(baseOffset)).close();
    return new CopiedSegment(disk, target, baseOffset, indexIntervalBytes, piece);
  }

  /**
   * Goes on from where the intact batches end to where the source ends now.
   *
   * @return the bytes that were copied
   * @throws java.nio.file.NoSuchFileException if the source is gone
   */
  int extend(Path source, BackupProgress progress) throws IOException {
    try (DiskFile from = disk.openForReading(source);
        DiskFile to = disk.openForWriting(target.log(baseOffset))) {
      long sizeBytes = from.sizeBytes();
      if (sizeBytes > Integer.MAX_VALUE) {
        throw new LogDamagedException(source, 0, "a segment of " + sizeBytes + " bytes");
      }
      sourceBytes = (int) sizeBytes;
      lastModifiedMs = disk.lastModifiedMs(source);
      int end = intactBytes;
      int syncedEnd = end;
      while (end < sourceBytes) {
        piece.clear().limit(Math.min(piece.capacity(), sourceBytes - end));
        int count = from.read(piece, end);
        if (count == 0) {
          break; // it was cut meanwhile
        }
        to.write(piece.flip(), end);
        end += count;
        if (end - syncedEnd >= FileCopy.SYNC_BYTES) {
          to.sync();
          syncedEnd = end;
        }
        progress.copied(count);
      }
      int copiedBytes = Math.max(0, end - intactBytes);
      check(to, end);
      return copiedBytes;
    }
  }

  private void check(DiskFile copy, int end) throws IOException {
    fault = "";
    BatchWalker walk = new BatchWalker(copy, intactBytes, end, nextOffset, BatchWalker.SCAN_WINDOW_BYTES);
    while (walk.next() && walk.isIntact()) {
      index.add(walk.lastOffset(), walk.position(), walk.sizeBytes(), walk.maxTimestampMs());
      intactBytes = walk.nextPosition();
      nextOffset = walk.nextOffset();
    }
    fault = walk.fault();
  }

  /** Makes the copy durable, without what follows on the intact batches. */
  void sync() throws IOException {
    try (DiskFile file = disk.openForWriting(target.log(baseOffset))) {
      if (file.sizeBytes() > intactBytes) {
        file.truncate(intactBytes);
      }
      file.sync();
    }
    disk.setLastModifiedMs(target.log(baseOffset), lastModifiedMs); // retention goes by it; only what is synced gets it
  }

  /** As {@link #sync}, and writes the indexes: the segment is complete. */
  void seal() throws IOException {
    index.writeTo(disk, target);
    sync();
  }

  /** Whether all that the source had is here. */
  boolean isWhole() {
    return intactBytes > 0 && intactBytes == sourceBytes;
  }

  long baseOffset() {
    return baseOffset;
  }

  int sourceBytes() {
    return sourceBytes;
  }

  int intactBytes() {
    return intactBytes;
  }

  long nextOffset() {
    return nextOffset;
  }

  /** Empty if nothing follows on the intact batches. */
  String fault() {
    return fault;
  }

  /** Offset after the intact batch that ends at {@code position}; -1 if none does. */
  long offsetAt(int position) throws IOException {
    try (DiskFile file = disk.openForReading(target.log(baseOffset))) {
      BatchWalker walk = new BatchWalker(file, 0, intactBytes, baseOffset, BatchWalker.SCAN_WINDOW_BYTES);
      while (walk.nextPosition() < position && walk.next()) {}
      return walk.nextPosition() == position ? walk.nextOffset() : -1;
    }
  }
}
