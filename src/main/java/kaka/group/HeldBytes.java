package kaka.group;

/** What groups take of the memory: bounded by their own limit, charged to the broker's budget. One owner at a time. */
final class HeldBytes {
  private final long maxBytes;
  private final GroupMemory budget;
  private long chargedBytes;

  HeldBytes(long maxBytes, GroupMemory budget) {
    this.maxBytes = maxBytes;
    this.budget = budget;
  }

  /** Charges what is missing up to {@code totalBytes}; false, and nothing charged, if there is no room. */
  boolean tryGrowTo(long totalBytes) {
    if (totalBytes <= chargedBytes) {
      return true;
    }
    if (totalBytes > maxBytes || !budget.tryReserve(totalBytes - chargedBytes)) {
      return false;
    }
    chargedBytes = totalBytes;
    return true;
  }

  /**
   * It is {@code totalBytes} now: gives back what was charged beyond, or charges the rest if there is room for it. What a start
   * has replayed is there whether the budget has room or not.
   */
  void settle(long totalBytes) {
    if (totalBytes < chargedBytes) {
      budget.release(chargedBytes - totalBytes);
      chargedBytes = totalBytes;
    } else if (budget.tryReserve(totalBytes - chargedBytes)) {
      chargedBytes = totalBytes;
    }
  }
}
