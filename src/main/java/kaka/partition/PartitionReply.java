package kaka.partition;

import java.util.List;
import kaka.log.ActiveProducer;
import kaka.log.RecordsDeletion;

/** What a {@link PartitionActor} answers; {@code correlationId} is the asker's own, given back. */
public sealed interface PartitionReply {
  long correlationId();

  /**
   * The batches of one append are on disk (in the interval mode: written).
   *
   * @param baseOffsets one per batch, in the order of the append; of a batch that was stored before, what it got then
   */
  record Appended(long correlationId, List<Long> baseOffsets) implements PartitionReply {
    public Appended {
      baseOffsets = List.copyOf(baseOffsets);
    }
  }

  /**
   * As {@link Appended}, but some of the batches of idempotent producers were not stored. Those that were are on disk.
   *
   * @param outcomes one per batch, in the order of the append
   */
  record PartlyAppended(long correlationId, List<BatchOutcome> outcomes) implements PartitionReply {
    public PartlyAppended {
      outcomes = List.copyOf(outcomes);
    }
  }

  /** What became of one batch. */
  sealed interface BatchOutcome {}

  /** It is on disk from this offset on. */
  record Stored(long baseOffset) implements BatchOutcome {}

  /** It is not stored, or was long ago; {@code detail} says which numbers were wrong, for people. */
  record NotStored(Refusal reason, String detail) implements BatchOutcome {}

  /** What became of a deletion of records; if they were deleted, that is on disk and shown. */
  record DeletionDecided(long correlationId, RecordsDeletion decision) implements PartitionReply {}

  /** None of the batches of one append is acknowledged, or a deletion was not made as far as one can know. */
  record Refused(long correlationId, Refusal reason) implements PartitionReply {}

  /** There is something to read now, or the partition cannot be waited for any more: look at its view. */
  record Advanced(long correlationId) implements PartitionReply {}

  /** A transaction's end is on disk (in the interval mode: written), now or before. */
  record TransactionEnded(long correlationId) implements PartitionReply {}

  /** @param producers those that the partition remembers, in no order */
  record Producers(long correlationId, List<ActiveProducer> producers) implements PartitionReply {
    public Producers {
      producers = List.copyOf(producers);
    }
  }
}
