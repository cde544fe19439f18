package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the active segment and begins the next. In this order, each step durable before the next: its bytes and that nothing
 * follows on them, its indexes, the producers' snapshot, the new file, the recovery point in it.
 */
final class SegmentRoll {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRoll.class);

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
    SealedSegment full = active.seal(producers.transactionsFrom() < active.nextOffset());
    ProducerSnapshot.write(disk, files, active.nextOffset(), producers);
    ActiveSegment next = ActiveSegment.create(disk, files, staging, indexIntervalBytes, active.nextOffset());
    begin(disk, files, recoveryPoint, next);
    return new Rolled(full, next);
  }

  private static void begin(Disk disk, LogFiles files, RecoveryPointFile recoveryPoint, ActiveSegment next)
      throws IOException {
    try {
      disk.syncDirectory(files.directory());
      recoveryPoint.write(next.recoveryPoint());
      recoveryPoint.sync();
    } catch (IOException e) {
      next.release();
      throw e;
    }
  }

  /**
   * Begins the segment after one whose records were all deleted: that is synced already, needs no indexes, and nobody will ask where
   * it ends. What needs room
   * on the disk comes first, for this log may be what fills it.
   *
   * @return empty if there is no room: nothing has happened
   * @throws IOException as in {@link #roll}; also if it is not sure that nothing was created, for a power cut could leave a
   *     next segment while the present one grows on
   */
  static Optional<ActiveSegment> afterDeleted(
      Disk disk,
      LogFiles files,
      ActiveSegment active,
      ProducerState producers,
      RecoveryPointFile recoveryPoint,
      StagingBuffer staging,
      int indexIntervalBytes)
      throws IOException {
    long baseOffset = active.nextOffset();
    Path created = files.snapshot(baseOffset);
    ActiveSegment next;
    try {
      if (!disk.exists(created)) { // from an earlier attempt, and nothing was appended since
        ProducerSnapshot.write(disk, files, baseOffset, producers);
      }
      created = files.log(baseOffset);
      next = ActiveSegment.create(disk, files, staging, indexIntervalBytes, baseOffset);
    } catch (IOException e) {
      if (disk.exists(created)) {
        throw e;
      }
      LOG.info("no room for a new segment, the deleted one stays partition={} cause={}", files.partition(), e.toString());
      return Optional.empty();
    }
    begin(disk, files, recoveryPoint, next);
    return Optional.of(next);
  }
}
