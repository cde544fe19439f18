package kaka.log;

/** What a {@link ProducerState} says of a batch that an idempotent producer numbered; see the table there. */
public sealed interface ProducerCheck {
  /** Nothing speaks against storing it. */
  enum Accepted implements ProducerCheck {
    INSTANCE
  }

  /**
   * It is in the log already.
   *
   * @param baseOffset what it got then; the original may still wait for its commit
   */
  record Duplicate(long baseOffset) implements ProducerCheck {}

  /**
   * It must not be stored.
   *
   * @param detail which numbers, for people
   */
  record Refused(Reason reason, String detail) implements ProducerCheck {}

  /** Why not. */
  enum Reason {
    /** It does not continue the producer's batches: one before it is missing, or it is an old one. */
    OUT_OF_ORDER,
    /** A newer epoch of the same producer has written here. */
    FENCED,
    /** Nothing is remembered of this producer, and the batch is not its first. */
    UNKNOWN_PRODUCER,
    /** The producer's transaction here is still open, and the batch is no part of it. */
    INVALID_TRANSACTION,
    /** As many producers as can be remembered have a transaction open here. */
    TOO_MANY_TRANSACTIONS
  }
}
