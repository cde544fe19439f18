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

  AppendGroup(PartitionHandle partition) {
    this.partition = partition;
  }

  PartitionHandle partition() {
    return partition;
  }

  void add(RecordBatch batch, ProduceExchange exchange) {
    batches.add(batch);
    exchanges.add(exchange);
  }

  List<RecordBatch> batches() {
    return batches;
  }

  List<ProduceExchange> exchanges() {
    return exchanges;
  }
}
