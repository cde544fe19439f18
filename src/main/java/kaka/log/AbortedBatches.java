package kaka.log;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kaka.record.RecordBatch;

/** Tells which batches of a stretch of log belong to aborted transactions. It is asked in the order of their offsets. */
final class AbortedBatches {
  static final AbortedBatches NONE = new AbortedBatches(List.of());

  private final List<AbortedTransaction> aborted;
  private final Map<Long, Long> ends = new HashMap<>(); // of each producer's last one that has begun
  private int begun;

  /** @param aborted all that have a batch in the stretch, by their first offsets */
  AbortedBatches(List<AbortedTransaction> aborted) {
    this.aborted = aborted;
  }

  boolean contains(RecordBatch batch) {
    if (!batch.isTransactional() || batch.isControl()) {
      return false;
    }
    for (; begun < aborted.size() && aborted.get(begun).firstOffset() <= batch.baseOffset(); begun++) {
      ends.put(aborted.get(begun).producerId(), aborted.get(begun).lastOffset());
    }
    Long end = ends.get(batch.producerId()); // a producer's transactions follow each other
    return end != null && batch.baseOffset() < end;
  }
}
