package kaka.client;

/** Where the records without key of one topic go: to one partition until its batch is closed, then to the next. */
final class StickyPartition {
  private int current;
  private boolean isUsed;

  /** @param start where to begin; different from producer to producer, so that many of them spread */
  StickyPartition(int start) {
    this.current = start;
  }

  /** The partition for the next record, of {@code partitionCount}. */
  int current(int partitionCount) {
    return Math.floorMod(current, partitionCount);
  }

  /** A batch was begun there: the first stays, each further one moves on to the next partition. */
  int next(int partitionCount) {
    if (isUsed) {
      current++;
    }
    isUsed = true;
    return current(partitionCount);
  }
}
