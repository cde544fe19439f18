package kaka.transaction;

/** Where a transactional id is in its life; see the table in {@link TransactionState}. */
public enum TransactionPhase {
  /** A producer has its id, and no transaction was begun yet. */
  EMPTY("Empty"),
  /** Partitions have been added. */
  ONGOING("Ongoing"),
  /** It is decided: committed. Not every partition knows yet. */
  PREPARE_COMMIT("PrepareCommit"),
  /** It is decided: aborted. Not every partition knows yet. */
  PREPARE_ABORT("PrepareAbort"),
  /** The last transaction was committed, as every partition knows. */
  COMPLETE_COMMIT("CompleteCommit"),
  /** The last transaction was aborted, as every partition knows. */
  COMPLETE_ABORT("CompleteAbort");

  private final String text;

  TransactionPhase(String text) {
    this.text = text;
  }

  /** Kafka's name for it. */
  public String text() {
    return text;
  }

  boolean isPrepared() {
    return this == PREPARE_COMMIT || this == PREPARE_ABORT;
  }
}
