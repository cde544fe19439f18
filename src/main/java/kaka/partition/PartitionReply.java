package kaka.partition;

import java.util.List;

/** What a {@link PartitionActor} answers; {@code correlationId} is the asker's own, given back. */
public sealed interface PartitionReply {
  long correlationId();

  /**
   * The batches of one append are on disk (in the interval mode: written).
   *
   * @param baseOffsets one per batch, in the order of the append
   */
  record Appended(long correlationId, List<Long> baseOffsets) implements PartitionReply {
    public Appended {
      baseOffsets = List.copyOf(baseOffsets);
    }
  }

  /** None of the batches of one append is acknowledged. */
  record Refused(long correlationId, Refusal reason) implements PartitionReply {}

  /** There is something to read now, or the partition cannot be waited for any more: look at its view. */
  record Advanced(long correlationId) implements PartitionReply {}
}
