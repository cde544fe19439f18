package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import kaka.record.RecordBatch;
import kaka.record.TransactionMarker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition's log on disk: sealed segments, oldest first, and the active one that grows. One owner at a time calls it;
 * {@link #snapshot} is for any thread.
 *
 * <p>A batch is appended (numbered, staged), then written, synced and shown to readers by {@link #flush}. After an
 * {@link IOException} from a method that changes the log it takes nothing more ({@link #isWritable} is false): a second sync
 * after a failed one would lie. What was shown before stays readable.
 */
public final class PartitionLog implements Closeable {
  /** What an age roll, or a {@link CleanStop}, needs on the disk at most: the indexes of a segment of usual size, and some small files. */
  private static final long ROLL_BYTES = 1024 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(PartitionLog.class);

  private final Disk disk;
  private final LogFiles files;
  private final Clock clock;
  private final StagingBuffer staging;
  private final ProducerState producers;
  private final DiskSpaceWatch space;
  private final SealedSegments sealed;
  private final SegmentReplacement replacement;
  private final RecoveryReport recovery;

  private LogConfig config;
  private ActiveSegment active;
  private RecoveryPointFile recoveryPoint; // null where the log was opened for reading only
  private String unwritableReason = ""; // empty while the log takes appends
  private long reservedBytes; // on the disk, for what is not written yet
  private boolean released;
  private long lastWriteNs;
  private long lastSyncNs;
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
    SegmentUnlinks unlinks = new SegmentUnlinks(disk, files, resources.unlinks());
    this.sealed = new SealedSegments(disk, files, unlinks, opened.sealed(), opened.logStartOffset());
    this.recovery = opened.report();
    this.active = opened.active();
    this.replacement = new SegmentReplacement(disk, files, space, active.baseOffset());
    this.recoveryPoint = opened.recoveryPoint().orElse(null);
    this.unwritableReason = opened.unwritableReason();
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
   * Opens a log that was created, after whatever end it had; see {@link LogRecovery}. Blocks while the newest segment is read, which
   * a clean stop saves.
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

  /** What ending a transaction by {@code marker} is to those there are: to be asked before {@link #append(TransactionMarker)}. */
  public MarkerCheck check(TransactionMarker marker) {
    return producers.check(marker);
  }

  /** As {@link #append(RecordBatch)}, for what the broker itself says of a transaction: its producer's ends here. */
  public long append(TransactionMarker marker) throws IOException {
    long nowMs = clock.millis();
    long offset = append(marker.toBatch(nowMs));
    producers.end(marker, offset, nowMs).ifPresent(active::add);
    return offset;
  }

  /** Whether a transactional batch of the producer would begin a transaction here. */
  public boolean hasOpenTransaction(long producerId) {
    return producers.hasOpenTransaction(producerId);
  }

  /** Whether the epoch is what is remembered of the producer. */
  public boolean knows(long producerId, short epoch) {
    return producers.isEpochOf(producerId, epoch);
  }

  /** What is remembered of producers, in no order; what was appended and is not durable yet is in it. */
  public List<ActiveProducer> producers() {
    return producers.producers().stream().map(ActiveProducer::of).toList();
  }

  /**
   * Makes all that was appended durable, in one write and one sync, and shows it to readers. Then the recovery point follows,
   * not synced, and where it pays zeros for what comes next.
   */
  public void flush() throws IOException {
    commit();
    active.zeroAhead(config, space);
  }

  private void commit() throws IOException {
    requireWritable();
    try {
      timedWrite();
      if (active.hasUnsynced()) {
        long startNs = System.nanoTime();
        active.sync();
        lastSyncNs = System.nanoTime() - startNs;
        recoveryPoint.write(active.recoveryPoint());
      }
    } catch (IOException e) {
      throw failed(e);
    }
    giveBack();
    publish();
  }

  private void timedWrite() throws IOException {
    long startNs = System.nanoTime();
    active.write();
    lastWriteNs = System.nanoTime() - startNs;
    lastSyncNs = 0;
  }

  /** How long the last {@link #flush} or {@link #write} took to write. */
  public long lastWriteNs() {
    return lastWriteNs;
  }

  /** How long it took to sync; 0 if it did not. */
  public long lastSyncNs() {
    return lastSyncNs;
  }

  /** Writes what was appended and shows it to readers without a sync: a power cut can take it back until {@link #flush}. */
  public void write() throws IOException {
    requireWritable();
    try {
      timedWrite();
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
   * can wait and a log that fails cannot come back. Lets go of it if all its records were deleted.
   *
   * @return whether there is a new one
   */
  public boolean rollIfAged() throws IOException {
    requireWritable();
    if (rollIfDeleted()) {
      return true;
    }
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

  /** The same, where nobody but the log's own {@link #snapshot} shows what can be read. */
  public int deleteExpiredSegments() throws IOException {
    return deleteExpiredSegments(() -> {});
  }

  /**
   * Lets go of the oldest sealed segments: those that retention by bytes or by age no longer keeps, and those whose records
   * were all deleted. The new log start is durable, which needs no space on the disk, before a file goes; readers that hold a
   * segment read on. The files are unlinked by {@link LogResources#unlinks}, or at the next open.
   *
   * @param show shows the new snapshot to everybody; called before older ones become stale
   * @return how many went
   * @throws IOException if the new log start could not be written; not a failure of the log: it stays as writable as it was
   */
  public int deleteExpiredSegments(Runnable show) throws IOException {
    if (replacement.hasFailed()) { // a name below the start may be one of a segment above it
      return 0;
    }
    sealed.moveStart(sealed.startByRetention(snapshot.active(), config, clock.millis()));
    return dropDeleted(show);
  }

  /**
   * Deletes the records below {@code offset}: the log starts there from now on, in the middle of a segment or of a batch where
   * need be. Segments that are wholly below it go as in {@link #deleteExpiredSegments}; the active one too, if the disk has room
   * for an empty file, else when it has. What was appended before is synced first, as the log must never start above its end.
   *
   * @param offset at least 0, or {@link RecordsDeletion#ALL}
   * @param show as in {@link #deleteExpiredSegments}
   * @throws IOException if the disk refused; a failure of the log only if it {@link #isWritable} no more
   */
  public RecordsDeletion deleteRecordsBefore(long offset, Runnable show) throws IOException {
    RecordsDeletion decided = RecordsDeletion.decide(offset, snapshot, isWritable(), config.cleanup());
    if (decided instanceof RecordsDeletion.Deleted deleted && deleted.logStartOffset() > sealed.logStartOffset()) {
      if (deleted.logStartOffset() > active.baseOffset()) {
        syncForStart();
      }
      sealed.moveStart(deleted.logStartOffset());
      snapshot = sealed.snapshot(snapshot.active());
      show.run();
      dropDeleted(show);
      if (isWritable()) {
        rollIfDeleted();
      }
      show.run();
    }
    return decided;
  }

  /** The recovery point too: a disk that takes no recovery shows a log up to there, which must not be below its start. */
  private void syncForStart() throws IOException {
    flush();
    try {
      recoveryPoint.sync();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private int dropDeleted(Runnable show) throws IOException {
    SealedSegment[] deleted = replacement.hasFailed() ? new SealedSegment[0] : sealed.takeDeleted();
    if (deleted.length > 0) {
      snapshot = sealed.snapshot(snapshot.active());
      show.run();
      sealed.unlink(deleted);
    }
    return deleted.length;
  }

  /** Begins the next segment if nothing of the active one is kept, which then nobody can find any more. */
  private boolean rollIfDeleted() throws IOException {
    if (active.sizeBytes() == 0 || active.nextOffset() > sealed.logStartOffset() || replacement.hasFailed()) {
      return false;
    }
    ActiveSegment deleted = active;
    try {
      Optional<ActiveSegment> next =
          SegmentRoll.afterDeleted(disk, files, deleted, producers, recoveryPoint, staging, config.indexIntervalBytes());
      if (next.isEmpty()) {
        return false;
      }
      active = next.get();
    } catch (IOException e) {
      throw failed(e);
    }
    publish();
    sealed.unlink(deleted.ended());
    deleted.release();
    return true;
  }

  /**
   * A run of compaction, if the log is one that is compacted and it is time. One at a time: the next is asked for when this
   * one is done or cancelled.
   *
   * @param mapBytes bound on the memory for keys
   */
  public Optional<LogCompaction> planCompaction(long mapBytes) throws IOException {
    return isWritable() ? replacement.plan(config, endedSegments(), snapshot, clock, mapBytes) : Optional.empty();
  }

  /** The sealed segments in which every transaction has ended: of the others nobody knows yet what counts. */
  private SealedSegment[] endedSegments() {
    SealedSegment[] all = sealed.all();
    int count = all.length;
    while (count > 0 && all[count - 1].nextOffset() > snapshot.lastStableOffset()) {
      count--;
    }
    return count == all.length ? all : Arrays.copyOf(all, count);
  }

  /**
   * Puts what a run has {@link LogCompaction.Progress#READY} in its place; cancels the run if retention has taken segments of it,
   * or the log is not to be compacted any more. Takes about as long as a roll. When the new snapshot is shown to readers, {@link #releaseReplaced} must follow.
   *
   * @throws IOException if the disk refused: the log is as readable and writable as before, but is not compacted again before
   *     it was opened anew
   */
  public void swapIn(LogCompaction run) throws IOException {
    Optional<SealedSegment[]> fewer = replacement.swapIn(run, config, sealed.all());
    if (fewer.isPresent()) {
      sealed.replace(fewer.get());
      snapshot = sealed.snapshot(snapshot.active());
    }
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

  /** Ends in order: flush, zeros cut off, recovery point synced, {@link CleanStop} left. A log that is not writable is only let go of. Snapshots are stale then. */
  @Override
  public void close() throws IOException {
    try {
      if (isWritable()) {
        commit();
        active.end();
        recoveryPoint.sync();
        leaveCleanStop();
      }
    } finally {
      try {
        abandon();
      } finally {
        replacement.end();
        sealed.closeToReaders();
        active.closeToReaders();
      }
    }
  }

  /** Best effort: without it, the next open reads the active segment. An empty one needs none. */
  private void leaveCleanStop() {
    try {
      if (active.sizeBytes() > 0 && !space.isNearlyFull(Math.max(config.minFreeBytes(), ROLL_BYTES))) {
        active.cleanStop(producers).write(disk, files);
      }
    } catch (IOException e) {
      LOG.warn("clean stop not marked, the next start reads the newest segment partition={}", files.partition(), e);
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
    RecoveryPointFile closing = recoveryPoint;
    try (closing) {
      active.release();
    } finally {
      giveBack();
      sealed.endUnlinks();
    }
  }

  /** All that was appended is synced then, so readers may see it. */
  private void roll() throws IOException {
    ActiveSegment full = active;
    SegmentRoll.Rolled rolled =
        SegmentRoll.roll(disk, files, full, producers, recoveryPoint, staging, config.indexIntervalBytes());
    active = rolled.next();
    sealed.add(rolled.full());
    publish();
    full.release();
    sealed.deleteOldSnapshot();
  }

  private void publish() {
    snapshot = sealed.snapshot(active.view(producers.firstOpen(Long.MAX_VALUE)));
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
