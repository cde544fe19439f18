package kaka.group;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import kaka.log.Advice;
import kaka.log.Disk;
import kaka.log.InternalLog;
import kaka.log.LogConfig;
import kaka.log.LogDamagedException;
import kaka.log.LogReader;
import kaka.log.PartitionDirectory;
import kaka.log.PartitionLog;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;

/**
 * The coordinator's own log, {@code __offsets-0}: the storage code of every partition, one {@link GroupEvent} a record.
 *
 * <p>It is compacted by writing what is live once more at its end, piece by piece between commits, and then dropping the segments
 * before that. At each crash point the log replays to the same: what is written again is what is so, and it is on disk before a
 * segment goes. Nothing of what is kept is ever rewritten in place. So the log takes at most what is live, four times, plus twice {@code
 * kaka.groups.compact-bytes} and a segment.
 */
final class OffsetsLog implements Closeable {
  /** Records in a batch, so many bytes; one commit of more is a batch of its own. */
  private static final int BATCH_BYTES = 256 << 10;

  /** Events written again at a time, so that commits need not wait for long. */
  private static final int COPIED_AT_ONCE = 1000;

  /** The reserve for produces is four times this: offsets can still be committed when records cannot be stored any more. */
  private static final int RESERVE_SHARE = 4;

  private final PartitionLog log;
  private final boolean isNew;
  private final Path directory;
  private final Clock clock;
  private final long compactBytes;
  private RecordBatchBuilder batch = new RecordBatchBuilder(1024);
  private int stagedBytes;
  private long writtenBytes; // since the last copy began
  private long copiedBytes; // by the last copy that ended: what is live, about
  private Optional<CommittedOffsets.Walk> copying = Optional.empty();
  private long copyStart;

  private OffsetsLog(PartitionLog log, boolean isNew, Path directory, Clock clock, long compactBytes) {
    this.log = log;
    this.isNew = isNew;
    this.directory = directory;
    this.clock = clock;
    this.compactBytes = compactBytes;
    this.writtenBytes = log.snapshot().sizeBytes();
  }

  /**
   * Opens it, or creates it in a data directory that has none.
   *
   * @throws LogDamagedException with what an operator can do
   */
  static OffsetsLog open(Disk disk, Path dataDirectory, LogConfig broker, GroupConfig config, Clock clock) throws IOException {
    Path directory = dataDirectory.resolve(InternalLog.OFFSETS.directory());
    LogConfig own = config(broker, config);
    try {
      boolean isNew = !PartitionDirectory.isCreated(disk, directory);
      PartitionLog log =
          !isNew
              ? PartitionLog.open(disk, directory, InternalLog.OFFSETS.id(), own, clock)
              : PartitionLog.create(disk, directory, InternalLog.OFFSETS.id(), own, clock);
      return new OffsetsLog(log, isNew, directory, clock, config.compactBytes());
    } catch (LogDamagedException e) {
      throw withAdvice(e, directory);
    }
  }

  private static LogConfig config(LogConfig broker, GroupConfig config) {
    return new LogConfig(
        Math.min(broker.segmentBytes(), Math.max(64 << 10, config.compactBytes())),
        broker.segmentAge(),
        broker.indexIntervalBytes(),
        Duration.ZERO,
        -1,
        Duration.ZERO,
        broker.minFreeBytes() / RESERVE_SHARE);
  }

  private static LogDamagedException withAdvice(LogDamagedException e, Path directory) {
    return new LogDamagedException(
        e.file(),
        e.position(),
        e.reason(),
        "Nothing was changed. With the broker stopped, restore " + InternalLog.OFFSETS.directory() + " from a copy; or"
            + " `kaka log check " + Advice.shell(directory) + "` says what could be cut off; or give up every committed offset: `mv "
            + Advice.shell(directory) + " " + Advice.shell(directory.resolveSibling(directory.getFileName() + ".damaged")) + "`");
  }

  /**
   * Gives every event, oldest first.
   *
   * @param live what they come to
   * @throws LogDamagedException if one is not as it was written
   */
  void replay(Consumer<GroupEvent> apply, CommittedOffsets live) throws IOException {
    try (LogReader reader = log.snapshot().reader(log.snapshot().logStartOffset())) {
      for (long at = 0; at < reader.sizeBytes(); ) {
        RecordBatch each = reader.batchAt(at);
        for (Record record : each.records()) {
          apply.accept(GroupEventCodec.parse(record));
        }
        at += each.sizeBytes();
      }
      copiedBytes = Math.min(writtenBytes, live.sizeBytes());
    } catch (InvalidBatchException e) {
      throw new IOException("log of offsets: " + e.getMessage(), e);
    } catch (LogDamagedException e) {
      throw withAdvice(e, directory);
    }
  }

  /** Whether there is room on the disk for {@code events}; then it is set aside until the next {@link #flush}. */
  boolean reserve(List<GroupEvent> events) {
    long bytes = 0;
    for (GroupEvent event : events) {
      bytes += RecordBatchBuilder.MAX_RECORD_OVERHEAD + CommittedOffsets.costOf(event) + 64;
    }
    return log.reserve(bytes);
  }

  /** Takes an event into the next {@link #flush}. @return its bytes, about */
  int stage(GroupEvent event) throws IOException {
    byte[] key = GroupEventCodec.key(event);
    byte[] value = GroupEventCodec.value(event);
    batch.append(clock.millis(), key, value, List.of());
    int sizeBytes = RecordBatchBuilder.MAX_RECORD_OVERHEAD + key.length + (value == null ? 0 : value.length);
    stagedBytes += sizeBytes;
    if (stagedBytes >= BATCH_BYTES) {
      endBatch();
    }
    return sizeBytes;
  }

  private void endBatch() throws IOException {
    if (stagedBytes > 0) {
      RecordBatch built = batch.build();
      log.append(built);
      writtenBytes += built.sizeBytes();
      batch = new RecordBatchBuilder(1024);
      stagedBytes = 0;
    }
  }

  /** What was staged is on disk when this returns: one write and one sync for all of it. After an exception, nothing more. */
  void flush() throws IOException {
    endBatch();
    log.flush();
  }

  // ---------------------------------------------------------------- compaction

  /**
   * Goes on with the compaction, begins one if it is time, or ends it. Only when everything staged is flushed and applied, or it
   * would write again what is no longer so.
   *
   * @return whether something was staged: flush, then call again
   */
  boolean compact(CommittedOffsets live) throws IOException {
    if (stagedBytes > 0 || log.hasUnsynced()) {
      throw new IllegalStateException("something is staged that is not flushed");
    }
    if (copying.isEmpty()) {
      if (writtenBytes < Math.max(compactBytes, 2 * copiedBytes)) {
        return false;
      }
      copying = Optional.of(live.walk());
      copyStart = log.logEndOffset();
      writtenBytes = 0;
      copiedBytes = 0;
    }
    List<GroupEvent> events = new ArrayList<>(COPIED_AT_ONCE);
    Optional<GroupEvent> next = Optional.empty();
    while (events.size() < COPIED_AT_ONCE && (next = copying.get().next()).isPresent()) {
      events.add(next.get());
    }
    if (events.isEmpty()) {
      copying = Optional.empty();
      log.deleteRecordsBefore(copyStart, () -> {});
      return false;
    }
    if (!reserve(events)) { // begins anew when there is room
      copying = Optional.empty();
      writtenBytes = 0;
      return false;
    }
    for (GroupEvent event : events) {
      copiedBytes += stage(event);
    }
    return true;
  }

  /** Whether there was none before. */
  boolean isNew() {
    return isNew;
  }

  long sizeBytes() {
    return log.snapshot().sizeBytes();
  }

  boolean isWritable() {
    return log.isWritable();
  }

  String unwritableReason() {
    return log.unwritableReason().orElse("");
  }

  /** Without a flush. */
  void abandon() throws IOException {
    log.abandon(); // from here on the log writes nothing more, so that closing it only lets go of its files
    log.close();
  }

  /** A log whose write failed is only let go of. */
  @Override
  public void close() throws IOException {
    log.close();
  }
}
