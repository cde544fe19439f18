package kaka.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers the newest segment: scans and checks all of it, has {@link TailDecision} say what its end means, writes again what
 * no sync is known of, keeps a torn tail aside and cuts it, and cuts zeros that were written ahead. After a clean stop nothing of that is needed, see {@link CleanStop};
 * what that left is gone, durably, before anything is written.
 *
 * <p>Where the disk takes none of that, because it is full or failing, the log still opens, for reading only: with the batches
 * that are known to be on disk, and with every byte left where it is.
 */
final class TailRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(TailRecovery.class);

  private static final String REFUSED = "the disk refused what recovery must write: ";

  private final Disk disk;
  private final LogFiles files;
  private final LogConfig config;
  private final StagingBuffer staging;
  private final long baseOffset;
  private final long logStartOffset;
  private final Supplier<ProducerState> producersBefore;
  private final Path log;

  /**
   * @param logStartOffset not above the end of what must be intact
   * @param producersBefore makes anew what the segments before this one left
   */
  TailRecovery(
      Disk disk,
      LogFiles files,
      LogConfig config,
      StagingBuffer staging,
      long baseOffset,
      long logStartOffset,
      Supplier<ProducerState> producersBefore) {
    this.disk = disk;
    this.files = files;
    this.config = config;
    this.staging = staging;
    this.baseOffset = baseOffset;
    this.logStartOffset = logStartOffset;
    this.producersBefore = producersBefore;
    this.log = files.log(baseOffset);
  }

  /**
   * The recovered segment.
   *
   * @param producers what all its batches, and those before it, have left
   * @param recoveryPoint empty if the log is not writable
   * @param unwritableReason empty if it is
   */
  record Tail(
      ActiveSegment active,
      ProducerState producers,
      Optional<RecoveryPointFile> recoveryPoint,
      String unwritableReason,
      long scannedBytes,
      long rewrittenBytes,
      long cutBytes,
      Optional<Path> cutFile) {}

  /** @throws LogDamagedException if acknowledged data is damaged; nothing was changed then */
  Tail recover() throws IOException {
    Optional<RecoveryPoint> point = RecoveryPointFile.read(disk, files);
    DiskFile file = disk.openForWriting(log);
    try {
      long sizeBytes = file.sizeBytes();
      if (sizeBytes > Integer.MAX_VALUE) {
        throw new LogDamagedException(log, 0, "a segment of " + sizeBytes + " bytes");
      }
      return recover(file, (int) sizeBytes, point);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private Tail recover(DiskFile file, int fileBytes, Optional<RecoveryPoint> point) throws IOException {
    Optional<CleanStop> stop = cleanStop(file, fileBytes, point);
    return stop.isPresent() ? goOn(file, stop.get(), point) : scanned(file, fileBytes, point);
  }

  /** What the last process left if it stopped in order, and nothing has changed since. */
  private Optional<CleanStop> cleanStop(DiskFile file, int fileBytes, Optional<RecoveryPoint> point) throws IOException {
    try {
      Optional<CleanStop> stop = CleanStop.read(disk, files, fileBytes, config.indexIntervalBytes());
      return stop.isPresent()
              && TailDecision.isCleanStop(stop.get(), point, baseOffset, fileBytes)
              && stop.get().nextOffset() >= logStartOffset
              && stop.get().hasLastBatchOf(file)
          ? stop
          : Optional.empty();
    } catch (IOException e) {
      LOG.warn(
          "clean stop not believed, the newest segment is read partition={} segment={} cause=\"{}\"",
          files.partition(),
          baseOffset,
          e.getMessage());
      return Optional.empty();
    }
  }

  /** All of the segment is synced and as it was; where the disk does not take back what says so, nothing may be appended. */
  private Tail goOn(DiskFile file, CleanStop stop, Optional<RecoveryPoint> point) {
    Optional<RecoveryPointFile> pointFile = Optional.empty();
    String unwritableReason = "";
    try {
      CleanStop.remove(disk, files);
      pointFile = Optional.of(writePoint(point.orElseThrow(), point));
    } catch (IOException e) {
      unwritableReason = REFUSED + e.getMessage();
      LOG.error("log opened for reading only partition={} segment={}", files.partition(), baseOffset, e);
    }
    ActiveSegment active =
        new ActiveSegment(
            disk,
            files,
            file,
            staging,
            stop.index(),
            stop.aborted(),
            baseOffset,
            stop.nextOffset(),
            stop.sizeBytes(),
            stop.firstAppendMs());
    return new Tail(active, stop.producers(), pointFile, unwritableReason, 0, 0, 0, Optional.empty());
  }

  private Tail scanned(DiskFile file, int fileBytes, Optional<RecoveryPoint> point) throws IOException {
    int pointPosition = point.filter(p -> p.baseOffset() == baseOffset).map(RecoveryPoint::position).orElse(0);
    long lastModifiedMs = disk.lastModifiedMs(log);
    Batches batches = scan(file, fileBytes, pointPosition, lastModifiedMs);
    int zerosFrom = Zeros.startAtEnd(file, batches.sizeBytes, fileBytes);
    TailDecision.Verdict verdict =
        TailDecision.decide(
            point,
            baseOffset,
            new TailDecision.Scan(fileBytes, batches.sizeBytes, zerosFrom, batches.fault, batches.offsetAtPoint));
    if (verdict instanceof TailDecision.Damaged damaged) {
      throw new LogDamagedException(log, damaged.position(), damaged.reason(), batches.nextOffset);
    }
    if (batches.nextOffset < logStartOffset) {
      throw new LogDamagedException(
          log,
          batches.sizeBytes,
          LogStartOffset.endsBelow(batches.nextOffset, logStartOffset),
          batches.nextOffset);
    }

    Optional<Path> cutFile = Optional.empty();
    Optional<RecoveryPointFile> pointFile = Optional.empty();
    String unwritableReason = "";
    int intactBytes = batches.sizeBytes;
    int syncedBytes = pointPosition;
    try {
      CleanStop.remove(disk, files);
      FileCopy.rewrite(file, pointPosition, intactBytes);
      syncedBytes = intactBytes;
      if (verdict instanceof TailDecision.Torn) {
        cutFile = Optional.of(cut(file, intactBytes, zerosFrom, batches.fault));
      } else if (verdict instanceof TailDecision.Zeroed) {
        ZeroedRoom.cut(file, intactBytes, disk, log);
        LOG.debug(
            "zeros cut partition={} segment={} position={} cut_bytes={}",
            files.partition(),
            baseOffset,
            intactBytes,
            fileBytes - intactBytes);
      }
      pointFile = Optional.of(writePoint(new RecoveryPoint(baseOffset, intactBytes, batches.nextOffset), point));
    } catch (IOException e) {
      unwritableReason = REFUSED + e.getMessage();
      LOG.error(
          "log opened for reading only partition={} segment={} readable_bytes={}",
          files.partition(),
          baseOffset,
          syncedBytes,
          e);
      batches = scan(file, syncedBytes, pointPosition, lastModifiedMs);
    }
    return new Tail(
        activeSegment(file, batches, lastModifiedMs),
        batches.producers,
        pointFile,
        unwritableReason,
        fileBytes,
        syncedBytes - pointPosition,
        cutFile.isPresent() ? zerosFrom - intactBytes : 0,
        cutFile);
  }

  /** The intact batches from the segment's start on, and what they are followed by. */
  private static final class Batches {
    final SegmentIndex index;
    final AbortedIndex aborted = new AbortedIndex();
    final ProducerState producers;
    int sizeBytes;
    long nextOffset;
    String fault = "";
    OptionalLong offsetAtPoint = OptionalLong.empty();
    long firstTimestampMs = TimeIndex.NO_TIMESTAMP;

    Batches(long baseOffset, int indexIntervalBytes, ProducerState producers) {
      this.producers = producers;
      this.index = new SegmentIndex(baseOffset, indexIntervalBytes);
      this.nextOffset = baseOffset;
    }
  }

  /** @param lastModifiedMs no producer has written here later */
  private Batches scan(DiskFile file, int end, int pointPosition, long lastModifiedMs) throws IOException {
    Batches batches = new Batches(baseOffset, config.indexIntervalBytes(), producersBefore.get());
    BatchWalker walk = new BatchWalker(file, 0, end, baseOffset, BatchWalker.SCAN_WINDOW_BYTES);
    while (true) {
      if (batches.sizeBytes == pointPosition) {
        batches.offsetAtPoint = OptionalLong.of(batches.nextOffset);
      }
      if (!walk.next() || !walk.isIntact()) {
        batches.fault = walk.fault();
        return batches;
      }
      batches.index.add(walk.lastOffset(), walk.position(), walk.sizeBytes(), walk.maxTimestampMs());
      walk.addTo(batches.producers, lastModifiedMs).ifPresent(batches.aborted::add);
      if (batches.sizeBytes == 0) {
        batches.firstTimestampMs = walk.maxTimestampMs();
      }
      batches.sizeBytes = walk.nextPosition();
      batches.nextOffset = walk.nextOffset();
    }
  }

  /** Takes the torn tail off, once it is safe elsewhere, and the zeros behind it. @return where it is kept */
  private Path cut(DiskFile file, int from, int to, String fault) throws IOException {
    Path kept = new CutFile(disk, files, baseOffset).keep(file, from, to);
    disk.syncDirectory(files.directory());
    file.truncate(from);
    file.sync();
    LOG.warn(
        "torn tail cut partition={} segment={} position={} cut_bytes={} kept_in={} reason=\"{}\"",
        files.partition(),
        baseOffset,
        from,
        to - from,
        kept.getFileName(),
        fault);
    return kept;
  }

  private RecoveryPointFile writePoint(RecoveryPoint point, Optional<RecoveryPoint> present) throws IOException {
    boolean isNew = !disk.exists(files.recoveryPoint());
    RecoveryPointFile file = RecoveryPointFile.open(disk, files);
    try {
      if (!present.equals(Optional.of(point))) {
        file.write(point);
        file.sync();
      }
      if (isNew) {
        disk.syncDirectory(files.directory());
      }
      return file;
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /** The age of its first batch is that batch's timestamp, but the batch is not younger than the file's last write. */
  private ActiveSegment activeSegment(DiskFile file, Batches batches, long lastModifiedMs) {
    long firstAppendMs =
        batches.firstTimestampMs < 0 ? lastModifiedMs : Math.min(batches.firstTimestampMs, lastModifiedMs);
    return new ActiveSegment(
        disk,
        files,
        file,
        staging,
        batches.index,
        batches.aborted,
        baseOffset,
        batches.nextOffset,
        batches.sizeBytes,
        firstAppendMs);
  }
}
