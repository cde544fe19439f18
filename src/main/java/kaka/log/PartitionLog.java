package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import kaka.record.RecordBatch;

/**
 * One partition's log on disk: sealed segments, oldest first, and the active one that grows. One owner at a time calls it;
 * {@link #snapshot} is for any thread.
 *
 * <p>A batch is appended (numbered, staged), then written, synced and shown to readers by {@link #flush}. After an
 * {@link IOException} from a method that changes the log it takes nothing more ({@link #isWritable} is false): a second sync
 * after a failed one would lie. What was shown before stays readable.
 */
public final class PartitionLog implements Closeable {
  /** What an age roll needs on the disk at most: the indexes of a segment of usual size, and some small files. */
  private static final long ROLL_BYTES = 1024 * 1024;

  private final Disk disk;
  private final LogFiles files;
  private final Clock clock;
  private final StagingBuffer staging;
  private final ProducerState producers;
  private final DiskSpaceWatch space;
  private final SegmentUnlinks unlinks;
  private final SegmentReplacement replacement;
  private final RecoveryReport recovery;

  private LogConfig config;
  private SealedSegment[] sealed; // never changed, only replaced: snapshots share it
  private long sealedBytes;
  private ActiveSegment active;
  private RecoveryPointFile recoveryPoint; // null where the log was opened for reading only
  private long logStartOffset;
  private String unwritableReason = ""; // empty while the log takes appends
  private long reservedBytes; // on the disk, for what is not written yet
  private boolean released;
  private volatile LogSnapshot snapshot;

  private PartitionLog(
      Disk disk,
      LogFiles files,
      LogConfig config,
      Clock clock,
      LogResources resources,
      StagingBuffer staging,
      LogRecovery.Opened opened) {
    this.disk = disk;
    this.files = files;
    this.config = config;
    this.clock = clock;
    this.staging = staging;
    this.producers = opened.producers();
    this.space = resources.space();
    this.unlinks = new SegmentUnlinks(disk, files, resources.unlinks());
    this.recovery = opened.report();
    this.sealed = opened.sealed();
    this.active = opened.active();
    this.replacement = new SegmentReplacement(disk, files, space, active.baseOffset());
    this.recoveryPoint = opened.recoveryPoint().orElse(null);
    this.logStartOffset = opened.logStartOffset();
    this.unwritableReason = opened.unwritableReason();
    this.sealedBytes = Arrays.stream(sealed).mapToLong(SealedSegment::sizeBytes).sum();
    publish();
  }

  /**
   * A new, empty log in a directory of its own, durable when this returns. Goes on where an earlier call was interrupted.
   *
   * @param directory its parent exists
   * @throws FileAlreadyExistsException if there is a complete log already, or one that holds records
   */
  public static PartitionLog create(
      Disk disk, Path directory, UUID topicId, LogConfig config, Clock clock, LogResources resources) throws IOException {
    LogCreation.create(disk, new LogFiles(directory), topicId);
    return open(disk, directory, topicId, config, clock, resources);
  }

  /** As above, for a log that shares nothing with others. */
  public static PartitionLog create(Disk disk, Path directory, UUID topicId, LogConfig config, Clock clock)
      throws IOException {
    return create(disk, directory, topicId, config, clock, LogResources.ofOne(disk, directory, clock));
  }

  /**
   * Opens a log that was created, after whatever end it had; see {@link LogRecovery}. Blocks while the newest segment is read.
   *
   * @throws LogDamagedException if it holds less, or other, than was acknowledged, or belongs to another topic
   */
  public static PartitionLog open(
      Disk disk, Path directory, UUID topicId, LogConfig config, Clock clock, LogResources resources) throws IOException {
    LogFiles files = new LogFiles(directory);
    StagingBuffer staging = new StagingBuffer(resources.staging());
    LogRecovery.Opened opened = LogRecovery.open(disk, files, topicId, config, staging);
    return new PartitionLog(disk, files, config, clock, resources, staging, opened);
  }

  /** As above, for a log that shares nothing with others. */
  public static PartitionLog open(Disk disk, Path directory, UUID topicId, LogConfig config, Clock clock)
      throws IOException {
    return open(disk, directory, topicId, config, clock, LogResources.ofOne(disk, directory, clock));
  }

  /**
   * What an idempotent producer's batch is to those before it: to be asked before {@link #append}, which asks nothing. Appended
   * ones that are not durable yet count too, so a {@link ProducerCheck.Duplicate} must not be acknowledged before the next
   * {@link #flush} has returned. A batch without a producer id is always accepted.
   */
  public ProducerCheck check(RecordBatch batch) {
    return ProducerState.isNumbered(batch) ? producers.check(batch) : ProducerCheck.Accepted.INSTANCE;
  }

  /**
   * Numbers {@code batch} from the log end offset on, with leader epoch 0, and stages it; rolls first if the active segment is
   * full. It is neither durable nor readable before {@link #flush}, or {@link #write}.
   *
   * @param batch has passed {@link RecordBatch#validate}; its bytes are copied
   * @return its base offset
   */
  public long append(RecordBatch batch) throws IOException {
    requireWritable();
    if (batch.lastOffsetDelta() < 0) {
      throw new IllegalArgumentException("last offset delta " + batch.lastOffsetDelta());
    }
    try {
      if (active.isFullFor(batch, config.segmentBytes())) {
        roll();
      }
      long baseOffset = active.nextOffset();
      long nowMs = clock.millis();
      active.append(batch, nowMs);
      if (ProducerState.isNumbered(batch)) {
        producers.add(batch, baseOffset, nowMs);
      }
      return baseOffset;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Makes all that was appended durable, in one write and one sync, and shows it to readers. Then the recovery point follows,
   * not synced.
   */
  public void flush() throws IOException {
    requireWritable();
    try {
      active.write();
      if (active.hasUnsynced()) {
        active.sync();
        recoveryPoint.write(active.recoveryPoint());
      }
    } catch (IOException e) {
      throw failed(e);
    }
    giveBack();
    publish();
  }

  /** Writes what was appended and shows it to readers without a sync: a power cut can take it back until {@link #flush}. */
  public void write() throws IOException {
    requireWritable();
    try {
      active.write();
    } catch (IOException e) {
      throw failed(e);
    }
    giveBack();
    publish();
  }

  /** Whether something was appended that no sync has covered. */
  public boolean hasUnsynced() {
    return active.hasUnsynced();
  }

  /** What can be read now. Safe from any thread. */
  public LogSnapshot snapshot() {
    return snapshot;
  }

  /** What the next record will get. */
  public long logEndOffset() {
    return active.nextOffset();
  }

  /**
   * Sets room on the disk aside for what is going to be appended, until the next {@link #flush} or {@link #write}.
   *
   * @return false if less than {@code minFreeBytes} would be left, after that and all that other logs set aside
   */
  public boolean reserve(long sizeBytes) {
    if (!space.reserve(sizeBytes, config.minFreeBytes())) {
      return false;
    }
    reservedBytes += sizeBytes;
    return true;
  }

  /**
   * Seals the active segment if its first batch is older than the segment age; not while the disk is nearly full, for an age
   * can wait and a log that fails cannot come back.
   *
   * @return whether it was sealed
   */
  public boolean rollIfAged() throws IOException {
    requireWritable();
    if (active.sizeBytes() == 0 || clock.millis() - active.firstAppendMs() < config.segmentAge().toMillis()) {
      return false;
    }
    if (space.isNearlyFull(Math.max(config.minFreeBytes(), ROLL_BYTES))) {
      return false;
    }
    try {
      roll();
    } catch (IOException e) {
      throw failed(e);
    }
    giveBack();
    return true;
  }

  /**
   * Lets go of the oldest sealed segments that retention by bytes or by age no longer keeps. The new log start is durable, which
   * needs no space on the disk, before a file goes; readers that hold a segment read on. The files are unlinked by
   * {@link LogResources#unlinks}, or at the next open.
   *
   * @return how many went
   * @throws IOException if the new log start could not be written; not a failure of the log: it stays as writable as it was
   */
  public int deleteExpiredSegments() throws IOException {
    if (!config.cleanup().deletes() || replacement.hasFailed()) { // a name below the start may be one of a segment above it
      return 0;
    }
    return letGoOf(Retention.expiredCount(sealed, snapshot.sizeBytes(), config, clock.millis()));
  }

  /**
   * As {@link #deleteExpiredSegments}, of all sealed segments that hold nothing from {@code offset} on: for a log whose owner has
   * written what it needs of them once more.
   */
  public int deleteSegmentsBelow(long offset) throws IOException {
    int count = 0;
    while (count < sealed.length && (count + 1 < sealed.length ? sealed[count + 1].baseOffset() : active.baseOffset()) <= offset) {
      count++;
    }
    return letGoOf(count);
  }

  /** Of the oldest {@code count} segments. */
  private int letGoOf(int count) throws IOException {
    if (count == 0) {
      return 0;
    }
    long newStart = count < sealed.length ? sealed[count].baseOffset() : active.baseOffset();
    LogStartOffset.write(disk, files, logStartOffset, newStart);
    SealedSegment[] expired = Arrays.copyOf(sealed, count);
    logStartOffset = newStart;
    replaceSealed(Arrays.copyOfRange(sealed, count, sealed.length));
    snapshot = new LogSnapshot(logStartOffset, sealed, sealedBytes, snapshot.active());
    unlinks.unlink(expired);
    return count;
  }

  /**
   * A run of compaction, if the log is one that is compacted and it is time. One at a time: the next is asked for when this
   * one is done or cancelled.
   *
   * @param mapBytes bound on the memory for keys
   */
  public Optional<LogCompaction> planCompaction(long mapBytes) throws IOException {
    return isWritable() ? replacement.plan(config, sealed, clock.millis(), mapBytes) : Optional.empty();
  }

  /**
   * Puts what a run has {@link LogCompaction.Progress#READY} in its place, unless retention has taken segments of it. Takes
   * about as long as a roll. When the new snapshot is shown to readers, {@link #releaseReplaced} must follow.
   *
   * @throws IOException if the disk refused: the log is as readable and writable as before, but is not compacted again before
   *     it was opened anew
   */
  public void swapIn(LogCompaction run) throws IOException {
    Optional<SealedSegment[]> fewer = replacement.swapIn(run, sealed);
    if (fewer.isPresent()) {
      replaceSealed(fewer.get());
      snapshot = new LogSnapshot(logStartOffset, sealed, sealedBytes, snapshot.active());
    }
    run.taken();
  }

  /** Lets go of the segments that {@link #swapIn} has replaced; older snapshots are stale then. */
  public void releaseReplaced() throws IOException {
    replacement.release();
  }

  /** Takes note of a run that is {@link LogCompaction.Progress#DONE}. */
  public void compacted(LogCompaction run) {
    replacement.compacted(run);
  }

  /** From now on. What a smaller segment or retention asks for happens at the next append or deletion. */
  public void updateConfig(LogConfig config) {
    this.config = config;
  }

  /** What {@link #open} found. */
  public RecoveryReport recovery() {
    return recovery;
  }

  /** Whether the log takes appends. */
  public boolean isWritable() {
    return unwritableReason.isEmpty();
  }

  /** Why it does not, for people; empty if it does. */
  public Optional<String> unwritableReason() {
    return isWritable() ? Optional.empty() : Optional.of(unwritableReason);
  }

  /** Ends in order: flush, recovery point synced. A log that is not writable is only let go of. Snapshots are stale then. */
  @Override
  public void close() throws IOException {
    try {
      if (isWritable()) {
        flush();
        recoveryPoint.sync();
      }
    } finally {
      abandon();
      replacement.end();
      for (SealedSegment segment : sealed) {
        segment.file().close();
      }
      active.closeToReaders();
    }
  }

  /** Lets go of the files without changing any; snapshots stay readable. For a log that failed. */
  public void abandon() throws IOException {
    if (released) {
      return;
    }
    released = true;
    if (isWritable()) {
      unwritableReason = "closed";
    }
    giveBack();
    unlinks.end();
    try {
      active.release();
    } finally {
      if (recoveryPoint != null) {
        recoveryPoint.close();
      }
    }
  }

  /** All that was appended is synced then, so readers may see it. */
  private void roll() throws IOException {
    ActiveSegment full = active;
    SegmentRoll.Rolled rolled =
        SegmentRoll.roll(disk, files, full, producers, recoveryPoint, staging, config.indexIntervalBytes());
    active = rolled.next();
    SealedSegment[] longer = Arrays.copyOf(sealed, sealed.length + 1);
    longer[sealed.length] = rolled.full();
    replaceSealed(longer);
    publish();
    full.release();
    if (sealed.length > 1) { // two are kept, for the newest may be damaged
      ProducerRecovery.deleteSnapshot(disk, files, sealed[sealed.length - 2].baseOffset());
    }
  }

  private void replaceSealed(SealedSegment[] segments) {
    sealed = segments;
    sealedBytes = Arrays.stream(segments).mapToLong(SealedSegment::sizeBytes).sum();
  }

  private void publish() {
    snapshot = new LogSnapshot(logStartOffset, sealed, sealedBytes, active.view());
  }

  private void requireWritable() throws IOException {
    if (!isWritable()) {
      throw new IOException("log " + files.partition() + " takes no appends: " + unwritableReason);
    }
  }

  /** What was staged is written, or never will be. */
  private void giveBack() {
    staging.release();
    space.settle(reservedBytes);
    reservedBytes = 0;
  }

  private IOException failed(IOException cause) {
    giveBack();
    unwritableReason = "storage failed: " + cause.getMessage();
    return cause;
  }
}
