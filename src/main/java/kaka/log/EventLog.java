package kaka.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;
import kaka.record.RecordBatchBuilder;

/**
 * A log of the broker's own, one event a record, whose owner writes an event first and then applies it by the same code that
 * replays it at the next start. The storage code is that of every partition.
 *
 * <p>It is compacted by writing what is live once more at its end, piece by piece between commits, and then dropping the segments
 * before that. At each crash point the log replays to the same: what is written again is what is so, and it is on disk before a
 * segment goes. So the log takes at most what is live, four times, plus twice the bytes to compact after and a segment.
 */
public final class EventLog<E> implements Closeable {
  /** Records in a batch, so many bytes; one event of more is a batch of its own. */
  private static final int BATCH_BYTES = 256 << 10;

  /** Events written again at a time, so that commits need not wait for long. */
  private static final int COPIED_AT_ONCE = 1000;

  /** The reserve for produces is four times this: events can still be written when records cannot be stored any more. */
  private static final int RESERVE_SHARE = 4;

  private final InternalLog which;
  private final EventCodec<E> codec;
  private final PartitionLog log;
  private final boolean isNew;
  private final Path directory;
  private final Clock clock;
  private final long compactBytes;
  private RecordBatchBuilder batch = new RecordBatchBuilder(1024);
  private int stagedBytes;
  private long writtenBytes; // since the last copy began
  private long copiedBytes; // by the last copy that ended: what is live, about
  private Optional<LiveEvents.Walk<E>> copying = Optional.empty();
  private long copyStart;

  private EventLog(
      InternalLog which,
      EventCodec<E> codec,
      PartitionLog log,
      boolean isNew,
      Path directory,
      Clock clock,
      long compactBytes) {
    this.which = which;
    this.codec = codec;
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
   * @param compactBytes it is compacted when it has grown by so much, or by twice what is live where that is more
   * @throws LogDamagedException with what an operator can do
   */
  public static <E> EventLog<E> open(
      InternalLog which,
      EventCodec<E> codec,
      Disk disk,
      Path dataDirectory,
      LogConfig broker,
      long compactBytes,
      Clock clock)
      throws IOException {
    Path directory = dataDirectory.resolve(which.directory());
    LogConfig own =
        new LogConfig(
            Math.min(broker.segmentBytes(), Math.max(64 << 10, compactBytes)),
            broker.segmentAge(),
            broker.indexIntervalBytes(),
            Duration.ZERO,
            -1,
            Duration.ZERO,
            broker.minFreeBytes() / RESERVE_SHARE)
            .withPreallocation(broker.preallocation());
    try {
      boolean isNew = !PartitionDirectory.isCreated(disk, directory);
      PartitionLog log =
          isNew
              ? PartitionLog.create(disk, directory, which.id(), own, clock)
              : PartitionLog.open(disk, directory, which.id(), own, clock);
      return new EventLog<>(which, codec, log, isNew, directory, clock, compactBytes);
    } catch (LogDamagedException e) {
      throw withAdvice(e, which, directory);
    }
  }

  private static LogDamagedException withAdvice(LogDamagedException e, InternalLog which, Path directory) {
    return new LogDamagedException(
        e.file(),
        e.position(),
        e.reason(),
        "Nothing was changed. With the broker stopped, restore " + which.directory() + " from a copy; or `kaka log check "
            + Advice.shell(directory) + "` says what could be cut off; or give up " + which.content() + ": `mv "
            + Advice.shell(directory) + " " + Advice.shell(directory.resolveSibling(directory.getFileName() + ".damaged")) + "`");
  }

  /**
   * Gives every event, oldest first.
   *
   * @param live what they come to
   * @throws LogDamagedException if one is not as it was written
   */
  public void replay(Consumer<E> apply, LiveEvents<E> live) throws IOException {
    try (LogReader reader = log.snapshot().reader(log.snapshot().logStartOffset())) {
      for (long at = 0; at < reader.sizeBytes(); ) {
        RecordBatch each = reader.batchAt(at);
        for (Record record : each.records()) {
          apply.accept(codec.parse(record));
        }
        at += each.sizeBytes();
      }
      copiedBytes = Math.min(writtenBytes, live.sizeBytes());
    } catch (InvalidBatchException e) {
      throw new IOException(which.directory() + ": " + e.getMessage(), e);
    } catch (LogDamagedException e) {
      throw withAdvice(e, which, directory);
    }
  }

  /** Whether there is room on the disk for {@code events}; then it is set aside until the next {@link #flush}. */
  public boolean reserve(List<E> events) {
    long bytes = 0;
    for (E event : events) {
      bytes += codec.sizeOf(event);
    }
    return reserve(events.size(), bytes);
  }

  /** The same, for {@code count} events of {@code bytes} together. */
  public boolean reserve(int count, long bytes) {
    return log.reserve(bytes + count * (RecordBatchBuilder.MAX_RECORD_OVERHEAD + 64L));
  }

  /** Takes an event into the next {@link #flush}. @return its bytes, about */
  public int stage(E event) throws IOException {
    byte[] key = codec.key(event);
    byte[] value = codec.value(event);
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
  public void flush() throws IOException {
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
  public boolean compact(LiveEvents<E> live) throws IOException {
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
    List<E> events = new ArrayList<>(COPIED_AT_ONCE);
    Optional<E> next = Optional.empty();
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
    for (E event : events) {
      copiedBytes += stage(event);
    }
    return true;
  }

  /** Whether there was none before. */
  public boolean isNew() {
    return isNew;
  }

  public long sizeBytes() {
    return log.snapshot().sizeBytes();
  }

  public boolean isWritable() {
    return log.isWritable();
  }

  public String unwritableReason() {
    return log.unwritableReason().orElse("");
  }

  /** Without a flush. */
  public void abandon() throws IOException {
    try (log) {
      log.abandon(); // from here on the log writes nothing more, so that closing it only lets go of its files
    }
  }

  /** A log whose write failed is only let go of. */
  @Override
  public void close() throws IOException {
    log.close();
  }
}
