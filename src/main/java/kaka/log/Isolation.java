package kaka.log;

/** Whether a reader wants what may still be aborted. */
public enum Isolation {
  /** All that is on disk, open and aborted transactions' records included. */
  UNCOMMITTED {
    @Override
    public LogSnapshot of(LogSnapshot snapshot) {
      return snapshot;
    }
  },
  /** Up to the last stable offset; which transactions below it were aborted is told beside. */
  COMMITTED {
    @Override
    public LogSnapshot of(LogSnapshot snapshot) {
      return snapshot.committed();
    }
  };

  /** As much of {@code snapshot} as the reader wants. */
  public abstract LogSnapshot of(LogSnapshot snapshot);
}
