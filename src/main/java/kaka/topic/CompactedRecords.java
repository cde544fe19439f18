package kaka.topic;

import java.util.Optional;
import kaka.record.InvalidBatchException;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;

/** What a topic with {@code cleanup.policy=compact} takes: records with a key, whose key the broker can read. */
public final class CompactedRecords {
  private CompactedRecords() {}

  /**
   * Why the batch must not be stored in a compacted topic, for people.
   *
   * @param batch valid
   */
  public static Optional<String> problemOf(RecordBatch batch) {
    if (batch.isCompressed()) {
      return Optional.of("the topic is compacted: compressed batches are not taken");
    }
    try {
      RecordCursor records = batch.cursor();
      for (int i = 0; records.next(); i++) {
        if (records.keySize() < 0) {
          return Optional.of("record " + i + " has no key: the topic is compacted, every record needs one");
        }
      }
      return Optional.empty();
    } catch (InvalidBatchException e) {
      return Optional.of(e.getMessage());
    }
  }
}
