package kaka.kafka;

import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/** The place of a partition's batches in a fetch's answer: known in size, read when the answer goes out. */
record FetchedRecords(FetchedPartition partition) implements BaseRecords {
  @Override
  public int sizeInBytes() {
    return Math.toIntExact(partition.sizeBytes());
  }

  @Override
  public RecordsSend<? extends BaseRecords> toSend() {
    throw new UnsupportedOperationException("they are sent slice by slice, by FetchExchange");
  }
}
