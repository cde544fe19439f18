package kaka.bench;

import java.util.List;
import kaka.record.RecordBatch;
import kaka.record.TopicPartition;

/** Reads a partition once, up to its end, for one {@link ReadBack} or several. */
final class VerifyReading extends BatchReading {
  private final List<ReadBack> readBacks;
  private final Tally tally;
  private boolean isAtEnd;

  VerifyReading(TopicPartition partition, long start, List<ReadBack> readBacks, Tally tally) {
    super(partition, start, false); // a read-back counts a bad CRC
    this.readBacks = readBacks;
    this.tally = tally;
  }

  @Override
  public int maxWaitMs() {
    return 0;
  }

  @Override
  void onBatch(RecordBatch batch, long nowNs) {
    for (ReadBack readBack : readBacks) {
      readBack.onBatch(batch);
    }
  }

  @Override
  void onEnd(long highWatermark, long records, int bytes, long sinceNs, long nowNs) {
    tally.seen(records);
    isAtEnd = offset() >= highWatermark;
  }

  @Override
  public boolean isDone(long nowNs) {
    return isAtEnd;
  }
}
