package kaka.bench;

import java.util.function.BooleanSupplier;
import kaka.record.RecordBatch;
import kaka.record.TopicPartition;

/** Reads a partition from {@code start} to its end, again and again until the time is over. */
final class ScanReading extends BatchReading {
  private final long start;
  private final Times times;
  private final Tally tally;
  private final BooleanSupplier isEnough;
  private long left;

  /**
   * @param quota measured records to read; {@link Long#MAX_VALUE}: until the time is over
   * @param isEnough ends it, too
   */
  ScanReading(
      TopicPartition partition,
      long start,
      long quota,
      boolean isCrcChecked,
      BooleanSupplier isEnough,
      Times times,
      Tally tally) {
    super(partition, start, isCrcChecked);
    this.start = start;
    this.left = quota;
    this.isEnough = isEnough;
    this.times = times;
    this.tally = tally;
  }

  @Override
  public int maxWaitMs() {
    return 0;
  }

  @Override
  void onBatch(RecordBatch batch, long nowNs) {}

  @Override
  void onEnd(long highWatermark, long records, int bytes, long sinceNs, long nowNs) {
    if (records > 0) {
      tally.seen(records);
      if (times.isCounted(sinceNs, nowNs)) {
        tally.done(records, bytes, nowNs);
      }
      if (times.isMeasured(sinceNs)) {
        tally.latency(nowNs - sinceNs);
        left = left == Long.MAX_VALUE ? left : Math.max(0, left - records);
      }
    }
    if (offset() >= highWatermark) {
      restartAt(start);
    }
  }

  @Override
  public boolean isDone(long nowNs) {
    return left == 0 || isEnough.getAsBoolean() || times.isOver(nowNs);
  }
}
