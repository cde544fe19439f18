package kaka.log;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.OptionalLong;
import kaka.record.BatchFilter;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;

/**
 * Tells which records of a stretch of log compaction keeps. It is first told of all batches in turn, as far as the memory for
 * keys goes, and then asked about all of them, from the oldest:
 *
 * <pre>
 * record                                                       what becomes of it
 * above the last key that was noted, or without a key          kept
 * its key was noted with a greater offset                      dropped
 * a tombstone, and the delete horizon of its batch has passed  dropped, but for the very last sealed record
 * any other                                                    kept
 * </pre>
 *
 * Of transactions, the records that were committed are as any others, and those that were aborted are not shown to it at all;
 * control batches are {@link CompactedMarkers}' business. The delete horizon (KIP-534) is put into a batch with tombstones by the first run that has noted all of it: older records
 * of these keys are gone from then on, and a reader who has read one of them has the time of {@code delete.retention} to meet the
 * tombstone. Not for sharing between threads.
 */
final class NewestRecords {
  private final long fromOffset;
  private final long lastOffset;
  private final Clock clock;
  private final long nowMs;
  private final Duration deleteRetention;
  private final KeyOffsets keys;
  private long end;
  private long deleteHorizonMs = Long.MAX_VALUE;
  private long droppedCount;

  /**
   * @param fromOffset where the keys are to be noted from
   * @param sealed all segments there are; at least one
   * @param mapBytes bound on the memory for keys
   * @throws IOException if there is not that much memory
   */
  NewestRecords(long fromOffset, SealedSegment[] sealed, long mapBytes, Clock clock, Duration deleteRetention)
      throws IOException {
    this.fromOffset = fromOffset;
    this.lastOffset = sealed[sealed.length - 1].nextOffset() - 1;
    this.clock = clock;
    this.nowMs = clock.millis();
    this.deleteRetention = deleteRetention;
    this.keys = new KeyOffsets(mapBytes, Math.max(0, lastOffset + 1 - Math.max(fromOffset, sealed[0].baseOffset())));
    this.end = fromOffset;
  }

  /**
   * Takes note of the batch's keys.
   *
   * @return false if not all of them fit: no later batch may be noted
   */
  boolean note(RecordBatch batch) throws InvalidBatchException {
    try (RecordCursor records = batch.cursor()) {
      while (records.next()) {
        if (records.offset() >= fromOffset
            && records.keySize() >= 0
            && !keys.put(records.array(), records.keyPosition(), records.keySize(), records.offset())) {
          end = records.offset();
          return false;
        }
      }
    }
    passOver(batch);
    return true;
  }

  /** As {@link #note}, of a batch whose keys do not count: it was aborted, or is a control batch. */
  void passOver(RecordBatch batch) {
    end = batch.lastOffset() + 1;
  }

  /** One past the last offset that was noted. */
  long end() {
    return end;
  }

  /** The batch with the records that are kept: itself if these are all of them. */
  RecordBatch filter(RecordBatch batch) throws InvalidBatchException {
    OptionalLong horizon = batch.deleteHorizonMs();
    boolean hasPassed = horizon.isPresent() && horizon.getAsLong() <= nowMs;
    int[] tombstones = {0};
    int[] protectedTombstones = {0};
    BatchFilter.Keep keep =
        record -> {
          if (record.offset() >= end || record.keySize() < 0) {
            return true;
          }
          boolean isNewest = keys.newest(record.array(), record.keyPosition(), record.keySize()) <= record.offset();
          boolean isTombstone = record.valueSize() < 0;
          boolean isProtected = record.offset() == lastOffset;
          boolean isKept = isNewest && (!isTombstone || !hasPassed || isProtected);
          if (isKept && isTombstone) {
            tombstones[0]++;
            protectedTombstones[0] += isProtected ? 1 : 0;
          }
          return isKept;
        };
    RecordBatch left = BatchFilter.filter(batch, keep, OptionalLong.empty());
    droppedCount += batch.recordCount() - left.recordCount();
    if (tombstones[0] == 0) {
      return left;
    }
    if (horizon.isEmpty()) {
      if (batch.lastOffset() >= end) {
        return left; // not all of it was noted: the next run sets its horizon
      }
      // By now the older records are gone, but for those that go together with this batch's rewritten segment.
      horizon = OptionalLong.of(CompactedMarkers.horizonFrom(clock.millis(), deleteRetention));
      left = BatchFilter.filter(left, record -> true, horizon);
    }
    if (tombstones[0] > protectedTombstones[0]) { // the others wait for more than a time
      deleteHorizonMs = Math.min(deleteHorizonMs, horizon.getAsLong());
    }
    return left;
  }

  /** When the first tombstone that was kept may go; the greatest long if none waits for a time. */
  long deleteHorizonMs() {
    return deleteHorizonMs;
  }

  /** Records that were not kept. */
  long droppedCount() {
    return droppedCount;
  }
}
