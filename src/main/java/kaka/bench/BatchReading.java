package kaka.bench;

import java.io.IOException;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.TopicPartition;

/** Walks through the batches of one partition and sees to it that none is left out and each is whole. */
abstract class BatchReading implements Reading {
  final TopicPartition partition;
  private final boolean isCrcChecked;
  private long position;

  BatchReading(TopicPartition partition, long position, boolean isCrcChecked) {
    this.partition = partition;
    this.position = position;
    this.isCrcChecked = isCrcChecked;
  }

  @Override
  public final long offset() {
    return position;
  }

  final void restartAt(long offset) {
    position = offset;
  }

  @Override
  public final void onAnswer(
      long logStart, long highWatermark, byte[] array, int from, int to, long sinceNs, long nowNs) throws IOException {
    position = Math.max(position, logStart);
    long records = 0;
    for (int at = from; at < to; ) {
      RecordBatch batch = frame(array, at, to);
      records += batch.recordCount();
      onBatch(batch, nowNs);
      position = batch.lastOffset() + 1;
      at += batch.sizeBytes();
    }
    onEnd(highWatermark, records, to - from, sinceNs, nowNs);
  }

  private RecordBatch frame(byte[] array, int at, int to) throws IOException {
    try {
      RecordBatch batch = RecordBatch.frame(array, at, to);
      if (batch.baseOffset() > position || batch.lastOffset() < position) {
        throw new IOException(
            "batch " + batch.baseOffset() + " to " + batch.lastOffset() + " of " + partition + " where " + position + " was due");
      }
      if (isCrcChecked && !batch.isCrcValid()) {
        throw new IOException("the CRC does not fit " + batch + " of " + partition);
      }
      return batch;
    } catch (InvalidBatchException e) {
      throw new IOException("no batch at offset " + position + " of " + partition + ": " + e.getMessage(), e);
    }
  }

  /** The next batch. */
  abstract void onBatch(RecordBatch batch, long nowNs) throws IOException;

  /** All batches of one answer were seen. */
  abstract void onEnd(long highWatermark, long records, int bytes, long sinceNs, long nowNs);
}
