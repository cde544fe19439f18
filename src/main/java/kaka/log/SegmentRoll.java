package kaka.log;

import java.io.IOException;

/**
 * Ends the active segment and begins the next. In this order, each step durable before the next: its bytes, its indexes, the
 * producers' snapshot, the new file, the recovery point in it.
 */
final class SegmentRoll {
  private SegmentRoll() {}

  /** @param full what was the active segment; the owner still holds its file */
  record Rolled(SealedSegment full, ActiveSegment next) {}

  /** @throws IOException if the disk refused: the log takes nothing more, and the next open sees to what is there */
  static Rolled roll(
      Disk disk,
      LogFiles files,
      ActiveSegment active,
      ProducerState producers,
      RecoveryPointFile recoveryPoint,
      StagingBuffer staging,
      int indexIntervalBytes)
      throws IOException {
    SealedSegment full = active.seal();
    ProducerSnapshot.write(disk, files, active.nextOffset(), producers);
    ActiveSegment next = ActiveSegment.create(disk, files, staging, indexIntervalBytes, active.nextOffset());
    try {
      disk.syncDirectory(files.directory());
      recoveryPoint.write(next.recoveryPoint());
      recoveryPoint.sync();
    } catch (IOException e) {
      next.release();
      throw e;
    }
    return new Rolled(full, next);
  }
}
