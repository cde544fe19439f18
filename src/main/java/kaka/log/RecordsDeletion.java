package kaka.log;

/** What becomes of {@link PartitionLog#deleteRecordsBefore}. */
public sealed interface RecordsDeletion {
  /** As {@code offset}: everything that can be read (Kafka's convention, KIP-107). */
  long ALL = -1;

  /** The log starts here now, and does after a restart; it may have before. */
  record Deleted(long logStartOffset) implements RecordsDeletion {}

  /** The offset is above {@code highWatermark}; nothing was changed. */
  record AboveHighWatermark(long highWatermark) implements RecordsDeletion {}

  /** The log is compacted and deletes nothing: its newest values must stay. Nothing was changed. */
  record Compacted() implements RecordsDeletion {}

  /** The log failed, so nobody knows what of its newest segment, which begins at {@code deletableOffset}, is on the disk. */
  record NotKnownSynced(long deletableOffset) implements RecordsDeletion {}

  /**
   * The first row that fits; S is the log's start, W its high watermark, B the newest segment's base offset:
   *
   * <pre>
   * cleanup        offset          log        outcome
   * compact only   any             any        Compacted
   * deletes        above W         any        AboveHighWatermark(W)
   * deletes        S or less       any        Deleted(S), as it is
   * deletes        above B         failed     NotKnownSynced(B)
   * deletes        any other       any        Deleted(offset)
   * </pre>
   *
   * @param offset at least 0, or {@link #ALL}, which stands for W
   */
  static RecordsDeletion decide(long offset, LogSnapshot shown, boolean isWritable, Cleanup cleanup) {
    if (offset < ALL) {
      throw new IllegalArgumentException("offset " + offset);
    }
    long target = offset == ALL ? shown.highWatermark() : offset;
    if (cleanup.compacts() && !cleanup.deletes()) {
      return new Compacted();
    }
    if (target > shown.highWatermark()) {
      return new AboveHighWatermark(shown.highWatermark());
    }
    if (target <= shown.logStartOffset()) {
      return new Deleted(shown.logStartOffset());
    }
    if (!isWritable && target > shown.active().baseOffset()) {
      return new NotKnownSynced(shown.active().baseOffset());
    }
    return new Deleted(target);
  }
}
