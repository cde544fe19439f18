package kaka.log;

import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import kaka.record.BatchFilter;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.TransactionMarker;

/**
 * Tells which control batches compaction keeps. It is shown every batch that stays, from the oldest segment on, and asked about
 * every control batch in its place:
 *
 * <pre>
 * control batch                                                      what becomes of it
 * not the end of a transaction                                       kept
 * in the newest sealed segment                                       kept: producer state may be rebuilt from it
 * a batch of its transaction is left, be it without records          kept: without it that transaction would be open
 * else, and it has no delete horizon                                 kept, with the horizon put in
 * else, and its horizon has not passed                               kept
 * else                                                               dropped, and its entry in the index of aborted ones with it
 * </pre>
 *
 * So one that is dropped was alone on the disk before this run began: a crash between what the run does can leave no batch of a
 * transaction without the marker behind it, nor an aborted one without its entry. The horizon (KIP-534) is for readers who
 * have read a part of the transaction.
 */
final class CompactedMarkers {
  private final Clock clock;
  private final long nowMs;
  private final Duration deleteRetention;

  /** Producers of which something is left since their last marker: no more than there were open transactions at that place. */
  private final Set<Long> unended = new HashSet<>();

  private long deleteHorizonMs = Long.MAX_VALUE;
  private long[] dropped = new long[0];
  private int droppedCount;

  CompactedMarkers(Clock clock, Duration deleteRetention) {
    this.clock = clock;
    this.nowMs = clock.millis();
    this.deleteRetention = deleteRetention;
  }

  /** A batch, which is no control batch, is kept. */
  void kept(RecordBatch batch) {
    if (batch.isTransactional()) {
      unended.add(batch.producerId());
    }
  }

  /** What is left of a control batch: itself, itself with a delete horizon, or one without record if it goes. */
  RecordBatch filter(RecordBatch batch, boolean isNewestSegment) throws InvalidBatchException {
    if (!isMarker(batch) || unended.remove(batch.producerId()) || isNewestSegment) {
      return batch;
    }
    OptionalLong horizon = batch.deleteHorizonMs();
    if (horizon.isPresent() && horizon.getAsLong() <= nowMs) {
      drop(batch.baseOffset());
      return BatchFilter.filter(batch, record -> false, OptionalLong.empty());
    }
    long horizonMs = horizon.orElseGet(() -> horizonFrom(clock.millis(), deleteRetention));
    deleteHorizonMs = Math.min(deleteHorizonMs, horizonMs);
    return horizon.isPresent() ? batch : BatchFilter.filter(batch, record -> true, OptionalLong.of(horizonMs));
  }

  /** "For ever" is a number of milliseconds that large. */
  static long horizonFrom(long nowMs, Duration deleteRetention) {
    long retentionMs = deleteRetention.toMillis();
    return retentionMs > Long.MAX_VALUE - nowMs ? Long.MAX_VALUE : nowMs + retentionMs;
  }

  private static boolean isMarker(RecordBatch batch) {
    try {
      TransactionMarker.of(batch);
      return true;
    } catch (InvalidBatchException e) { // another broker's control batch: nobody here knows what it stands for
      return false;
    }
  }

  private void drop(long offset) {
    if (droppedCount == dropped.length) {
      dropped = Arrays.copyOf(dropped, Math.max(16, 2 * dropped.length));
    }
    dropped[droppedCount++] = offset;
  }

  /** A new group of segments begins: {@link #isDropped} is about that one. What it takes is an eighth of its markers' bytes. */
  void startGroup() {
    droppedCount = 0;
  }

  /** Whether the marker at {@code offset} was dropped from the group. */
  boolean isDropped(long offset) {
    return Arrays.binarySearch(dropped, 0, droppedCount, offset) >= 0;
  }

  /** When the first marker that only waits for a time may go; the greatest long if none does. */
  long deleteHorizonMs() {
    return deleteHorizonMs;
  }
}
