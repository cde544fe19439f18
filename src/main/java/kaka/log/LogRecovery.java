package kaka.log;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens what an earlier process left: finishes an interrupted compaction, and an interrupted deletion below the log start,
 * checks that the segments follow on each other, opens the sealed ones by their indexes, and has the newest one recovered.
 * Files that it does not know are left alone.
 */
final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

  private final Disk disk;
  private final LogFiles files;
  private final LogConfig config;
  private final StagingBuffer staging;

  private LogRecovery(Disk disk, LogFiles files, LogConfig config, StagingBuffer staging) {
    this.disk = disk;
    this.files = files;
    this.config = config;
    this.staging = staging;
  }

  /**
   * The parts of an open log.
   *
   * @param producers what all batches together left
   * @param recoveryPoint empty if the log is not writable
   * @param unwritableReason empty if it is
   */
  record Opened(
      long logStartOffset,
      SealedSegment[] sealed,
      ActiveSegment active,
      ProducerState producers,
      Optional<RecoveryPointFile> recoveryPoint,
      String unwritableReason,
      RecoveryReport report) {}

  /** @throws LogDamagedException if what is there is not what was acknowledged; nothing was changed then */
  static Opened open(Disk disk, LogFiles files, UUID topicId, LogConfig config, StagingBuffer staging)
      throws IOException {
    if (!disk.isDirectory(files.directory())) {
      String what = disk.exists(files.directory()) ? "it is not a directory" : "the directory is missing";
      throw new LogDamagedException(
          files.directory(), 0, what, "Nothing was changed. Put it back, or restore it from a copy; without it this partition is not served");
    }
    if (!disk.exists(files.metadata())) {
      throw new LogDamagedException(files.metadata(), 0, "missing: it was never completely created, or not copied");
    }
    PartitionMetadata.check(disk, files, topicId);
    return new LogRecovery(disk, files, config, staging).open();
  }

  private Opened open() throws IOException {
    long startedNs = System.nanoTime();
    long logStartOffset = LogStartOffset.read(disk, files);
    CompactionSwap.recover(disk, files, logStartOffset);
    List<Long> bases = segmentBases();
    int belowStart = countBelow(bases, logStartOffset);
    List<Long> kept = bases.subList(belowStart, bases.size());
    requireStart(kept, logStartOffset);

    SealedSegmentOpening opening = new SealedSegmentOpening(disk, files, config.indexIntervalBytes());
    SealedSegment[] sealed = new SealedSegment[kept.size() - 1];
    for (int i = 0; i < sealed.length; i++) {
      sealed[i] = opening.open(kept.get(i), kept.get(i + 1));
    }
    long activeBase = kept.get(sealed.length);
    ProducerRecovery producerRecovery = new ProducerRecovery(disk, files);
    ProducerState producers = new ProducerState();
    boolean isComplete = producerRecovery.restore(producers, activeBase, sealed);
    TransactionRecovery transactions = new TransactionRecovery(disk, files, sealed);
    transactions.recover(producers, isComplete);
    TailRecovery tail = new TailRecovery(disk, files, config, staging, activeBase, logStartOffset, producers::copy);
    TailRecovery.Tail recovered = tail.recover();
    if (recovered.unwritableReason().isEmpty()) {
      producerRecovery.deleteOld(activeBase, sealed);
      transactions.deleteOrphans(new TreeSet<>(bases));
      deleteTemporaries();
    }
    int deletedCount = deleteBelow(kept.get(0), logStartOffset) ? belowStart : 0;
    RecoveryReport report =
        new RecoveryReport(
            opening.scannedBytes() + recovered.scannedBytes(),
            recovered.rewrittenBytes(),
            recovered.cutBytes(),
            recovered.cutFile(),
            opening.rebuiltCount(),
            deletedCount,
            Duration.ofNanos(System.nanoTime() - startedNs));
    return new Opened(
        logStartOffset,
        sealed,
        recovered.active(),
        recovered.producers(),
        recovered.recoveryPoint(),
        recovered.unwritableReason(),
        report);
  }

  /** What kills left of small files that were being written. Best effort: they only take room. */
  private void deleteTemporaries() {
    try {
      for (String name : disk.list(files.directory())) {
        if (LogFiles.isTemporary(name)) {
          disk.delete(files.directory().resolve(name));
        }
      }
    } catch (IOException e) {
      LOG.warn("files of interrupted writes not deleted partition={} cause={}", files.partition(), e.toString());
    }
  }

  /** Base offsets of the segments, ascending. */
  private List<Long> segmentBases() throws IOException {
    TreeSet<Long> bases = new TreeSet<>();
    for (String name : disk.list(files.directory())) {
      LogFiles.parse(name).filter(LogFiles.SegmentPart::isLog).ifPresent(part -> bases.add(part.baseOffset()));
    }
    if (bases.isEmpty()) {
      throw new LogDamagedException(files.directory(), 0, "no segment, though the log was created");
    }
    return new ArrayList<>(bases);
  }

  /** How many segments are wholly below the log start: those whose successor starts at or below it. */
  private static int countBelow(List<Long> bases, long logStartOffset) {
    int count = 0;
    while (count + 1 < bases.size() && bases.get(count + 1) <= logStartOffset) {
      count++;
    }
    return count;
  }

  private void requireStart(List<Long> kept, long logStartOffset) throws IOException {
    if (kept.get(0) > logStartOffset) {
      String reason =
          "the first segment, but by log-start-offset the log starts at offset " + logStartOffset
              + ": one is missing, or that file is damaged";
      throw new LogDamagedException(files.log(kept.get(0)), 0, reason, LogStartOffset.advice(disk, files));
    }
  }

  /** Best effort: what stays is below the log start, so nobody reads it, and the next open tries again. */
  private boolean deleteBelow(long firstBase, long logStartOffset) {
    boolean deleted = false;
    try {
      for (String name : disk.list(files.directory())) {
        if (LogFiles.parse(name).filter(part -> part.baseOffset() < firstBase).isPresent()) {
          if (!deleted) { // it may be what the page cache shows after a failed sync: durable before a file goes
            LogStartOffset.write(disk, files, logStartOffset, logStartOffset);
          }
          disk.delete(files.directory().resolve(name));
          deleted = true;
        }
      }
      if (deleted) {
        disk.syncDirectory(files.directory());
        LOG.info("interrupted deletion finished partition={} below_offset={}", files.partition(), firstBase);
      }
      return deleted;
    } catch (IOException e) {
      LOG.warn("cannot delete below log start partition={} below_offset={}", files.partition(), firstBase, e);
      return false;
    }
  }
}
