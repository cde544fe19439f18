package kaka.partition;

/** What a commit is waited for by: answered once, when it is done or will not be. */
interface PendingReply {
  /** The commit is done. */
  void acknowledge();

  /** The commit will not be. */
  void refuse(Refusal reason);
}
