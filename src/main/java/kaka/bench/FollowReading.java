package kaka.bench;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;
import kaka.record.TopicPartition;

/** Waits at a partition's end for the records of this stage, and books how long each took from when it was due. */
final class FollowReading extends BatchReading {
  private static final int WAIT_MS = 500;

  private final Payload payload;
  private final Times times;
  private final Tally tally;
  private final BooleanSupplier areProducersDone;
  private final AtomicLong ackedEnd;

  /** @param ackedEnd once the producers are done, one past the last offset that has to come */
  FollowReading(
      TopicPartition partition,
      long start,
      boolean isCrcChecked,
      Payload payload,
      Times times,
      Tally tally,
      BooleanSupplier areProducersDone,
      AtomicLong ackedEnd) {
    super(partition, start, isCrcChecked);
    this.payload = payload;
    this.times = times;
    this.tally = tally;
    this.areProducersDone = areProducersDone;
    this.ackedEnd = ackedEnd;
  }

  @Override
  public int maxWaitMs() {
    return WAIT_MS;
  }

  @Override
  void onBatch(RecordBatch batch, long nowNs) throws IOException {
    try (RecordCursor cursor = batch.cursor()) {
      while (cursor.next()) {
        if (payload.isOwn(cursor.array(), cursor.valuePosition(), cursor.valueSize())) {
          onRecord(Payload.dueNs(cursor.array(), cursor.valuePosition()), nowNs);
        }
      }
    } catch (InvalidBatchException e) {
      throw new IOException(batch + " of " + partition + ": " + e.getMessage(), e);
    }
  }

  private void onRecord(long dueNs, long nowNs) {
    tally.seen(1);
    if (times.isCounted(dueNs, nowNs)) {
      tally.done(1, payload.recordBytes(), nowNs);
    }
    if (times.isMeasured(dueNs)) {
      tally.latency(nowNs - dueNs);
    }
  }

  @Override
  void onEnd(long highWatermark, long records, int bytes, long sinceNs, long nowNs) {}

  @Override
  public boolean isDone(long nowNs) {
    return areProducersDone.getAsBoolean() && offset() >= ackedEnd.get();
  }
}
