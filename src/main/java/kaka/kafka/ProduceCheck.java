package kaka.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import kaka.connection.BatchCheck;
import kaka.partition.PartitionHandle;
import kaka.record.Allowance;
import kaka.record.RecordBatch;
import kaka.topic.Topic;

/** The check of one request's batches, apart from the connection's thread; a batch a step. */
final class ProduceCheck implements BatchCheck<List<ProduceCheck.Batch>> {
  /** One partition's batch: as it came, then what came of it. */
  static final class Batch {
    private final ProduceExchange.Slot slot;
    private final PartitionHandle partition;
    private final Topic topic;
    private final int from;
    private final int to;
    private byte[] array;
    private Optional<ProducedBatch> checked = Optional.empty();
    private Optional<ProducedBatch.RefusedException> refusal = Optional.empty();
    private Optional<RecordBatch> good = Optional.empty();

    private Batch(ProduceExchange.Slot slot, PartitionHandle partition, Topic topic, byte[] array, int from, int to) {
      this.slot = slot;
      this.partition = partition;
      this.topic = topic;
      this.array = array;
      this.from = from;
      this.to = to;
    }

    /** Can be called again: what the last time came to is nothing then. */
    private void check(Allowance allowance) {
      checked = Optional.empty();
      refusal = Optional.empty();
      try {
        checked = Optional.of(ProducedBatch.check(array, from, to, topic, allowance));
      } catch (ProducedBatch.RefusedException e) {
        refusal = Optional.of(e);
      }
    }

    private void detach(Allowance allowance) {
      try {
        good = checked.isPresent() ? Optional.of(checked.get().detached(allowance)) : Optional.empty();
      } catch (ProducedBatch.RefusedException e) {
        refusal = Optional.of(e);
      }
      checked = Optional.empty();
      array = null; // nobody's any more, but for a batch that is all of it
    }

    ProduceExchange.Slot slot() {
      return slot;
    }

    PartitionHandle partition() {
      return partition;
    }

    /** Why it is not taken; else it is {@link #good}. */
    Optional<ProducedBatch.RefusedException> refusal() {
      return refusal;
    }

    /** In bytes of its own. */
    Optional<RecordBatch> good() {
      return good;
    }
  }

  private final List<Batch> batches = new ArrayList<>();
  private int checkedCount;

  void add(ProduceExchange.Slot slot, PartitionHandle partition, Topic topic, byte[] array, int from, int to) {
    batches.add(new Batch(slot, partition, topic, array, from, to));
  }

  /** In the order of the request. */
  List<Batch> batches() {
    return batches;
  }

  @Override
  public boolean next(Allowance allowance) {
    Batch batch = batches.get(checkedCount);
    batch.check(allowance);
    allowance.worked(batch.to - batch.from);
    checkedCount++;
    return checkedCount < batches.size();
  }

  /** The copies are made at once: until then the request's bytes alone are there and charged. */
  @Override
  public List<Batch> result(Allowance allowance) {
    batches.forEach(batch -> batch.detach(allowance));
    return batches;
  }
}
