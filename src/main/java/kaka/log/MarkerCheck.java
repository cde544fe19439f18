package kaka.log;

/** What a transaction's end is to a partition's producers; see the table in {@link ProducerState}. */
public enum MarkerCheck {
  /** It must be written. */
  WRITE,
  /** What it would end has ended, or never began; that may still wait for its commit. */
  ENDED,
  /** A newer epoch of the producer, or of the coordinator, was here. */
  FENCED
}
