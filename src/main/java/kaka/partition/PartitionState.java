package kaka.partition;

/** What a partition can do at present. */
public enum PartitionState {
  /** Its log is being recovered: neither reads nor writes. */
  OPENING,
  /** Reads and writes. */
  WRITABLE,
  /** A failure of its storage, for good: reads of what was acknowledged, if its log could be opened at all; no writes. */
  FAILED
}
