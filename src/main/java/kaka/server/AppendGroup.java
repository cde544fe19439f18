package kaka.server;

import java.util.ArrayList;
import java.util.List;
import kaka.partition.PartitionHandle;
import kaka.record.RecordBatch;

/** The produces of one socket read that go to one partition, as one message: one actor message per read, not per request. */
final class AppendGroup {
  private final PartitionHandle partition;
  private final List<RecordBatch> batches = new ArrayList<>();
  private final List<ProduceExchange> exchanges = new ArrayList<>();

  private long sizeBytes;

  AppendGroup(PartitionHandle partition) {
    this.partition = partition;
  }

  PartitionHandle partition() {
    return partition;
  }

  void add(RecordBatch batch, ProduceExchange exchange) {
    batches.add(batch);
    sizeBytes += batch.sizeBytes();
    exchanges.add(exchange);
  }

  List<RecordBatch> batches() {
    return batches;
  }

  /** Of all batches: what is charged for them. */
  long sizeBytes() {
    return sizeBytes;
  }

  List<ProduceExchange> exchanges() {
    return exchanges;
  }
}
