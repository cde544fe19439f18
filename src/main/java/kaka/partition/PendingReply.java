package kaka.partition;

/** What a commit is waited for by: answered once, when it is done or will not be. */
interface PendingReply {
  /** Whether it is told only when it is synced, also where acks of records come before their sync. */
  default boolean isDurable() {
    return false;
  }

  /** The commit is done. */
  void acknowledge();

  /** The commit will not be. */
  void refuse(Refusal reason);
}
