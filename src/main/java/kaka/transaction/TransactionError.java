package kaka.transaction;

/** Why the coordinator did not do what it was asked for. */
public enum TransactionError {
  INVALID_ID("a transactional id is 1 to 1024 bytes long"),
  INVALID_TIMEOUT("the transaction timeout is not one that the broker allows"),
  /** Retriable: the transaction before has not ended everywhere. */
  CONCURRENT("the producer's transaction before is still being ended"),
  FENCED("a newer producer of the same transactional id has come, or the transaction has timed out"),
  /** The transactional id is unknown, or another producer has it. */
  INVALID_MAPPING("the producer id is not the one of this transactional id"),
  INVALID_STATE("not possible at this point of the transaction"),
  NOT_FOUND("no such transactional id"),
  /** Retriable. */
  MEMORY("the memory for transactions is used up; nothing was changed"),
  /** Retriable. */
  DISK_NEARLY_FULL("disk nearly full"),
  /** Retriable: the log of transactions is being read. */
  UNAVAILABLE("transactions are being read"),
  STORAGE("the log of transactions failed or is damaged"),
  SHUTTING_DOWN("the broker is stopping");

  private final String text;

  TransactionError(String text) {
    this.text = text;
  }

  /** What it means, for people. */
  public String text() {
    return text;
  }
}
